import { chmodSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { decodeHeads, encodeHeads } from '../../../packages/skillwright/src/catalog/index-cache/heads.ts';
import { createIndexCache } from '../../../packages/skillwright/src/catalog/index-cache/index-cache.ts';
import { KnownFileList } from '../../../packages/skillwright/src/catalog/snapshot/known-files.ts';
import { readingKey } from '../../../packages/skillwright/src/catalog/snapshot/known-skills.ts';
import { DEFAULT_LIMITS } from '../../../packages/skillwright/src/spec/limits.ts';
import {
  createMemorySource,
  SkillManager,
  type SkillManagerOptions,
  type TrustLevel,
} from '../../../packages/skillwright/src/index.ts';
import { createRuntime, type Snapshot } from '../../../packages/skillwright/src/host.ts';
import { driveSync } from '../../../packages/skillwright/src/sources/directory/drive.ts';
import { silentLogger } from '../../../packages/skillwright/src/spec/events/logger.ts';
import { settleFiles, tick } from '../../support/settled-clock.ts';
import { createSkillTree, goodSkill, makeFifo, skillText, type SkillTree } from '../../support/skill-tree.ts';

const TOOLS = JSON.stringify([
  { name: 'run_it', description: 'Runs it.', script: 'scripts/run.mjs', parameters: { path: { type: 'string' } } },
  { name: 'lost', description: 'Has lost its script.', script: 'scripts/gone.mjs' },
]);

/** A tree with an example of everything a discovery can encounter. */
function createVariedTree(): SkillTree {
  const tree = createSkillTree({
    'skills/plain/SKILL.md': goodSkill('plain'),
    'skills/group/inner/SKILL.md': goodSkill('inner'),
    'skills/group/deep/er/SKILL.md': goodSkill('er'),
    'skills/odd/SKILL.md': skillText({
      name: 'odd',
      description: 'Holds values that are hard to keep.',
      tags: '[a, b]',
      metadata: '{ inf: .inf, nan: .nan, zero: -0.0, __proto__: { x: 1 }, nested: [1, { y: null }] }',
      custom: '{ "é": "\\u0000\\ud800" }',
    }),
    'skills/warned/SKILL.md': skillText({ name: 'Other Name', description: 'Is not called as its directory.' }),
    'skills/alias/SKILL.md': skillText({ name: 'kit:alias', description: 'Has a name with a colon.' }),
    'skills/refused/SKILL.md': '',
    'skills/malformed/SKILL.md': Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe, 0x0a, 0x2d, 0x2d, 0x2d]),
    'skills/bare/SKILL.md': '# Bare\n\nHas no frontmatter.\n',
    'skills/long/SKILL.md': goodSkill('long', `Is long. ${'x'.repeat(6_000)}`),
    'skills/huge/SKILL.md': `${goodSkill('huge')}${'y'.repeat(20_000)}`,
    'skills/tooled/SKILL.md': goodSkill('tooled'),
    'skills/tooled/tools.json': TOOLS,
    'skills/tooled/scripts/run.mjs': 'export default () => 1;\n',
    'skills/broken-tools/SKILL.md': goodSkill('broken-tools'),
    'skills/broken-tools/tools.json': '[{',
    'skills/spelt/Skill.md': goodSkill('spelt'),
    'skills/twice/SKILL.md': goodSkill('twice'),
    'skills/twice/skill.md': goodSkill('twice'),
    'skills/a-directory/SKILL.md/': '',
    'elsewhere/linked/SKILL.md': goodSkill('linked'),
    'elsewhere/file.md': goodSkill('by-file'),
    'plugin/.claude-plugin/plugin.json': JSON.stringify({ name: 'kit' }),
    'plugin/skills/plain/SKILL.md': goodSkill('plain', 'Is the plugin’s.'),
    'more/plain/SKILL.md': goodSkill('plain', 'Is hidden.'),
  });
  tree.link('skills/by-link', '../elsewhere/linked');
  tree.link('skills/again', 'group');
  tree.link('skills/nowhere', 'not/there');
  tree.link('skills/by-file/SKILL.md', '../../elsewhere/file.md');
  return tree;
}

