import { spawnSync } from 'node:child_process';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SkillDiscoveryResult } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { discoverHostile, othersIn } from '../support/hostile-discovery.ts';
import { createSkillTree, goodSkill, makeFifo } from '../support/skill-tree.ts';

describe('a root', () => {
  it('may be missing', async () => {
    proves('S2.FR-1.5.graceful', 'S2.EH-1.discovery', 'S2.TR-1.discovery');
    const { found, diagnostics } = await discoverHostile(createSkillTree(), {
      additionalSearchPaths: ['./missing'],
      userDirs: ['~/nowhere'],
    });
    expect(found.map(([code]) => code)).toEqual(['root-missing', 'root-missing']);
    expect(diagnostics.map(({ path }) => path)).toEqual([
      expect.stringContaining('missing'),
      expect.stringContaining('nowhere'),
    ]);
  });

  it('may be a file', async () => {
    const tree = createSkillTree({ 'skills-file': 'I am a file.' });
    const { diagnostics } = await discoverHostile(tree, { additionalSearchPaths: ['./skills-file'] });
    expect(diagnostics).toMatchObject([{ code: 'root-unreadable', path: tree.path('skills-file') }]);
  });

  it('may be a named pipe', async ({ skip }) => {
    const tree = createSkillTree();
    skip(!makeFifo(tree.path('pipe')), 'this machine has no named pipes');
    const { diagnostics } = await discoverHostile(tree, { additionalSearchPaths: ['./pipe'] });
    expect(diagnostics).toMatchObject([{ code: 'root-unreadable', path: tree.path('pipe') }]);
  });

  it('may be a link to itself, or to nothing', async () => {
    const tree = createSkillTree();
    tree.link('self', 'self');
    tree.link('nothing', 'nowhere');
    const { found } = await discoverHostile(tree, { additionalSearchPaths: ['self', 'nothing'] });
    expect(found.map(([code]) => code)).toEqual(['root-missing', 'root-unreadable']);
  });

  it('may have a path that is longer than the system allows', async () => {
    const { found } = await discoverHostile(createSkillTree(), {
      additionalSearchPaths: [`./${'x/'.repeat(5_000)}`, `./${'y'.repeat(5_000)}`],
    });
    expect(found.map(([code]) => code.replace('missing', 'unreadable'))).toEqual([
      'root-unreadable',
      'root-unreadable',
    ]);
  });
});

describe('an unreadable directory', () => {
  /** Discovers in a process of the user `nobody`, because root can read everything. */
  function discoverAsNobody(root: string): { result?: SkillDiscoveryResult; problem: string } {
    const index = new URL('../../packages/skillwright/src/index.ts', import.meta.url).href;
    const script = `const { SkillManager } = await import(${JSON.stringify(index)});
      const options = { cwd: ${JSON.stringify(root)}, additionalSearchPaths: ['shut-root'] };
      const sync = new SkillManager(options).discoverSync();
      const result = await new SkillManager(options).discover();
      process.stdout.write(JSON.stringify(JSON.stringify(sync) === JSON.stringify(result) ? result : null));`;
    const isRoot = process.getuid?.() === 0;
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: '/',
      encoding: 'utf8',
      ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
    });
    if (run.status !== 0) return { problem: `another user cannot run this project here: ${run.stderr.slice(0, 200)}` };
    return { problem: '', result: JSON.parse(run.stdout) as SkillDiscoveryResult };
  }

  it('gives a diagnostic, and its neighbors are found', ({ skip, onTestFinished }) => {
    proves('S2.OP-8.permission', 'S2.FR-1.5.graceful', 'S2.EH-1.discovery');
    skip(process.platform === 'win32', 'permissions are not kept from the owner on Windows');
    const tree = createSkillTree({
      'skills/good/SKILL.md': goodSkill('good'),
      'skills/shut/inner/SKILL.md': goodSkill('inner'),
      'skills/unlisted/SKILL.md': goodSkill('unlisted'),
      'skills/unread/SKILL.md': goodSkill('unread'),
      'shut-root/x/SKILL.md': goodSkill('x'),
    });
    const shut = ['skills/shut', 'skills/unread/SKILL.md', 'shut-root', 'skills/unlisted'].map((path) =>
      tree.path(path),
    );
    chmodSync(tree.root, 0o755);
    for (const path of shut) chmodSync(path, 0);
    chmodSync(tree.path('skills/unlisted'), 0o111);
    onTestFinished(() => shut.forEach((path) => chmodSync(path, 0o755)));
    const { result, problem } = discoverAsNobody(tree.root);
    skip(result === undefined, problem);
    // A directory that may be entered but not listed still gives access to its SKILL.md.
    expect(result?.skills.map(({ name }) => name)).toEqual(['good', 'unlisted']);
    expect(result?.diagnostics.map(({ code, path }) => [code, path]).sort()).toEqual([
      ['directory-unreadable', tree.path('skills/shut')],
      ['root-unreadable', tree.path('shut-root')],
      ['skill-file-unreadable', tree.path('skills/unread/SKILL.md')],
    ]);
  });
});

