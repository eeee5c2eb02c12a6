import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, makeFifo, type SkillTree } from '../support/skill-tree.ts';

const FILES = {
  'skills/one/SKILL.md': goodSkill('one'),
  'skills/one/reference.md': 'line 1\nline 2\nline 3\nline 4\n',
  'skills/one/scripts/helper.py': 'print(1)\n',
  'skills/one/templates/deep/er/t.txt': 'deep\n',
  'skills/two/SKILL.md': goodSkill('two'),
  'secret.txt': 'secret\n',
};

function open(files = {}): { tree: SkillTree; manager: SkillManager } {
  const tree = createSkillTree({ ...FILES, ...files });
  return { tree, manager: new SkillManager({ cwd: tree.root }) };
}

/** Every way to read a file, with the error it threw. */
async function refusals(manager: SkillManager, path: string): Promise<unknown[]> {
  const ways: (() => unknown)[] = [
    () => manager.resolveFile('one', path),
    () => manager.readFileSync('one', path),
    () => manager.readFile('one', path),
  ];
  return Promise.all(
    ways.map(async (way) => {
      try {
        return { given: await way() };
      } catch (error) {
        return error;
      }
    }),
  );
}

const coded = (code: string): Error => expect.objectContaining({ name: 'SkillInvocationError', code }) as Error;

describe('files of a skill', () => {
  it('resolve from its base directory, in subdirectories too', () => {
    proves('S2.FR-5.1.base', 'S2.FR-5.3.subdirs');
    const { tree, manager } = open();
    expect(manager.resolveFile('one', 'reference.md')).toBe(tree.path('skills/one/reference.md'));
    expect(manager.resolveFile('one', './scripts/helper.py')).toBe(tree.path('skills/one/scripts/helper.py'));
    expect(manager.resolveFile('one', 'templates/deep/er/t.txt')).toBe(tree.path('skills/one/templates/deep/er/t.txt'));
    expect(manager.getSkill('one').baseDir).toBe(tree.path('skills/one'));
  });

  it.each([
    ['discord', 'discord.mjs', ['channels', 'list'], '#general'],
    ['deploy', 'scripts/verify.mjs', ['staging'], '"healthy":true'],
    ['deploy', 'scripts/deploy.sh', ['staging'], 'deployed to staging'],
  ])('are found and run by their relative path in %s: %s', (skill, script, args, expected) => {
    proves('S0.layout.script-at-root', 'S0.layout.script-in-subfolder');
    const manager = new SkillManager({ projectSkillDir: `${import.meta.dirname}/../fixtures/seed-000/skills` });
    expect(manager.listScripts(skill).map(({ path }) => path)).toContain(script);
    const program = script.endsWith('.sh') ? 'sh' : process.execPath;
    const { stdout } = spawnSync(program, [manager.resolveFile(skill, script), ...args], { encoding: 'utf8' });
    expect(stdout).toContain(expected);
  });

  it('are read whole, with the same result synchronously and asynchronously', async () => {
    const { manager } = open({ 'skills/one/bom.txt': '\uFEFFtext', 'skills/one/crlf.txt': 'a\r\nb\r\n' });
    for (const [path, text] of [
      ['reference.md', FILES['skills/one/reference.md']],
      ['bom.txt', 'text'],
      ['crlf.txt', 'a\r\nb\r\n'],
    ] as const) {
      expect(await manager.readFile('one', path)).toBe(text);
      expect(manager.readFileSync('one', path)).toBe(text);
    }
  });

  it.each([
    [{ startLine: 2 }, 'line 2\nline 3\nline 4\n'],
    [{ endLine: 2 }, 'line 1\nline 2'],
    [{ startLine: 2, endLine: 3 }, 'line 2\nline 3'],
    [{ startLine: 3, endLine: 3 }, 'line 3'],
    [{ startLine: 4, endLine: 400 }, 'line 4\n'],
    [{ startLine: 40 }, ''],
    [{ startLine: 3, endLine: 2 }, ''],
  ])('can be read in the line range %j', async (range, expected) => {
    const { manager } = open();
    expect(await manager.readFile('one', 'reference.md', range)).toBe(expected);
    expect(manager.readFileSync('one', 'reference.md', range)).toBe(expected);
  });

  it.each([
    { startLine: 0 },
    { startLine: -1 },
    { endLine: 1.5 },
    { endLine: Number.NaN },
    { startLine: '2' as unknown as number },
  ])('cannot be read in the invalid line range %j', async (range) => {
    const { manager } = open();
    const expected = expect.objectContaining({ code: 'InvalidOptions' }) as Error;
    await expect(manager.readFile('one', 'reference.md', range)).rejects.toEqual(expected);
    expect(() => manager.readFileSync('one', 'reference.md', range)).toThrow(expected);
  });

  it('give an error if they are not text or too large', async () => {
    const { tree, manager } = open({ 'skills/one/image.bin': Uint8Array.from([104, 105, 0xff, 0xfe]) });
    const malformed = {
      name: 'SkillParsingError',
      code: 'MalformedText',
      data: { skill: 'one', path: 'image.bin', offset: 2 },
    };
    await expect(manager.readFile('one', 'image.bin')).rejects.toMatchObject(malformed);
    const small = new SkillManager({ cwd: tree.root, limits: { maxFileBytes: 10 } });
    await expect(small.readFile('one', 'reference.md')).rejects.toMatchObject({
      code: 'FileTooLarge',
      data: { bytes: 28, limit: 10 },
    });
  });

  it('are listed as scripts by extension in scripts/ and at the root, and as programs anywhere', ({ skip }) => {
    proves('S2.FR-6.1.detect');
    const { tree, manager } = open({
      'skills/one/run.sh': '',
      'skills/one/main.js': '',
      'skills/one/scripts/deep/also.py': '',
      'skills/one/scripts/data.csv': '',
      'skills/one/lib/module.py': '',
      'skills/one/bin/program': '',
      'skills/one/types.d.ts': '',
    });
    const expected = ['main.js', 'run.sh', 'scripts/deep/also.py', 'scripts/helper.py'];
    expect(manager.listScripts('one').map(({ path }) => path)).toEqual(expected);
    skip(process.platform === 'win32', 'Windows does not mark programs; the rest of this test passed');
    chmodSync(tree.path('skills/one/bin/program'), 0o755);
    chmodSync(tree.path('skills/one/SKILL.md'), 0o755);
    expect(manager.listScripts('one').map(({ path, executable }) => [path, executable])).toEqual([
      ['bin/program', true],
      ...expected.map((path) => [path, false]),
    ]);
  });

  it('are listed in order, up to the limit', () => {
    const { tree } = open(
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`skills/one/data/f${index}`, 'x'])),
    );
    const files = new SkillManager({ cwd: tree.root, limits: { maxListedFiles: 7 } }).listFiles('one');
    expect(files).toHaveLength(7);
    expect(files.map(({ path }) => path)).toEqual(files.map(({ path }) => path).sort());
  });
});

