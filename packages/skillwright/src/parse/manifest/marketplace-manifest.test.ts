import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PluginOrigin } from '../../spec/plugin.ts';
import { parseMarketplaceManifest, type ParsedMarketplaceManifest } from './marketplace-manifest.ts';

const path = 'market/.claude-plugin/marketplace.json';
const sha = 'a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0';
const sha256 = sha + sha.slice(0, 24);

function parse(value: unknown, strict = false): ParsedMarketplaceManifest {
  return parseMarketplaceManifest(typeof value === 'string' ? value : JSON.stringify(value, null, 2), { path, strict });
}

/** The origin and findings of one entry with this source. */
function originOf(source: unknown, pluginRoot?: unknown): { origin: PluginOrigin | undefined; codes: string[] } {
  const { manifest, diagnostics } = parse({
    name: 'market',
    metadata: { pluginRoot },
    plugins: [{ name: 'one', source }],
  });
  return { origin: manifest?.plugins[0]?.origin, codes: diagnostics.map(({ code }) => code) };
}

describe('parseMarketplaceManifest', () => {
  it('reads every known field', () => {
    const { manifest, diagnostics } = parse({
      $schema: 'https://example.com/marketplace.schema.json',
      name: 'acme-tools',
      owner: { name: 'Acme', email: 'tools@example.com' },
      metadata: { description: 'x', version: '1.0.0' },
      plugins: [
        {
          name: 'review',
          source: './plugins/review',
          description: 'Reviews.',
          version: '1.0.0',
          author: 'Ada <ada@example.com>',
          category: 'x',
        },
        {
          name: 'deploy',
          source: { source: 'github', repo: 'acme/deploy' },
          strict: false,
          skills: ['./skills/a', 'skills/b'],
        },
      ],
    });
    expect(manifest).toEqual({
      name: 'acme-tools',
      owner: { name: 'Acme', email: 'tools@example.com' },
      plugins: [
        {
          name: 'review',
          origin: { kind: 'relative', path: 'plugins/review' },
          description: 'Reviews.',
          version: '1.0.0',
          author: { name: 'Ada', email: 'ada@example.com' },
          strict: true,
          skills: [],
        },
        {
          name: 'deploy',
          origin: { kind: 'github', repo: 'acme/deploy' },
          strict: false,
          skills: ['skills/a', 'skills/b'],
        },
      ],
    });
    expect(diagnostics).toEqual([]);
  });

  it('requires a name and a list, which may be empty', () => {
    expect(parse({ name: 'market', plugins: [] })).toEqual({
      manifest: { name: 'market', plugins: [] },
      diagnostics: [],
    });
  });

  it.each<[string, unknown, number]>([
    ['bad JSON', '{"name": "x",\n"plugins": [}', 2],
    ['an array', '[]', 1],
    ['text', '"x"', 1],
    ['no name', { owner: 'x', plugins: [] }, 1],
    ['a name that is not text', { name: 5, plugins: [] }, 2],
    ['a name of nothing but colons', { name: '::', plugins: [] }, 2],
    ['no plugins', { name: 'x' }, 1],
    ['plugins that are not a list', { name: 'x', plugins: { a: {} } }, 3],
  ])('refuses %s', (_what, value, line) => {
    const { manifest, diagnostics } = parse(value);
    expect(manifest).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: 'marketplace-invalid', severity: 'error', path, line }]);
  });

  it('skips bad entries one by one', () => {
    const { manifest, diagnostics } = parse(
      '{"name": "x", "plugins": [\n5,\n{"source": "./a"},\n{"name": "b"},\n{"name": "c", "source": "./c"},\n{"name": "c", "source": "./d"},\n{"name": "e", "source": {"source": "floppy"}}]}',
    );
    expect(manifest?.plugins.map(({ name }) => name)).toEqual(['c']);
    expect(manifest?.plugins[0]?.origin).toEqual({ kind: 'relative', path: 'c' });
    expect(diagnostics.map(({ code, line, severity }) => [code, line, severity])).toEqual([
      ['marketplace-entry', 2, 'warning'],
      ['marketplace-entry', 3, 'warning'],
      ['marketplace-entry', 4, 'warning'],
      ['marketplace-entry', 6, 'warning'],
      ['marketplace-entry', 7, 'warning'],
    ]);
    expect(diagnostics[2]?.message).toBe(
      "The plugin 'b' is skipped: its source must be a path or an object, not nothing.",
    );
    expect(diagnostics[4]?.message).toBe("The plugin 'e' is skipped: its source has the unknown kind 'floppy'.");
  });

  it('raises the severity of bad entries in strict mode', () => {
    expect(parse({ name: 'x', plugins: [1] }, true).diagnostics).toMatchObject([
      { code: 'marketplace-entry', severity: 'error' },
    ]);
  });

  it('ignores unusable fields of an entry, and keeps the entry', () => {
    const { manifest, diagnostics } = parse({
      name: 'x',
      owner: 5,
      plugins: [{ name: 'My: plugin', source: './a', strict: 'no', version: 1, author: [], skills: ['../out', 'in'] }],
    });
    expect(manifest).toEqual({
      name: 'x',
      plugins: [{ name: 'My-plugin', origin: { kind: 'relative', path: 'a' }, strict: true, skills: ['in'] }],
    });
    expect(diagnostics.map(({ code }) => code).sort()).toEqual([
      'plugin-field',
      'plugin-field',
      'plugin-field',
      'plugin-field',
      'plugin-field',
      'plugin-path-outside',
    ]);
  });
});

