import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { createIndexCache } from '../../../packages/skillwright/src/catalog/index-cache/index-cache.ts';
import { readingKey } from '../../../packages/skillwright/src/catalog/snapshot/known-skills.ts';
import { DEFAULT_LIMITS } from '../../../packages/skillwright/src/spec/limits.ts';
import { SkillManager, type Logger } from '../../../packages/skillwright/src/index.ts';
import { silentLogger } from '../../../packages/skillwright/src/spec/events/logger.ts';
import { settleFiles } from '../../support/settled-clock.ts';
import { createSkillTree, goodSkill, makeFifo, type SkillTree } from '../../support/skill-tree.ts';

const KEY = readingKey(false, DEFAULT_LIMITS);

function createTree(): SkillTree {
  settleFiles();
  return createSkillTree({
    'skills/a/SKILL.md': goodSkill('a', 'As it is.'),
    'skills/a/tools.json': '[{ "name": "say", "description": "As it is." }]',
    'precious.txt': 'Years of work.\n',
    'directory/inside.txt': 'x',
  });
}

/** What a new manager finds. */
function discover(tree: SkillTree, path: string, logger: Logger = silentLogger): unknown {
  const { snapshot } = new SkillManager({
    projectSkillDir: tree.path('skills'),
    indexCache: tree.path(path),
    logger,
  });
  const { skills, tools, diagnostics } = snapshot;
  return { skills, tools: [...tools], diagnostics };
}