function optionsFor(tree: SkillTree): SkillManagerOptions {
  return {
    projectSkillDir: tree.path('skills'),
    pluginDirs: [tree.path('plugin')],
    additionalSearchPaths: [tree.path('more')],
    followOutside: true,
    limits: { maxSkillBytes: 16_000 },
  };
}

/** The full content of a snapshot. */
function contentOf(snapshot: Snapshot): unknown {
  const { skills, shadowed, refused, blocked, tools, diagnostics } = snapshot;
  return { skills, shadowed, refused, blocked, tools: [...tools], diagnostics };
}

/** What a new manager finds, like one in another process. */
function discover(options: SkillManagerOptions): unknown {
  const manager = new SkillManager(options);
  manager.discoverSync();
  return contentOf(manager.snapshot);
}

describe('an index cache', () => {
  it.each([
    ['', {}],
    [', strictly', { strict: true }],
    [', thoroughly', { thorough: true }],
  ])('gives the same result as a discovery without one%s', async (_, more) => {
    settleFiles();
    const tree = createVariedTree();
    const options = { ...optionsFor(tree), ...more };
    const cached = { ...options, indexCache: tree.path('cache/skills.idx') };
    const fresh = discover(options);
    expect(discover(cached)).toStrictEqual(fresh);
    expect(statSync(cached.indexCache).size).toBeGreaterThan(1_000);
    expect(discover(cached)).toStrictEqual(fresh);
    const manager = new SkillManager(cached);
    await manager.discover();
    expect(contentOf(manager.snapshot)).toStrictEqual(fresh);
  });

  it('opens no unchanged SKILL.md or tools.json', () => {
    settleFiles();
    const tree = createSkillTree({
      'skills/a/SKILL.md': goodSkill('a', 'As it is.'),
      'skills/a/tools.json': '[{ "name": "say", "description": "As it is." }]',
      'skills/b/SKILL.md': goodSkill('b', 'As it is.'),
    });
    const options = { projectSkillDir: tree.path('skills'), indexCache: tree.path('skills.idx') };
    discover(options);
    tamper(options.indexCache);
    tree.write({ 'skills/b/SKILL.md': goodSkill('b', 'As it is.') });
    tick(tree.path('skills/b/SKILL.md'));
    const manager = new SkillManager(options);
    expect(manager.listSkills().map(({ description }) => description)).toEqual(['From the cache.', 'As it is.']);
    expect(manager.getSkill('a').tools[0]?.description).toBe('From the cache.');
    expect(Object.isFrozen(manager.getSkill('a').tools)).toBe(true);
  });

  it("never serves a file's old content, however quickly the file is rewritten", () => {
    const tree = createSkillTree({ 'skills/a/SKILL.md': '' });
    const options = { projectSkillDir: tree.path('skills'), indexCache: tree.path('skills.idx') };
    for (let round = 0; round < 60; round += 1) {
      const description = `Version ${String(round).padStart(2, '0')}.`;
      tree.write({ 'skills/a/SKILL.md': goodSkill('a', description) });
      expect(new SkillManager(options).getSkill('a').description).toBe(description);
    }
    expect(existsSync(options.indexCache)).toBe(false);
  });

  it.each<[string, (tree: SkillTree) => void]>([
    ['is edited', (tree) => tree.write({ 'skills/a/SKILL.md': goodSkill('a', 'Edited!') })],
    ['is emptied', (tree) => tree.write({ 'skills/a/SKILL.md': '' })],
    ['is removed', (tree) => tree.remove('skills/a/SKILL.md')],
    ['goes with its directory', (tree) => tree.remove('skills/a')],
    [
      'becomes a directory',
      (tree) => {
        tree.remove('skills/a/SKILL.md');
        tree.write({ 'skills/a/SKILL.md/': '' });
      },
    ],
    [
      'becomes a link',
      (tree) => {
        tree.remove('skills/a/SKILL.md');
        tree.link('skills/a/SKILL.md', '../b/SKILL.md');
      },
    ],
    [
      'gets another spelling',
      (tree) => {
        tree.remove('skills/a/SKILL.md');
        tree.write({ 'skills/a/skill.MD': goodSkill('a') });
      },
    ],
    ['gets tools', (tree) => tree.write({ 'skills/a/tools.json': TOOLS })],
    ['gets other tools', (tree) => tree.write({ 'skills/b/tools.json': '[]' })],
    ['loses its tools', (tree) => tree.remove('skills/b/tools.json')],
    ['loses the script of a tool', (tree) => tree.remove('skills/b/scripts')],
    ['is added', (tree) => tree.write({ 'skills/c/SKILL.md': goodSkill('c') })],
  ])('gives the current state after a skill %s', (_, change) => {
    settleFiles();
    const tree = createSkillTree({
      'skills/a/SKILL.md': goodSkill('a'),
      'skills/b/SKILL.md': goodSkill('b'),
      'skills/b/tools.json': TOOLS,
      'skills/b/scripts/run.mjs': '',
    });
    const options = { projectSkillDir: tree.path('skills') };
    const cached = { ...options, indexCache: tree.path('skills.idx') };
    discover(cached);
    change(tree);
    for (const file of ['skills/a/SKILL.md', 'skills/b/tools.json'])
      if (existsSync(tree.path(file))) tick(tree.path(file));
    const fresh = discover(options);
    expect(discover(cached)).toStrictEqual(fresh);
    expect(discover(cached)).toStrictEqual(fresh);
  });

  it('is not used for a discovery with other settings, which rebuilds it', () => {
    settleFiles();
    const tree = createVariedTree();
    const options = { ...optionsFor(tree), indexCache: tree.path('skills.idx') };
    const { indexCache: _, ...uncached } = options;
    discover(options);
    for (const more of [{ strict: true }, { limits: { maxFrontmatterBytes: 5_000 } }, { limits: { headBytes: 64 } }])
      expect(discover({ ...options, ...more })).toStrictEqual(discover({ ...uncached, ...more }));
    expect(discover(options)).toStrictEqual(discover(uncached));
  });

  it('does not store trust, which is decided at every discovery', () => {
    settleFiles();
    const tree = createSkillTree({ 'skills/a/SKILL.md': goodSkill('a'), 'skills/b/SKILL.md': goodSkill('b') });
    let level: TrustLevel = 'trusted';
    const asked: string[] = [];
    const open = (): Snapshot =>
      new SkillManager({
        projectSkillDir: tree.path('skills'),
        indexCache: tree.path('skills.idx'),
        trust: ({ realDir }) => {
          asked.push(realDir);
          return realDir === tree.path('skills/a') ? level : 'trusted';
        },
      }).snapshot;
    expect(open().find('a')?.metadata.trust).toBe('trusted');
    level = 'untrusted';
    expect(open().find('a')?.metadata.trust).toBe('untrusted');
    level = 'blocked';
    expect(open().blocked.map(({ name }) => name)).toEqual(['a']);
    level = 'trusted';
    expect(open().find('a')?.metadata.trust).toBe('trusted');
    expect(asked).toHaveLength(8);
  });

  it("lies in the user's cache directory unless a path is given, with one file for each set of directories", () => {
    settleFiles();
    const tree = createSkillTree({ 'one/a/SKILL.md': goodSkill('a'), 'two/b/SKILL.md': goodSkill('b') });
    vi.stubEnv('XDG_CACHE_HOME', tree.path('cache'));
    discover({ projectSkillDir: tree.path('one'), indexCache: true });
    discover({ projectSkillDir: tree.path('two'), indexCache: true });
    discover({ projectSkillDir: tree.path('two'), indexCache: true });
    vi.unstubAllEnvs();
    const files = readdirSync(tree.path('cache/skillwright/index'));
    expect(files).toHaveLength(2);
    const stats = statSync(tree.path('cache/skillwright/index', files[0] ?? ''));
    if (process.platform !== 'win32') expect(stats.mode & 0o777).toBe(0o600);
  });

  it.each([0, '', 'a\0b', {}])('rejects the configuration %j', (indexCache) => {
    const expected = expect.objectContaining({ code: 'InvalidOptions', data: { option: 'indexCache' } }) as Error;
    expect(() => new SkillManager({ indexCache: indexCache as never })).toThrow(expected);
  });
});