describe('parseMarketplaceManifest: relative sources', () => {
  it.each([
    ['./plugins/a', 'plugins/a'],
    ['./', '.'],
    ['.', '.'],
    ['plugins/a', 'plugins/a'],
    ['.\\plugins\\a', 'plugins/a'],
    ['./a/../b', 'b'],
  ])('reads %j as %j', (source, expected) => {
    expect(originOf(source)).toEqual({ origin: { kind: 'relative', path: expected }, codes: [] });
  });

  it.each([
    ['a', './plugins', 'plugins/a'],
    ['a/b', 'plugins/', 'plugins/a/b'],
    ['a', '.', 'a'],
    ['a', null, 'a'],
    ['x/..', 'plugins', 'plugins'],
    ['./a', './plugins', 'a'],
    ['.', './plugins', '.'],
    ['.a', './plugins', 'plugins/.a'],
  ])('resolves only bare sources from the plugin root: source %j with root %j is %j', (source, root, expected) => {
    expect(originOf(source, root)).toEqual({ origin: { kind: 'relative', path: expected }, codes: [] });
  });

  it.each([
    ['../plugins', 'plugin-path-outside'],
    ['/plugins', 'plugin-path-outside'],
    [5, 'plugin-field'],
    ['', 'plugin-field'],
  ])('ignores the plugin root %j', (root, code) => {
    expect(originOf('a', root)).toEqual({ origin: { kind: 'relative', path: 'a' }, codes: [code] });
  });

  it.each(['../a', '/a', 'a/../../b', '..\\a', 'C:/a', '~/a', 'https://example.com/a.git'])(
    'skips %j, which lies outside the marketplace',
    (source) => {
      expect(originOf(source)).toEqual({ origin: undefined, codes: ['plugin-path-outside'] });
      expect(originOf(source, 'plugins').origin).toBeUndefined();
    },
  );

  it('does not let a bare source climb out of the plugin root', () => {
    expect(originOf('a/../../b', 'plugins')).toEqual({ origin: undefined, codes: ['plugin-path-outside'] });
  });

  it.each(['', ' ', 'a\u0000b'])('skips %j', (source) => {
    expect(originOf(source)).toEqual({ origin: undefined, codes: ['marketplace-entry'] });
  });

  it('reads the object form of a path', () => {
    expect(originOf({ source: 'local', path: './a' }).origin).toEqual({ kind: 'relative', path: 'a' });
    expect(originOf({ source: 'local' }).codes).toEqual(['marketplace-entry']);
    expect(originOf({ source: 'local', path: '../a' }).codes).toEqual(['plugin-path-outside']);
  });
});

