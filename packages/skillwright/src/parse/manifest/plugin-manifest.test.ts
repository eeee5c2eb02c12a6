import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { parsePluginManifest, type ParsedPluginManifest } from './plugin-manifest.ts';

const path = 'plugins/demo/.claude-plugin/plugin.json';

function parse(value: unknown, strict = false): ParsedPluginManifest {
  return parsePluginManifest(typeof value === 'string' ? value : JSON.stringify(value, null, 2), { path, strict });
}

describe('parsePluginManifest', () => {
  it('reads every known field and ignores the rest', () => {
    proves('S2.FR-7.1.fields', 'S2.FR-7.2.schema', 'S2.TS-3.PluginManifest');
    const { manifest, diagnostics } = parse({
      name: 'demo-plugin',
      description: 'A demonstration.',
      version: '1.2.3',
      author: { name: 'Ada', email: 'ada@example.com', url: 'https://example.com' },
      skills: ['./extra', 'more/skills/'],
      commands: './commands',
      mcpServers: {},
    });
    expect(manifest).toEqual({
      name: 'demo-plugin',
      description: 'A demonstration.',
      version: '1.2.3',
      author: { name: 'Ada', email: 'ada@example.com', url: 'https://example.com' },
      skills: ['extra', 'more/skills'],
    });
    expect(diagnostics).toEqual([]);
  });

  it('requires only a name', () => {
    proves('S2.FR-7.2.schema');
    expect(parse({ name: 'demo' })).toEqual({ manifest: { name: 'demo', skills: [] }, diagnostics: [] });
    expect(parse('\uFEFF{\r\n"name": "demo"\r\n}')).toEqual({
      manifest: { name: 'demo', skills: [] },
      diagnostics: [],
    });
  });

  it('reports bad JSON as one finding with its position and reason', () => {
    const { manifest, diagnostics } = parse('{\n  "name": "demo"\n  "version": "1"\n}');
    expect(manifest).toBeUndefined();
    expect(diagnostics).toEqual([
      {
        code: 'plugin-invalid',
        severity: 'error',
        category: 'parsing',
        path,
        line: 3,
        hint: 'Write a JSON object with a `name`. The rest of the plugin is still read.',
        message: "It is not valid JSON: at line 3, column 3, '\"' found where ',' or '}' is expected.",
      },
    ]);
  });

  it.each(['[]', '"demo"', 'null', '5', '[{"name": "demo"}]'])('refuses %s', (written) => {
    expect(parse(written)).toMatchObject({ diagnostics: [{ code: 'plugin-invalid', line: 1 }] });
    expect(parse(written).manifest).toBeUndefined();
  });

  it.each([undefined, null, '', '  ', ':', '/', '..', '-', '\u0000', 5, true, {}, ['demo']])(
    'refuses the name %j',
    (name) => {
      const { manifest, diagnostics } = parse({ version: '1.0.0', name });
      expect(manifest).toBeUndefined();
      expect(diagnostics).toMatchObject([
        { code: 'plugin-invalid', severity: 'error', line: name === undefined ? 1 : 3 },
      ]);
    },
  );
});

