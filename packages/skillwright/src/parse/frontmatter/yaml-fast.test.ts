import fc from 'fast-check';
import { CORE_SCHEMA, dump, load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { parsePlainYaml } from './yaml-fast.ts';
import { quoteBrokenValues } from './yaml-repair.ts';

const runs = Number(process.env.SKILLWRIGHT_FUZZ_RUNS ?? 500);

/** The full parser's result as entries; `refused` if it throws. */
function full(text: string): unknown {
  // js-yaml refuses a text without a document; as frontmatter, such a text is an empty mapping.
  if (text.split('\n').every((line) => /^\s*(?:#[^\n]*)?$/.test(line))) return [];
  try {
    const value = load(text, { schema: CORE_SCHEMA });
    return value === null || value === undefined ? [] : Object.entries(value);
  } catch {
    return 'refused';
  }
}

/**
 * Checks the contract: the fast path returns what the full parser returns, once the values that the fast path lists as
 * unquoted are quoted.
 */
function expectAgreement(text: string): 'fast' | 'left' {
  const quoted: string[] = [];
  const entries = parsePlainYaml(text, quoted);
  if (entries === undefined) return 'left';
  if (quoted.length === 0) expect(entries, JSON.stringify(text)).toEqual(full(text));
  else {
    expect(full(text), `refused by YAML: ${JSON.stringify(text)}`).toBe('refused');
    const repair = quoteBrokenValues(text);
    expect(repair.changes.map((change) => change.key)).toEqual(quoted);
    expect(entries, JSON.stringify(text)).toEqual(full(repair.text));
  }
  return 'fast';
}

describe('the fast path reads plain frontmatter', () => {
  it.each([
    ['two keys', 'name: pdf\ndescription: Reads PDFs, and fills forms (all of them).\n'],
    ['a comment line and blank lines', '# about\n\nname: pdf\n\n# more\ndescription: x\n'],
    ['quotes', `a: "double"\nb: 'single'\nc: 'it''s'\nd: "say \\"hi\\" \\\\ now"\n`],
    ['numbers and words', 'a: 1\nb: 1.5\nc: true\nd: null\ne: False\nf: 007\ng: 1.10\n'],
    ['texts that look like numbers', 'a: 1.2.3\nb: 12 apples\nc: 0x\nd: 3D models\ne: 2024-01-01\n'],
    ['a list', 'tags:\n  - a\n  - "b c"\n  - 3\nname: x\n'],
    ['a list that is not indented', 'tags:\n- a\n- b\nname: x\n'],
    ['a flow list', 'tags: [a, b-c, "d e"]\nempty: []\n'],
    ['a nested map', 'metadata:\n  author: me\n  version: "1.0"\nname: x\n'],
    ['a folded scalar', 'description: >-\n  one\n  two\n\n  three\nname: x\n'],
    ['a literal scalar', 'description: |\n  one\n  two\n\n  three\nname: x\n'],
    ['a plain text over several lines', 'description: one\n  two\n  three\nname: x\n'],
    ['no value', 'a:\nb:\n'],
    ['CRLF', 'name: x\r\ndescription: y\r\ntags:\r\n  - a\r\n'],
    ['other scripts', 'description: 提取 PDF 文本 — schnell & gründlich 🎉\n'],
    ['nothing', ''],
  ])('such as %s', (_, text) => {
    proves('S2.FR-2.1.delimiters');
    expect(expectAgreement(text)).toBe('fast');
  });

  it('reads an unquoted colon as the repair would', () => {
    for (const text of [
      'description: Use when: the user asks\n',
      'description: Steps: read, write\nname: x\n',
      'name: x\ndescription: ends with a colon:\nlicense: MIT\n',
    ]) {
      expect(expectAgreement(text)).toBe('fast');
    }
  });
});

describe('the fast path leaves the rest to the full parser', () => {
  it.each([
    ['anchors and aliases', 'a: &x 1\nb: *x\n'],
    ['tags', 'a: !!str 1\n'],
    ['a flow map', 'a: {b: 1}\n'],
    ['a comment after a value', 'a: b # c\n'],
    ['a duplicate key', 'a: 1\na: 2\n'],
    ['a tab', 'a:\tb\n'],
    ['deeper nesting', 'a:\n  b:\n    c: 1\n'],
    ['a list of maps', 'a:\n  - b: 1\n'],
    ['keep chomping', 'a: |+\n  b\n\n'],
    ['an indentation indicator', 'a: |2\n   b\n'],
    ['uneven indentation in a block', 'a: >\n  b\n   c\n  d\n'],
    ['a multi-line quoted text', 'a: "b\n  c"\n'],
    ['escapes', 'a: "b\\nc"\n'],
    ['a prototype key', '__proto__: 1\n'],
    ['odd numbers', 'a: 1e5\nb: 0o17\n'],
    ['a control character', 'a: b\u0007\n'],
    ['a leading @', 'a: @b\n'],
    ['a second flow list', 'a: [b] [c]\n'],
    ['a complex key', '? a\n: b\n'],
    ['a top-level list', '- a\n'],
    ['an indented start', '  a: 1\n'],
    ['a document end', 'a: 1\n...\n'],
  ])('such as %s', (_, text) => {
    expect(expectAgreement(text)).toBe('left');
  });
});

describe('the fast path against the full parser', () => {
  const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,8}$/);
  const odd = fc.constantFrom(
    ': ',
    ' #',
    '#',
    ':',
    '- ',
    '-',
    '"',
    "'",
    '\\',
    '[',
    ']',
    '{',
    '}',
    ',',
    '&a',
    '*a',
    '!',
    '|',
    '>',
    '|-',
    '>-',
    '@',
    '%',
    '`',
    '~',
    'null',
    'true',
    'Yes',
    '1',
    '1.10',
    '-1',
    '+1',
    '.5',
    '1e3',
    '0x1F',
    '0o7',
    '.inf',
    '.nan',
    '2024-01-02',
    '\t',
    '\r',
    '  ',
    '\u00a0',
    '\u0085',
    '\u2028',
    '\ufeff',
    '—',
    '漢',
    '🎉',
    '...',
    '---',
    '? ',
    '<<',
  );
  const piece = fc.oneof(
    { weight: 3, arbitrary: word },
    { weight: 1, arbitrary: fc.constant(' ') },
    { weight: 2, arbitrary: odd },
  );
  const value = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const indent = fc.constantFrom('', '', '', ' ', '  ', '    ');
  const line = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(indent, word, value).map(([space, key, text]) => `${space}${key}: ${text}`) },
    { weight: 2, arbitrary: fc.tuple(indent, value).map(([space, text]) => `${space}- ${text}`) },
    { weight: 2, arbitrary: fc.tuple(indent, value).map(([space, text]) => `${space}${text}`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(word, fc.constantFrom('>', '|', '>-', '|-', '|+', ''))
        .map(([key, mark]) => `${key}: ${mark}`),
    },
    { weight: 1, arbitrary: fc.constantFrom('', '# comment', '   ') },
  );
  const ending = fc.constantFrom('\n', '\n', '\n', '\r\n', '');

  it('agrees with js-yaml on confusing lines', () => {
    let fast = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), ending, (lines, end) => {
        if (expectAgreement(lines.join('\n').toWellFormed() + end) === 'fast') fast += 1;
      }),
      { numRuns: runs * 8 },
    );
    // The property is useful only if the fast path reads a good share.
    expect(fast).toBeGreaterThan(runs / 4);
  });

  it('agrees with js-yaml on text that js-yaml wrote', () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      value,
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constant(null),
    );
    const data = fc.dictionary(
      word,
      fc.oneof(scalar, fc.array(scalar, { maxLength: 4 }), fc.dictionary(word, scalar, { maxKeys: 3 })),
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(data, fc.constantFrom(-1, 80), (object, lineWidth) => {
        expectAgreement(dump(object, { lineWidth }));
      }),
      { numRuns: runs * 2 },
    );
  });
});
