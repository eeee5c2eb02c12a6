import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../../packages/skillwright/src/index.ts';
import { createTrustStore, type TrustStore } from '../../../packages/skillwright/src/host.ts';
import { createSkillTree, goodSkill, makeFifo, type SkillTree } from '../../support/skill-tree.ts';

const posix = process.platform !== 'win32';

interface Opened {
  readonly tree: SkillTree;
  readonly file: string;
  readonly store: TrustStore;
}

/** A store beside a project, in its own home directory. */
function open(files: Readonly<Record<string, string>> = {}): Opened {
  const tree = createSkillTree({ 'home/me/': '', 'project/skills/deploy/SKILL.md': goodSkill('deploy'), ...files });
  chmodSync(tree.root, 0o700);
  const file = tree.path('home/me/.config/skillwright/trust.json');
  return { tree, file, store: createTrustStore(file, { home: tree.path('home/me') }) };
}

const content = (...entries: object[]): string => JSON.stringify({ version: 1, entries });
const entry = (path: string, level = 'trusted'): object => ({ path, level, at: '2026-01-01T00:00:00.000Z' });

/** A store over a file with this text. */
function openText(text: string, mode = 0o600): Opened {
  const opened = open({ 'home/me/.config/skillwright/trust.json': text });
  chmodSync(opened.tree.path('home/me/.config/skillwright'), 0o700);
  chmodSync(opened.file, mode);
  return opened;
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { code?: unknown }) => error.code,
  );

describe('a trust store', () => {
  it('is empty and creates no file until something is recorded', async () => {
    const { store, tree, file } = open();
    expect(store.levelOf(tree.path('project'))).toBeUndefined();
    expect({ entries: store.entries(), diagnostics: store.diagnostics }).toEqual({ entries: [], diagnostics: [] });
    expect(await store.remove(tree.path('project'))).toBe(false);
    expect(existsSync(file)).toBe(false);
  });

  it('remembers records for every store on the same file', async () => {
    const { store, tree, file } = open();
    const recorded = await store.set(tree.path('project'), 'trusted');
    expect(recorded).toMatchObject({ path: tree.path('project'), level: 'trusted' });
    expect(new Date(recorded.at).toISOString()).toBe(recorded.at);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, entries: [recorded] });
    const other = createTrustStore(file);
    expect(other.levelOf(tree.path('project/skills/deploy'))).toBe('trusted');
    await other.set(tree.path('project'), 'blocked');
    expect(store.entries()).toMatchObject([{ path: tree.path('project'), level: 'blocked' }]);
  });

  it('gives a directory the nearest record above it', async () => {
    const { store, tree } = open({ 'project/skills/deploy/deep/x': '', 'project/skills-2/x': '' });
    await store.set(tree.path('project/skills'), 'blocked');
    await store.set(tree.path('project/skills/deploy'), 'trusted');
    expect(store.levelOf(tree.path('project'))).toBeUndefined();
    expect(store.levelOf(tree.path('project/skills'))).toBe('blocked');
    expect(store.levelOf(tree.path('project/skills/other'))).toBe('blocked');
    expect(store.levelOf(tree.path('project/skills/deploy/deep'))).toBe('trusted');
    expect(store.levelOf(tree.path('project/skills-2'))).toBeUndefined();
  });

  it('does not trust a path that climbs out of a trusted directory, or an invalid path', async () => {
    const { store, tree } = open();
    await store.set(tree.path('project'), 'trusted');
    expect(store.levelOf(`${tree.path('project')}/../elsewhere`)).toBeUndefined();
    expect(store.levelOf(`${tree.path('project')}/skills/../..`)).toBeUndefined();
    expect(store.levelOf('memory:/project')).toBeUndefined();
    expect(store.levelOf('')).toBeUndefined();
  });

  it('removes records, also of a directory that is gone', async () => {
    const { store, tree } = open();
    await store.set(tree.path('project'), 'trusted');
    await store.set(tree.path('project/skills'), 'blocked');
    tree.remove('project/skills');
    expect(await store.remove(tree.path('project/skills'))).toBe(true);
    expect(await store.remove(tree.path('project/skills'))).toBe(false);
    expect(store.entries().map(({ path }) => path)).toEqual([tree.path('project')]);
  });

  it('notices at once that another process removed a record', async () => {
    const { store, tree, file } = open();
    await store.set(tree.path('project'), 'trusted');
    expect(store.levelOf(tree.path('project'))).toBe('trusted');
    await createTrustStore(file).remove(tree.path('project'));
    expect(store.levelOf(tree.path('project'))).toBeUndefined();
  });

  it.skipIf(!posix)('restricts its file and directory to the user', async () => {
    const { store, tree, file } = open();
    await store.set(tree.path('project'), 'trusted');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(tree.path('home/me/.config/skillwright')).mode & 0o777).toBe(0o700);
    expect(readdirSync(tree.path('home/me/.config/skillwright'))).toEqual(['trust.json']);
  });

  it.skipIf(!posix)('writes through a link to the file and keeps the link', async () => {
    const { tree } = open({ 'dotfiles/trust.json': content() });
    chmodSync(tree.path('dotfiles'), 0o700);
    chmodSync(tree.path('dotfiles/trust.json'), 0o600);
    tree.link('home/me/trust.json', '../../dotfiles/trust.json');
    const store = createTrustStore(tree.path('home/me/trust.json'));
    await store.set(tree.path('project'), 'trusted');
    expect(readFileSync(tree.path('dotfiles/trust.json'), 'utf8')).toContain(tree.path('project'));
    expect(store.levelOf(tree.path('project'))).toBe('trusted');
    expect(await codeOf(store.set(tree.path('dotfiles'), 'trusted'))).toBe('TrustNotAllowed');
  });

  it.each(['relative/trust.json', '', '/with\0nul', 7])('rejects the path %j', (path) => {
    expect(() => createTrustStore(path as string)).toThrow(
      expect.objectContaining({ code: 'InvalidOptions' }) as Error,
    );
  });
});