describe('parsePluginManifest: names', () => {
  it.each([
    ['my:plugin', 'my-plugin'],
    ['my/plugin', 'my-plugin'],
    ['my\\plugin', 'my-plugin'],
    ['my plugin', 'my-plugin'],
    ['my \t : plugin', 'my-plugin'],
    ['my\u0000plugin', 'my-plugin'],
    ['my\nplugin', 'my-plugin'],
    ['my\u200Bplugin', 'my-plugin'],
    ['my\u202Eplugin', 'my-plugin'],
    ['../../etc', 'etc'],
    ['.hidden', 'hidden'],
    ['a:', 'a'],
    [':a', 'a'],
    ['a\uD800', 'a'],
  ])('reads %j as %j', (name, expected) => {
    const { manifest, diagnostics } = parse({ name });
    expect(manifest?.name).toBe(expected);
    expect(diagnostics).toMatchObject([{ code: 'plugin-field', severity: 'warning', line: 2 }]);
  });

  it.each(['MyPlugin', 'my_plugin', 'über', 'プラグイン', 'a--b', 'a.b', '😀'])(
    'keeps %j, which is not in kebab-case',
    (name) => {
      expect(parse({ name })).toMatchObject({
        manifest: { name },
        diagnostics: [{ code: 'plugin-field', severity: 'info' }],
      });
      expect(parse({ name }, true)).toMatchObject({ manifest: { name }, diagnostics: [{ severity: 'warning' }] });
    },
  );

  it('trims silently', () => {
    expect(parse({ name: ' demo ' })).toEqual({ manifest: { name: 'demo', skills: [] }, diagnostics: [] });
  });

  it('never returns a name that breaks a qualified name or a path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const { manifest } = parse(JSON.stringify({ name }));
        if (manifest !== undefined) expect(manifest.name).toMatch(/^[^\s:/\\\p{C}.-][^\s:/\\\p{C}]*$/u);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('parsePluginManifest: author', () => {
  it.each([
    ['Ada', { name: 'Ada' }],
    ['Ada Lovelace <ada@example.com>', { name: 'Ada Lovelace', email: 'ada@example.com' }],
    [
      'Ada <ada@example.com> (https://example.com)',
      { name: 'Ada', email: 'ada@example.com', url: 'https://example.com' },
    ],
    ['Ada (https://example.com)', { name: 'Ada', url: 'https://example.com' }],
    [
      'Ada (https://example.com) <ada@example.com>',
      { name: 'Ada', email: 'ada@example.com', url: 'https://example.com' },
    ],
    ['<ada@example.com>', { name: 'ada@example.com', email: 'ada@example.com' }],
    ['Ada <>', { name: 'Ada' }],
    ['Ada <ada', { name: 'Ada <ada' }],
    ['Ada > <', { name: 'Ada > <' }],
  ])('splits %j', (author, expected) => {
    proves('S2.FR-7.2.schema');
    expect(parse({ name: 'demo', author })).toMatchObject({ manifest: { author: expected }, diagnostics: [] });
    expect(parse({ name: 'demo', author }).manifest?.author).toEqual(expected);
  });

  it.each([5, true, [], {}, { name: 5 }, { name: ' ' }, { email: 'a@b' }, '', ' <> ()'])(
    'ignores the author %j',
    (author) => {
      const { manifest, diagnostics } = parse({ name: 'demo', author });
      expect(manifest).toEqual({ name: 'demo', skills: [] });
      expect(diagnostics.at(-1)).toMatchObject({ code: 'plugin-field', severity: 'warning' });
    },
  );

  it('ignores only the field that is not text', () => {
    const { manifest, diagnostics } = parse({
      name: 'demo',
      author: { name: 'Ada', email: 5, url: 'https://example.com' },
    });
    expect(manifest?.author).toEqual({ name: 'Ada', url: 'https://example.com' });
    expect(diagnostics).toMatchObject([
      { code: 'plugin-field', line: 5, message: "'email' must be text, not 5; it is ignored." },
    ]);
  });

  it('takes linear time on hostile text', () => {
    // Quadratic time would take minutes.
    for (const author of [`${' '.repeat(500_000)}<`, '<('.repeat(250_000), `<${' '.repeat(500_000)}>`])
      expect(parse(JSON.stringify({ name: 'demo', author })).manifest?.name).toBe('demo');
  });
});

describe('parsePluginManifest: other fields', () => {
  it.each(['description', 'version'])('ignores a %s that is not text', (key) => {
    const { manifest, diagnostics } = parse({ name: 'demo', [key]: 1.5 });
    expect(manifest).toEqual({ name: 'demo', skills: [] });
    expect(diagnostics).toMatchObject([
      { code: 'plugin-field', severity: 'warning', line: 3, message: `'${key}' must be text, not 1.5; it is ignored.` },
    ]);
    expect(parse({ name: 'demo', [key]: 1.5 }, true).diagnostics).toMatchObject([{ severity: 'error' }]);
  });

  it('treats null and blank text as missing', () => {
    expect(parse({ name: 'demo', description: null, version: ' ', author: null, skills: null })).toEqual({
      manifest: { name: 'demo', skills: [] },
      diagnostics: [],
    });
  });

  it.each<[unknown, string[]]>([
    ['./extra', ['extra']],
    ['extra', ['extra']],
    ['.', ['.']],
    ['./', ['.']],
    [[], []],
    [
      ['a', './b/', 'c\\d'],
      ['a', 'b', 'c/d'],
    ],
    [['a', './a', 'a/', 'b/../a'], ['a']],
    [['a/../b'], ['b']],
  ])('reads the skills %j', (skills, expected) => {
    expect(parse({ name: 'demo', skills })).toEqual({ manifest: { name: 'demo', skills: expected }, diagnostics: [] });
  });

  it.each(['/etc', '../other', 'a/../../b', '..\\x', 'C:\\x', '\\\\host\\x', '~/skills', 'https://example.com/skills'])(
    'drops the directory %j, which is outside the plugin',
    (outside) => {
      const { manifest, diagnostics } = parse({ name: 'demo', skills: ['good', outside] });
      expect(manifest?.skills).toEqual(['good']);
      expect(diagnostics).toMatchObject([{ code: 'plugin-path-outside', severity: 'error', line: 5 }]);
      expect(parse({ name: 'demo', skills: outside })).toMatchObject({
        manifest: { skills: [] },
        diagnostics: [{ code: 'plugin-path-outside', line: 3 }],
      });
    },
  );

  it.each([5, null, {}, ['x'], '', 'a\u0000'])('drops the entry %j', (entry) => {
    const { manifest, diagnostics } = parse({ name: 'demo', skills: ['good', entry, 'fine'] });
    expect(manifest?.skills).toEqual(['good', 'fine']);
    expect(diagnostics).toMatchObject([{ code: 'plugin-field', line: 5 }]);
  });

  it.each([5, true, { a: 'b' }])('ignores the skills %j', (skills) => {
    const { manifest, diagnostics } = parse({ name: 'demo', skills });
    expect(manifest?.skills).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'plugin-field', line: 3 }]);
  });

  it('is not affected by prototype keys', () => {
    expect(parse('{"__proto__": {"name": "evil"}}').manifest).toBeUndefined();
    expect(parse('{"name": "demo", "__proto__": {"version": "9"}, "constructor": {"name": "x"}}').manifest).toEqual({
      name: 'demo',
      skills: [],
    });
  });

  it('never throws', () => {
    const fields = fc.record(
      {
        name: fc.anything(),
        description: fc.anything(),
        version: fc.anything(),
        author: fc.anything(),
        skills: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fields, fc.jsonValue()), fc.boolean(), (value, strict) => {
        const text =
          JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item)) ?? 'null';
        for (const { message, line } of parse(text, strict).diagnostics) {
          expect(message).toMatch(/\.$/);
          expect(line).toBe(1);
        }
      }),
    );
  });
});