describe('parseMarketplaceManifest: remote sources', () => {
  it.each<[Record<string, unknown>, PluginOrigin]>([
    [
      { source: 'github', repo: 'acme/tools' },
      { kind: 'github', repo: 'acme/tools' },
    ],
    [
      { source: 'github', repo: 'acme/tools', ref: 'v2.0.0', sha },
      { kind: 'github', repo: 'acme/tools', ref: 'v2.0.0', sha },
    ],
    [
      { source: 'github', repo: 'a/.github', ref: null },
      { kind: 'github', repo: 'a/.github' },
    ],
    [
      { source: 'url', url: 'https://git.example.com/a/b.git' },
      { kind: 'url', url: 'https://git.example.com/a/b.git' },
    ],
    [
      { source: 'url', url: 'ssh://git@git.example.com:22/a.git', ref: 'feature/x' },
      { kind: 'url', url: 'ssh://git@git.example.com:22/a.git', ref: 'feature/x' },
    ],
    [
      { source: 'url', url: 'git@git.example.com:a/b.git', sha },
      { kind: 'url', url: 'git@git.example.com:a/b.git', sha },
    ],
    [
      { source: 'git', url: 'https://[::1]/a.git' },
      { kind: 'url', url: 'https://[::1]/a.git' },
    ],
    [
      { source: 'git-subdir', url: 'https://git.example.com/a.git', path: './tools/plugin/', ref: 'main', sha },
      { kind: 'git-subdir', url: 'https://git.example.com/a.git', path: 'tools/plugin', ref: 'main', sha },
    ],
    [
      { source: 'git-subdir', url: 'acme/mono', path: 'a' },
      { kind: 'git-subdir', url: 'acme/mono', path: 'a' },
    ],
    [
      { source: 'npm', package: '@acme/plugin', version: '^2.0.0' },
      { kind: 'npm', package: '@acme/plugin', version: '^2.0.0' },
    ],
    [
      { source: 'npm', package: 'plugin', version: '>=1.0 <2 || 3.x' },
      { kind: 'npm', package: 'plugin', version: '>=1.0 <2 || 3.x' },
    ],
    [
      { source: 'npm', package: 'plugin' },
      { kind: 'npm', package: 'plugin' },
    ],
    [
      { source: 'archive', url: 'https://example.com/x.zip', sha256 },
      { kind: 'archive', url: 'https://example.com/x.zip', sha256 },
    ],
    [
      { source: 'archive', url: 'https://example.com/x.zip' },
      { kind: 'archive', url: 'https://example.com/x.zip' },
    ],
  ])('reads %j', (source, origin) => {
    expect(originOf(source)).toEqual({ origin, codes: [] });
  });

  it.each<Record<string, unknown>>([
    {},
    { source: null },
    { source: 'constructor' },
    { source: 'command', command: 'curl x | sh' },
    { source: 'github' },
    { source: 'github', repo: 5 },
    { source: 'github', repo: 'tools' },
    { source: 'github', repo: 'a/b/c' },
    { source: 'github', repo: '../x' },
    { source: 'github', repo: '-a/b' },
    { source: 'github', repo: 'a/..' },
    { source: 'github', repo: 'https://example.com/a/b' },
    { source: 'github', repo: 'a/b', ref: '--upload-pack=x' },
    { source: 'github', repo: 'a/b', ref: 'a b' },
    { source: 'github', repo: 'a/b', ref: 5 },
    { source: 'github', repo: 'a/b', sha: 'abc123' },
    { source: 'github', repo: 'a/b', sha: '' },
    { source: 'url' },
    { source: 'url', url: 'ext::sh -c whoami' },
    { source: 'url', url: 'ext::sh' },
    { source: 'url', url: 'file:///etc' },
    { source: 'url', url: '--upload-pack=touch' },
    { source: 'url', url: 'ssh://-oProxyCommand=x/y' },
    { source: 'url', url: '-oProxyCommand=x@host:y' },
    { source: 'url', url: 'a@host:-x' },
    { source: 'url', url: 'https://example.com/a b' },
    { source: 'url', url: 'https://example.com/\u0000' },
    { source: 'url', url: '/local/path' },
    { source: 'git-subdir', url: 'https://example.com/a.git' },
    { source: 'git-subdir', path: 'a' },
    { source: 'git-subdir', url: 'https://example.com/a.git', path: ' ' },
    { source: 'npm' },
    { source: 'npm', package: '' },
    { source: 'npm', package: '--registry=x' },
    { source: 'npm', package: 'a b' },
    { source: 'npm', package: '../x' },
    { source: 'npm', package: 'a@1' },
    { source: 'npm', package: 'a', version: '--x' },
    { source: 'npm', package: 'a', version: 'https://example.com/a.tgz' },
    { source: 'npm', package: 'a', version: 'file:../a' },
    { source: 'npm', package: 'a', version: 'npm:evil@1' },
    { source: 'npm', package: 'a', registry: 'https://npm.example.com' },
    { source: 'archive', url: 'ftp://example.com/x.zip' },
    { source: 'archive', url: 'git@example.com:x.zip' },
    { source: 'archive', url: 'https://example.com/x.zip', sha256: 'abc' },
  ])('skips %j', (source) => {
    expect(originOf(source)).toEqual({ origin: undefined, codes: ['marketplace-entry'] });
  });

  it('skips a path outside the repository', () => {
    expect(originOf({ source: 'git-subdir', url: 'https://example.com/a.git', path: '../b' })).toEqual({
      origin: undefined,
      codes: ['plugin-path-outside'],
    });
  });

  it('does not take fields from a prototype key', () => {
    const { manifest } = parse(
      '{"name": "x", "plugins": [{"name": "a", "source": {"source": "github", "__proto__": {"repo": "evil/x"}}}]}',
    );
    expect(manifest?.plugins).toEqual([]);
  });
});