describe('recording', () => {
  const linkToHome = ({ tree }: Opened): string => {
    tree.link('way', 'home/me');
    return tree.path('way');
  };

  it.each([
    ['the root of the file system', () => '/'],
    ['the home directory', ({ tree }: Opened) => tree.path('home/me')],
    ['a directory above the home directory', ({ tree }: Opened) => tree.path('home')],
    ['the home directory by a link', linkToHome],
    ['the directory of the trust file', ({ tree }: Opened) => tree.path('home/me/.config/skillwright')],
    ['a directory above the trust file', ({ tree }: Opened) => tree.path('home/me/.config')],
    ['a missing directory', ({ tree }: Opened) => tree.path('nowhere')],
    ['a file', ({ tree }: Opened) => tree.path('project/skills/deploy/SKILL.md')],
  ])('refuses to trust %s', async (_what, pathOf) => {
    const opened = openText(content());
    const path = pathOf(opened);
    await expect(opened.store.set(path, 'trusted')).rejects.toMatchObject({
      code: 'TrustNotAllowed',
      message: expect.stringMatching(/cannot be (?:trusted|recorded): /) as string,
    });
    expect(opened.store.entries()).toEqual([]);
  });

  it('refuses a trust file that would lie in the trusted directory, before the file exists', async () => {
    const { tree } = open();
    const store = createTrustStore(tree.path('project/.config/deep/trust.json'));
    expect(await codeOf(store.set(tree.path('project'), 'trusted'))).toBe('TrustNotAllowed');
    expect(existsSync(tree.path('project/.config'))).toBe(false);
  });

  it('may block directories that it cannot trust', async () => {
    const { store, tree } = open();
    await store.set(tree.path('home'), 'blocked');
    expect(store.levelOf(tree.path('home/me/x'))).toBe('blocked');
  });

  it('accepts only the two levels that are valid in a file', async () => {
    const { store, tree } = open();
    expect(await codeOf(store.set(tree.path('project'), 'untrusted' as 'trusted'))).toBe('InvalidOptions');
  });
});