describe('a path that tries to leave the skill', () => {
  it.each([
    '../two/SKILL.md',
    '../../secret.txt',
    'scripts/../../../secret.txt',
    './../two/SKILL.md',
    '..',
    '/etc/passwd',
    '//etc/passwd',
    'C:\\Windows\\win.ini',
    'c:secret.txt',
    '\\\\host\\share\\x',
    '\\etc\\passwd',
    'reference.md\0.png',
    '\0',
    '',
  ])('is refused before anything is read: %j', async (path) => {
    proves('S2.FR-5.3.contained', 'S2.DR-11.1.validate');
    const { manager } = open();
    for (const refusal of await refusals(manager, path)) expect(refusal).toEqual(coded('PathNotAllowed'));
  });

  it('is refused with backslashes', async () => {
    proves('S2.FR-5.3.contained');
    const { manager } = open();
    const expected = process.platform === 'win32' ? 'PathNotAllowed' : 'FileNotFound';
    for (const path of ['..\\..\\secret.txt', 'scripts\\..\\..\\..\\secret.txt']) {
      for (const refusal of await refusals(manager, path)) expect(refusal).toEqual(coded(expected));
    }
  });

  it('is refused if it is absolute, even if the file is inside', async () => {
    const { tree, manager } = open();
    for (const refusal of await refusals(manager, tree.path('skills/one/reference.md')))
      expect(refusal).toEqual(coded('PathNotAllowed'));
  });

  it.each([
    ['a file', 'out.txt', '../../secret.txt', 'out.txt'],
    ['a directory', 'out', '../..', 'out/secret.txt'],
    ['another skill', 'two', '../two', 'two/SKILL.md'],
    ['another link', 'hop', 'step', 'hop'],
  ])('is refused through a link to %s, and the link is not listed', async (_what, link, target, path) => {
    proves('S2.FR-5.3.contained');
    const { tree, manager } = open();
    tree.link(`skills/one/${link}`, target);
    if (target === 'step') tree.link('skills/one/step', '../../secret.txt');
    for (const refusal of await refusals(manager, path)) expect(refusal).toEqual(coded('PathNotAllowed'));
    expect(manager.listFiles('one').map((file) => file.path)).toEqual([
      'SKILL.md',
      'reference.md',
      'scripts/helper.py',
      'templates/deep/er/t.txt',
    ]);
  });

  it('is refused through a link that was made after discovery', async () => {
    const { tree, manager } = open();
    await manager.discover();
    tree.remove('skills/one/reference.md');
    tree.link('skills/one/reference.md', '../../secret.txt');
    for (const refusal of await refusals(manager, 'reference.md')) expect(refusal).toEqual(coded('PathNotAllowed'));
  });

  it('is allowed through a link that stays inside', async () => {
    const { tree, manager } = open();
    tree.link('skills/one/alias.md', 'reference.md');
    expect(await manager.readFile('one', 'alias.md')).toBe(FILES['skills/one/reference.md']);
    expect(manager.listFiles('one').map((file) => file.path)).toContain('alias.md');
  });
});