describe('a SKILL.md', () => {
  it('may be a directory', async () => {
    proves('S2.OP-8.skill-md-dir');
    const result = await discoverHostile(
      createSkillTree({ 'skills/odd/SKILL.md/': '', 'skills/odder/skill.md/SKILL.md': goodSkill('odder') }),
    );
    expect(othersIn(result)).toEqual([]);
    expect(result.found).toEqual([
      ['skill-file-directory', 'odd/SKILL.md'],
      ['skill-file-directory', 'odder/skill.md'],
    ]);
    expect(result.diagnostics[0]?.severity).toBe('warning');
  });

  it('may be a named pipe, or a link to one', async ({ skip }) => {
    const tree = createSkillTree({ 'skills/pipe/': '', 'skills/link/': '' });
    skip(!makeFifo(tree.path('skills/pipe/SKILL.md')), 'this machine has no named pipes');
    tree.link('skills/link/SKILL.md', '../pipe/SKILL.md');
    const result = await discoverHostile(tree);
    expect(othersIn(result)).toEqual([]);
    expect(result.found).toEqual([
      ['skill-file-special', 'link/SKILL.md'],
      ['skill-file-special', 'pipe/SKILL.md'],
    ]);
  });

  it('may be a device', async ({ skip }) => {
    skip(process.platform === 'win32', 'there is no /dev on Windows');
    const tree = createSkillTree({ 'skills/zero/': '' });
    tree.link('skills/zero/SKILL.md', '/dev/zero');
    const result = await discoverHostile(tree, { followOutside: true });
    expect(othersIn(result)).toEqual([]);
    expect(result.found).toEqual([['skill-file-special', 'zero/SKILL.md']]);
  });

  it.for(['a directory', 'a pipe', 'a broken link'])(
    'does not hide the skills below its directory if it is %s',
    async (what, { skip }) => {
      const tree = createSkillTree({ 'skills/group/inner/SKILL.md': goodSkill('inner') });
      if (what === 'a directory') tree.write({ 'skills/group/SKILL.md/': '' });
      else if (what === 'a broken link') tree.link('skills/group/SKILL.md', 'nowhere');
      else skip(!makeFifo(tree.path('skills/group/SKILL.md')), 'this machine has no named pipes');
      const result = await discoverHostile(tree);
      expect(result.found.map(([, path]) => path)).toEqual(['group/SKILL.md']);
      expect(othersIn(result)).toEqual(['inner']);
    },
  );

  it('may lie beside a tools.json that is a pipe, a directory, or a link to outside', async () => {
    const tree = createSkillTree({
      'skills/piped/SKILL.md': goodSkill('piped'),
      'skills/dir/SKILL.md': goodSkill('dir'),
      'skills/dir/tools.json/': '',
      'skills/linked/SKILL.md': goodSkill('linked'),
      'secret.json': '[{ "name": "stolen", "description": "From outside." }]',
    });
    makeFifo(tree.path('skills/piped/tools.json'));
    tree.link('skills/linked/tools.json', '../../secret.json');
    const result = await discoverHostile(tree);
    expect(othersIn(result)).toEqual(['dir', 'linked', 'piped']);
    expect(result.manager.snapshot.tools.size).toBe(0);
    expect(result.found).toContainEqual(['tools-invalid', 'linked/tools.json']);
  });

  it('may lie beside a plugin manifest that is a pipe', async ({ skip }) => {
    const tree = createSkillTree({ 'kit/.claude-plugin/': '', 'kit/skills/one/SKILL.md': goodSkill('one') });
    skip(!makeFifo(tree.path('kit/.claude-plugin/plugin.json')), 'this machine has no named pipes');
    const { diagnostics } = await discoverHostile(tree, { pluginDirs: ['kit'] });
    expect(diagnostics).toMatchObject([{ code: 'plugin-invalid', path: tree.path('kit/.claude-plugin/plugin.json') }]);
  });
});

describe('many entries', () => {
  it('may be 5,000 files in one directory', async () => {
    const tree = createSkillTree({ 'skills/heap/': '' });
    for (let index = 0; index < 5_000; index += 1) writeFileSync(tree.path('skills/heap', `file-${index}.txt`), '');
    tree.write({ 'skills/heap/inner/SKILL.md': goodSkill('inner') });
    const result = await discoverHostile(tree);
    expect(othersIn(result)).toEqual(['inner']);
    expect(result.diagnostics).toEqual([]);
  });

  it('may be 500 links to one directory', async () => {
    const tree = createSkillTree({ 'skills/real/SKILL.md': goodSkill('real') });
    for (let index = 0; index < 500; index += 1) tree.link(`skills/link-${index}`, 'real');
    const result = await discoverHostile(tree);
    expect(othersIn(result)).toEqual(['real']);
  });

  it('may be links that multiply: each level links twice to the next', async () => {
    const tree = createSkillTree({ 'skills/level-20/end/SKILL.md': goodSkill('end') });
    for (let level = 0; level < 20; level += 1) {
      tree.link(`skills/level-${level}/a`, `../level-${level + 1}`);
      tree.link(`skills/level-${level}/b`, `../level-${level + 1}`);
    }
    const result = await discoverHostile(tree);
    expect(othersIn(result)).toEqual(['end']);
  });

  it('may be 300 skills of one name: one wins, and the others are shadowed', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `skills/dir-${String(index).padStart(3, '0')}/SKILL.md`,
        goodSkill('same'),
      ]),
    );
    const result = await discoverHostile(createSkillTree(files));
    expect(othersIn(result)).toEqual(['same']);
    expect(result.of('skill-shadowed')).toHaveLength(299);
    expect(result.skills.find(({ name }) => name === 'same')?.directoryName).toBe('dir-000');
  });
});

it('cannot lead a walk of links out of its root', async () => {
  const tree = createSkillTree({ 'outside/secret/SKILL.md': goodSkill('secret') });
  for (const [index, target] of ['..', '../..', '../outside', '/', '../skills/../outside'].entries())
    tree.link(`skills/out-${index}`, target);
  tree.link('skills/loop', '.');
  const result = await discoverHostile(tree);
  expect(othersIn(result)).toEqual([]);
  expect(result.found).toHaveLength(6);
  expect(statSync(tree.path('outside/secret/SKILL.md')).isFile()).toBe(true);
});