describe('a directory that was trusted', () => {
  const trustOf = ({ tree, store }: Opened, path: string): unknown =>
    new SkillManager({
      projectSkillDir: tree.path(path),
      trust: ({ realDir }) => store.levelOf(realDir) ?? 'untrusted',
    }).listSkills()[0]?.trust;

  it('is trusted through every path that leads to it', async () => {
    const opened = open();
    await opened.store.set(opened.tree.path('project/skills'), 'trusted');
    symlinkSync(opened.tree.path('project'), opened.tree.path('way'));
    expect(trustOf(opened, 'project/skills')).toBe('trusted');
    expect(trustOf(opened, 'way/skills')).toBe('trusted');
  });

  it('is recorded by its real path, so that the link in the given path may change', async () => {
    const opened = open({ 'evil/skills/deploy/SKILL.md': goodSkill('deploy') });
    opened.tree.link('way', 'project');
    await opened.store.set(opened.tree.path('way/skills'), 'trusted');
    opened.tree.remove('way');
    opened.tree.link('way', 'evil');
    expect(trustOf(opened, 'way/skills')).toBe('untrusted');
    expect(trustOf(opened, 'project/skills')).toBe('trusted');
  });

  it('is no longer trusted after it moved, and neither is the target of a link in its place', async () => {
    const opened = open({ 'evil/deploy/SKILL.md': goodSkill('deploy') });
    const { tree } = opened;
    await opened.store.set(tree.path('project/skills'), 'trusted');
    renameSync(tree.path('project/skills'), tree.path('project/moved'));
    expect(trustOf(opened, 'project/moved')).toBe('untrusted');
    tree.link('project/skills', '../evil');
    expect(trustOf(opened, 'project/skills')).toBe('untrusted');
  });

  it('does not extend trust to targets of links that lead out of it', async () => {
    const opened = open({ 'evil/SKILL.md': goodSkill('evil') });
    opened.tree.remove('project/skills/deploy');
    opened.tree.link('project/skills/evil', '../../evil');
    await opened.store.set(opened.tree.path('project/skills'), 'trusted');
    const manager = new SkillManager({
      projectSkillDir: opened.tree.path('project/skills'),
      followOutside: true,
      trust: ({ realDir }) => opened.store.levelOf(realDir) ?? 'untrusted',
    });
    expect(manager.listSkills()).toMatchObject([{ name: 'evil', trust: 'untrusted' }]);
  });
});