describe('a file that may hold keys of the host', () => {
  it.each(['.skillwright/gateway.db', '.git/config', 'deep/.skillwright/gateway.db', 'link'])(
    'is not a file of the skill: %s',
    async (path) => {
      const { tree, manager } = open({
        'skills/one/.skillwright/gateway.db': 'key',
        'skills/one/.git/config': 'key',
        'skills/one/deep/.skillwright/gateway.db': 'key',
      });
      tree.link('skills/one/link', '.skillwright/gateway.db');

      for (const refusal of await refusals(manager, path)) expect(refusal).toEqual(coded('PathNotAllowed'));
      expect(manager.listFiles('one').map((file) => file.path)).not.toContain(path);
    },
  );

  it('may be read if the whole skill lies inside such a directory', () => {
    const tree = createSkillTree({
      '.skillwright/skills/one/SKILL.md': goodSkill('one'),
      '.skillwright/skills/one/a.txt': 'a',
    });
    const manager = new SkillManager({ projectSkillDir: `${tree.root}/.skillwright/skills` });

    expect(manager.readFileSync('one', 'a.txt')).toBe('a');
  });
});

describe('a path to something that is not a file', () => {
  it.each(['gone.md', 'scripts/gone.py', 'reference.md/x'])(
    'such as the missing %s is an error that says where it looked',
    async (path) => {
      const { tree, manager } = open();
      for (const refusal of await refusals(manager, path)) expect(refusal).toEqual(coded('FileNotFound'));
      expect(() => manager.readFileSync('one', path)).toThrow(
        `Skill 'one' has no file '${path}' (looked in ${tree.path('skills/one')}).`,
      );
    },
  );

  it('is an error if it is a directory', async () => {
    const { manager } = open();
    expect(() => manager.readFileSync('one', 'scripts')).toThrow(coded('FileUnreadable'));
    await expect(manager.readFile('one', 'scripts')).rejects.toEqual(coded('FileUnreadable'));
  });

  it('does not block if it is a named pipe', async ({ skip }) => {
    const { tree, manager } = open();
    skip(!makeFifo(tree.path('skills/one/pipe')), 'this machine has no named pipes');
    expect(() => manager.readFileSync('one', 'pipe')).toThrow(coded('FileUnreadable'));
    await expect(manager.readFile('one', 'pipe')).rejects.toEqual(coded('FileUnreadable'));
    expect(manager.listFiles('one').map(({ path }) => path)).not.toContain('pipe');
  });

  it('is an error if it is a link to itself or to nothing', async () => {
    const { tree, manager } = open();
    tree.link('skills/one/self', 'self');
    tree.link('skills/one/nothing', 'nowhere');
    for (const refusal of await refusals(manager, 'self')) expect(refusal).toEqual(coded('FileUnreadable'));
    for (const refusal of await refusals(manager, 'nothing')) expect(refusal).toEqual(coded('FileNotFound'));
  });
});