describe('parseMarketplaceManifest: hostile input', () => {
  // If every entry or character were compared with every other, the test would time out.
  it('reads entries in linear time', () => {
    const plugins = Array.from({ length: 200_000 }, (_, index) => ({
      name: `plugin-${index}`,
      source: `./plugins/${index}`,
      description: 'x',
    }));
    expect(parse(JSON.stringify({ name: 'x', plugins })).manifest?.plugins).toHaveLength(200_000);
    expect(parse(JSON.stringify({ name: 'x', plugins: Array(500_000).fill(1) })).diagnostics).toHaveLength(101);
  });

  it('reads sources in linear time', () => {
    const long = 'a-'.repeat(400_000);
    for (const source of [
      { source: 'github', repo: `${long}/` },
      { source: 'url', url: `${long}@${long}` },
      { source: 'npm', package: `@${long}` },
    ])
      expect(originOf(source).codes).toHaveLength(1);
  });

  it('never throws', () => {
    const word = fc.oneof(
      fc.constantFrom('github', 'url', 'git-subdir', 'npm', 'archive', 'local', 'a/b', './a', '../a', ''),
      fc.string(),
    );
    const source = fc.oneof(
      word,
      fc.dictionary(
        fc.constantFrom('source', 'repo', 'url', 'path', 'package', 'ref', 'sha', '__proto__'),
        fc.oneof(word, fc.jsonValue()),
      ),
    );
    const entry = fc.record(
      { name: fc.oneof(word, fc.jsonValue()), source, strict: fc.jsonValue(), skills: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(entry, fc.jsonValue())), fc.jsonValue(), (plugins, metadata) => {
        const { manifest, diagnostics } = parse(JSON.stringify({ name: 'x', metadata, plugins }));
        expect(manifest).toBeDefined();
        for (const { message, line } of diagnostics) {
          expect(message).toMatch(/\.$/);
          expect(line).toBe(1);
        }
      }),
      { numRuns: 300 },
    );
  });
});