describe('a trust file that is', () => {
  const good = (tree: SkillTree): string => content(entry(tree.path('project')));

  it.each([
    ['empty', ''],
    ['cut off', '{ "version": 1, "entries": [{ "path": "/a"'],
    ['a list', '[]'],
    ['null', 'null'],
    ['of a later version', '{ "version": 2, "entries": [] }'],
    ['without entries', '{ "version": 1 }'],
    ['with an entry that is not an object', content(entry('/a'), null as unknown as object)],
    ['with a relative path', content(entry('a'))],
    ['with a path that holds NUL', content(entry('/a\0b'))],
    ['with an unknown level', content(entry('/a', 'very-trusted'))],
    ['with an entry without a time', content({ path: '/a', level: 'trusted' })],
    ['not text', '\u0000\u0001'],
  ])('%s trusts nothing, reports the problem and is left unchanged', async (_what, text) => {
    const { store, tree, file } = openText(text);
    expect(store.levelOf(tree.path('project'))).toBe('untrusted');
    expect(store.levelOf('/a')).toBe('untrusted');
    expect(store.entries()).toEqual([]);
    expect(store.diagnostics).toMatchObject([{ code: 'trust-file-invalid', severity: 'error', path: file }]);
    await expect(store.set(tree.path('project'), 'trusted')).rejects.toMatchObject({ code: 'TrustFileUnusable' });
    await expect(store.remove(tree.path('project'))).rejects.toMatchObject({ code: 'TrustFileUnusable' });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('larger than any trust file is not read', () => {
    const { store } = openText(`${content()}${' '.repeat(5_000_000)}`);
    expect(store.diagnostics[0]?.message).toContain('the limit is');
  });

  it('a directory or a pipe does not block', async () => {
    const { tree } = open({ 'home/me/dir/trust.json/x': '' });
    const directory = createTrustStore(tree.path('home/me/dir/trust.json'));
    expect(directory.levelOf('/a')).toBe('untrusted');
    expect(await codeOf(directory.set(tree.path('project'), 'trusted'))).toBe('TrustFileUnusable');
    if (!makeFifo(tree.path('home/me/pipe'))) return;
    expect(createTrustStore(tree.path('home/me/pipe')).diagnostics).toMatchObject([{ code: 'trust-file-invalid' }]);
  });

  it('repaired counts again', () => {
    const { store, tree, file } = openText('{');
    expect(store.diagnostics).toHaveLength(1);
    tree.write({ 'home/me/.config/skillwright/trust.json': good(tree) });
    expect(createTrustStore(file).levelOf(tree.path('project'))).toBe('trusted');
  });

  it.skipIf(!posix).each([0o620, 0o602, 0o666])(
    'writable by others (%o) trusts nothing and is not written',
    async (mode) => {
      const { store, tree, file } = openText('x');
      tree.write({ 'home/me/.config/skillwright/trust.json': good(tree) });
      chmodSync(file, mode);
      expect(store.levelOf(tree.path('project'))).toBe('untrusted');
      expect(store.diagnostics).toMatchObject([{ code: 'trust-file-unsafe', hint: `chmod 600 '${file}'` }]);
      await expect(store.set(tree.path('project'), 'trusted')).rejects.toThrow(/can be changed by other users/);
    },
  );

  it.skipIf(!posix)('in a directory writable by others trusts nothing, and no file is created there', async () => {
    const { store, tree, file } = openText(content());
    chmodSync(tree.path('home/me/.config/skillwright'), 0o777);
    expect(store.diagnostics).toMatchObject([{ code: 'trust-file-unsafe' }]);
    tree.remove('home/me/.config/skillwright/trust.json');
    expect(await codeOf(createTrustStore(file).set(tree.path('project'), 'trusted'))).toBe('TrustFileUnusable');
    expect(existsSync(file)).toBe(false);
  });

  it.skipIf(process.getuid?.() !== 0)('owned by another user trusts nothing', () => {
    const { store, file } = openText(content());
    chownSync(file, 65_534, 65_534);
    expect(store.diagnostics[0]?.message).toContain('belongs to another user');
  });

  it('contradictory is read as the stricter level', () => {
    const { store } = openText(content(entry('/a', 'trusted'), entry('/a', 'blocked'), entry('/a', 'trusted')));
    expect(store.levelOf('/a')).toBe('blocked');
  });

  it.skipIf(!posix || process.getuid?.() === 0)('not writable gives the reason', async () => {
    const { store, tree } = openText(content());
    chmodSync(tree.path('home/me/.config/skillwright'), 0o500);
    expect(await codeOf(store.set(tree.path('project'), 'trusted'))).toBe('TrustFileUnusable');
  });
});

describe('concurrent writers of records', () => {
  const program = (file: string, path: string): string => `
    import { createTrustStore } from ${JSON.stringify(new URL('../../../packages/skillwright/src/host.ts', import.meta.url).href)};
    await createTrustStore(${JSON.stringify(file)}).set(${JSON.stringify(path)}, 'trusted');
  `;

  it('lose nothing in one process', async () => {
    const { store, tree, file } = open();
    const paths = Array.from({ length: 20 }, (_, index) => `many/d${index}`);
    tree.write(Object.fromEntries(paths.map((path) => [`${path}/`, ''])));
    await Promise.all(paths.map((path) => createTrustStore(file).set(tree.path(path), 'trusted')));
    expect(store.entries().map(({ path }) => path)).toEqual(paths.map((path) => tree.path(path)).sort());
  });

  it('lose nothing in several processes', async () => {
    const { store, tree, file } = open();
    const paths = Array.from({ length: 4 }, (_, index) => `many/d${index}`);
    tree.write(Object.fromEntries(paths.map((path) => [`${path}/`, ''])));
    const ended = paths.map(async (path) => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program(file, tree.path(path))]);
      return (await once(child, 'close'))[0] as number;
    });
    expect(await Promise.all(ended)).toEqual(paths.map(() => 0));
    expect(store.entries()).toHaveLength(4);
    expect(readdirSync(tree.path('home/me/.config/skillwright'))).toEqual(['trust.json']);
  });

  it('take over the lock of a process that has ended', async () => {
    const { store, tree, file } = openText(content());
    const { pid } = spawnSync(process.execPath, ['--version']);
    tree.write({ 'home/me/.config/skillwright/trust.json.lock': `${pid} ${hostname()}` });
    await store.set(tree.path('project'), 'trusted');
    expect(store.levelOf(tree.path('project'))).toBe('trusted');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});