describe('a foreign file at the path of an index cache', () => {
  it.each<[string, (tree: SkillTree) => string]>([
    ['a file', () => 'precious.txt'],
    ['a directory', () => 'directory'],
    ['a link to a file', (tree) => link(tree, 'precious.txt')],
    ['a link to a directory', (tree) => link(tree, 'directory')],
    ['a link to nothing', (tree) => link(tree, 'not/there')],
    ['a pipe', (tree) => (makeFifo(tree.path('pipe')) ? 'pipe' : 'precious.txt')],
  ])('is left unchanged, with one warning, when it is %s', (_, place) => {
    const tree = createTree();
    const path = place(tree);
    const before = describePath(tree.path(path));
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const fresh = discover(tree, 'fresh.idx');
    const entries = readdirSync(tree.root);
    expect(discover(tree, path, logger)).toStrictEqual(fresh);
    expect(warnings.filter((line) => line.startsWith('The index cache is not written:'))).toHaveLength(1);
    expect(describePath(tree.path(path))).toEqual(before);
    expect(readdirSync(tree.root)).toEqual(entries);
    expect(readFileSync(tree.path('precious.txt'), 'utf8')).toBe('Years of work.\n');
    const cache = createIndexCache(tree.path(path), logger);
    expect([cache.write('heads', KEY, Buffer.from('x')), cache.write('heads', KEY, Buffer.from('x'))]).toEqual([
      false,
      false,
    ]);
    expect(warnings).toHaveLength(2);
  });

  it.each(['', 'skillwright-index 7 [] of a later version', 'skillwr'])(
    'is replaced when its content is %j',
    (content) => {
      const tree = createTree();
      writeFileSync(tree.path('some.idx'), content);
      discover(tree, 'some.idx');
      expect(readFileSync(tree.path('some.idx'), 'latin1')).toMatch(/^skillwright-index 1 \[\["heads"/);
    },
  );
});

describe('a forged index cache', () => {
  const stampOf = (tree: SkillTree, path: string): Float64Array => {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(tree.path(path));
    return Float64Array.from([dev, ino, size, mtimeMs, ctimeMs]);
  };
  const head = (tree: SkillTree, own: { fields?: unknown; diagnostics?: unknown; name?: unknown }): unknown => [
    'heads',
    [tree.path('skills/a/SKILL.md')],
    stampOf(tree, 'skills/a/SKILL.md'),
    new Map([[0, 'diagnostics' in own ? own.diagnostics : []]]),
    ['name' in own ? own.name : 'a'],
    ['Forged.'],
    new Map([[0, own.fields ?? {}]]),
    new Map(),
  ];
  const tools = (tree: SkillTree, list: unknown): unknown => [
    'tools',
    [tree.path('skills/a/tools.json')],
    stampOf(tree, 'skills/a/tools.json'),
    new Map(),
    [list],
  ];

  it.each<[string, (tree: SkillTree) => unknown]>([
    ['diagnostics that are a number', (tree) => head(tree, { diagnostics: 7 })],
    ['a diagnostic that is null', (tree) => head(tree, { diagnostics: [null] })],
    [
      'a diagnostic with an unknown code',
      (tree) => head(tree, { diagnostics: [{ code: 'x', message: 'x', path: 'x' }] }),
    ],
    ['a name that is a list', (tree) => head(tree, { name: ['a'] })],
    ['fields that are text', (tree) => head(tree, { fields: 'junk' })],
    ['tags that are a number', (tree) => head(tree, { fields: { tags: 7 } })],
    ['an invalid mode', (tree) => head(tree, { fields: { mode: 'always' } })],
    ['requirements that are a list', (tree) => head(tree, { fields: { requires: ['x'] } })],
    ['trust among its fields', (tree) => head(tree, { fields: { trust: 'trusted' } })],
    ['a path among its fields', (tree) => head(tree, { fields: { filePath: 'elsewhere' } })],
    ['a directory among its fields', (tree) => head(tree, { fields: { baseDir: 'elsewhere' } })],
    ['a qualified name among its fields', (tree) => head(tree, { fields: { qualifiedName: 'other' } })],
    ['tools among its fields', (tree) => head(tree, { fields: { tools: [] } })],
    ['a name of Object among its fields', (tree) => head(tree, { fields: { toString: 'x' } })],
    ['tools that are text', (tree) => tools(tree, 'junk')],
    ['a tool that is null', (tree) => tools(tree, [null])],
    ['a tool without a schema', (tree) => tools(tree, [{ name: 'say', description: 'Forged.' }])],
    [
      'a tool whose script is elsewhere',
      (tree) =>
        tools(tree, [
          { name: 'say', description: 'Forged.', script: '../x.mjs', inputSchema: { type: 'object', properties: {} } },
        ]),
    ],
    ['a block that is not a list', () => ({ 0: 'heads' })],
    ['a block of another kind', () => ['others', [], new Float64Array(), new Map()]],
    ['a block that ends early', () => ['heads', []]],
  ])('is rebuilt and not trusted when it has %s', (_, block) => {
    const tree = createTree();
    const fresh = discover(tree, 'skills.idx');
    forge(tree.path('skills.idx'), block(tree));
    expect(discover(tree, 'skills.idx')).toStrictEqual(fresh);
    expect(JSON.stringify(discover(tree, 'skills.idx'))).not.toContain('Forged');
  });

  it('can change only fields that a real cache contains, too', () => {
    const tree = createTree();
    const fields = { tags: ['x'], mode: 'on', requires: { bins: ['x'] }, extra: { any: [1] }, background: true };
    forge(tree.path('skills.idx'), head(tree, { fields }));
    expect(discover(tree, 'skills.idx')).toMatchObject({ skills: [{ description: 'Forged.', ...fields }] });
  });

  it('is not read when it exceeds the largest possible size', () => {
    const tree = createTree();
    const size = 2 ** 31 + 4_096;
    const start = `skillwright-index 1 [["heads",${JSON.stringify(KEY)},`;
    const length = size - start.length - '2147483648,0]]\n'.length;
    writeFileSync(tree.path('skills.idx'), `${start}${length},0]]\n`, { mode: 0o600 });
    truncateSync(tree.path('skills.idx'), size);
    const problems: string[] = [];
    const cache = createIndexCache(tree.path('skills.idx'), {
      ...silentLogger,
      debug: (message) => void problems.push(message),
    });
    expect(cache.read('heads', KEY)).toBeUndefined();
    expect(problems).toEqual([]);
    discover(tree, 'skills.idx');
    expect(statSync(tree.path('skills.idx')).size).toBeLessThan(10_000);
  });
});

function link(tree: SkillTree, target: string): string {
  tree.link('linked', target);
  return 'linked';
}

function describePath(path: string): unknown {
  const { ino, size, mode } = lstatSync(path);
  return { ino, size, mode, target: lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined };
}

/** A cache of one block whose checksums are all correct. */
function forge(file: string, block: unknown): void {
  const bytes = serialize(block);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  expect(createIndexCache(file, silentLogger).write('heads', KEY, Buffer.concat([length, bytes]))).toBe(true);
}