describe('an unusable index cache', () => {
  /** A valid cache of a valid tree, and the result without a cache. */
  function prepare(): { tree: SkillTree; options: SkillManagerOptions & { indexCache: string }; fresh: unknown } {
    settleFiles();
    const tree = createSkillTree({ 'skills/a/SKILL.md': goodSkill('a'), 'skills/b/SKILL.md': goodSkill('b') });
    const options = { projectSkillDir: tree.path('skills'), indexCache: tree.path('skills.idx') };
    return { tree, options, fresh: discover(options) };
  }

  it('is rebuilt when it is truncated at any byte', () => {
    const { options, fresh } = prepare();
    const whole = readFileSync(options.indexCache);
    for (let length = 0; length < whole.length; length += 7) {
      truncateSync(options.indexCache, length);
      expect(discover(options)).toStrictEqual(fresh);
      expect(statSync(options.indexCache).size).toBe(whole.length);
    }
  });

  it('is rebuilt when any byte of it is wrong', () => {
    const { options, fresh } = prepare();
    const whole = readFileSync(options.indexCache);
    for (let at = 0; at < whole.length; at += 5) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x15;
      writeFileSync(options.indexCache, bytes);
      expect(discover(options)).toStrictEqual(fresh);
    }
  });

  it.each<[string, string | Uint8Array]>([
    ['has an endless first line', `skillwright-index 1 ${'['.repeat(50_000)}`],
    ['is of another version', 'skillwright-index 999 []\n'],
    ['has a header that is not a list', 'skillwright-index 1 {"heads":1}\n'],
    ['claims more entries than it has', 'skillwright-index 1 [["heads","",9007199254740991,0]]\n'],
    ['claims a negative number of entries', 'skillwright-index 1 [["heads","",-5,0]]\n'],
  ])('is rebuilt because it %s', (_, content) => {
    const { options, fresh } = prepare();
    writeFileSync(options.indexCache, content);
    expect(discover(options)).toStrictEqual(fresh);
    expect(readFileSync(options.indexCache, 'latin1')).toMatch(/^skillwright-index 1 \[\["heads"/);
  });

  it('is rebuilt when its checksum is right but its content is not an index', () => {
    const { options, fresh } = prepare();
    const cache = createIndexCache(options.indexCache, silentLogger);
    for (const content of [Buffer.from('hello'), Buffer.alloc(64, 0xff), Buffer.from([1, 0, 0, 0, 0])]) {
      cache.write('heads', readingKey(false, DEFAULT_LIMITS), content);
      expect(discover(options)).toStrictEqual(fresh);
    }
  });

  it.skipIf(process.platform === 'win32')('is not trusted when others may write it', () => {
    const { options, fresh } = prepare();
    tamper(options.indexCache);
    chmodSync(options.indexCache, 0o666);
    expect(discover(options)).toStrictEqual(fresh);
    expect(statSync(options.indexCache).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === 'win32')('does not block when it is a pipe', () => {
    const { tree, options, fresh } = prepare();
    if (!makeFifo(tree.path('pipe'))) return;
    expect(discover({ ...options, indexCache: tree.path('pipe') })).toStrictEqual(fresh);
  });

  it.each(['skills/a/SKILL.md/below/a-file.idx', 'skills'])('is skipped if %s cannot be written', (path) => {
    const { tree, options, fresh } = prepare();
    const indexCache = tree.path(path);
    expect(discover({ ...options, indexCache })).toStrictEqual(fresh);
    expect(discover({ ...options, indexCache })).toStrictEqual(fresh);
    expect(readdirSync(tree.root).sort()).toEqual(['skills', 'skills.idx']);
  });
});

describe('concurrent writers of one index cache', () => {
  it('leave the cache intact, and leave no other files behind', async () => {
    settleFiles();
    const files = Array.from({ length: 300 }, (_, index) => [`skills/s${index}/SKILL.md`, goodSkill(`s${index}`)]);
    const tree = createSkillTree(Object.fromEntries(files) as Record<string, string>);
    const options = { projectSkillDir: tree.path('skills'), indexCache: tree.path('cache/skills.idx') };
    const managers = Array.from({ length: 6 }, () => new SkillManager(options));
    const found = await Promise.all(managers.map((manager) => manager.discover()));
    for (const { skills } of found) expect(skills).toHaveLength(300);
    expect(readdirSync(dirname(options.indexCache))).toEqual(['skills.idx']);
    const cache = createIndexCache(options.indexCache, silentLogger);
    const bytes = cache.read('heads', readingKey(false, DEFAULT_LIMITS));
    expect(driveSync(decodeHeads(bytes ?? Buffer.alloc(0))).heads.paths).toHaveLength(300);
  });

  it("do not overwrite each other's segments", () => {
    const tree = createSkillTree();
    const cache = createIndexCache(tree.path('some/where.idx'), silentLogger);
    expect(cache.read('heads', 'k')).toBeUndefined();
    expect(cache.write('heads', 'k', Buffer.from('one'))).toBe(true);
    expect(cache.write('ranking', 'digest', Buffer.from('two'))).toBe(true);
    expect(cache.write('heads', 'k', Buffer.from('three'))).toBe(true);
    expect(String(cache.read('heads', 'k'))).toBe('three');
    expect(String(cache.read('ranking', 'digest'))).toBe('two');
    expect(cache.read('ranking', 'another digest')).toBeUndefined();
  });

  it('write nothing when no skill has changed', () => {
    settleFiles();
    const tree = createSkillTree({ 'skills/a/SKILL.md': goodSkill('a') });
    const options = { projectSkillDir: tree.path('skills'), indexCache: tree.path('skills.idx') };
    discover(options);
    const { ino } = statSync(options.indexCache);
    discover(options);
    expect(statSync(options.indexCache).ino).toBe(ino);
  });
});

describe('the digest of a snapshot', () => {
  it('is the same for the same skills, and changes when instructions are edited', () => {
    settleFiles();
    const tree = createSkillTree({ 'skills/a/SKILL.md': skillText({ name: 'a', description: 'A.' }, 'Before.') });
    const open = (): Snapshot =>
      new SkillManager({ projectSkillDir: tree.path('skills'), indexCache: tree.path('skills.idx') }).snapshot;
    const before = open().digest();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(open().digest()).toBe(before);
    tree.write({ 'skills/a/SKILL.md': skillText({ name: 'a', description: 'A.' }, 'After!!') });
    tick(tree.path('skills/a/SKILL.md'));
    expect(open().digest()).not.toBe(before);
  });

  it('is undefined if files are fresh, in memory, or without exact timestamps', () => {
    const tree = createSkillTree({ 'skills/a/SKILL.md': goodSkill('a') });
    const options = { projectSkillDir: tree.path('skills') };
    expect(new SkillManager(options).snapshot.digest()).toBeUndefined();
    expect(new SkillManager({ ...options, indexCache: tree.path('x.idx') }).snapshot.digest()).toBeUndefined();
    const source = createMemorySource([{ directory: 'm', files: { 'SKILL.md': goodSkill('m') } }]);
    expect(
      createRuntime({ sources: [source] })
        .catalog.refreshSync()
        .digest(),
    ).toBeUndefined();
  });
});

/** Changes every description in a cache without changing the timestamps. */
function tamper(file: string): void {
  const key = readingKey(false, DEFAULT_LIMITS);
  const cache = createIndexCache(file, silentLogger);
  const { heads, tools } = driveSync(decodeHeads(cache.read('heads', key) ?? Buffer.alloc(0)));
  const description = 'From the cache.';
  const changed = {
    heads: new KnownFileList(
      heads.paths,
      heads.values.map((known) => ({ ...known, head: known.head && { ...known.head, description } })),
    ),
    tools: new KnownFileList(
      tools.paths,
      tools.values.map((known) => ({ ...known, tools: known.tools.map((tool) => ({ ...tool, description })) })),
    ),
  };
  cache.write('heads', key, driveSync(encodeHeads(changed)));
}
