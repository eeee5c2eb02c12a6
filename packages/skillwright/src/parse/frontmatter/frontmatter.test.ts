import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { lineOfKey, readFrontmatter, sourceTextOf } from './frontmatter.ts';

function read(text: string, strict = false): { data: Record<string, unknown>; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const entries = readFrontmatter({ text, path: 'SKILL.md', firstLine: 2, strict }, diagnostics);
  return { data: Object.fromEntries(entries), diagnostics };
}

const codes = (diagnostics: readonly Diagnostic[]): string[] => diagnostics.map(({ code }) => code);

describe('readFrontmatter with clean YAML', () => {
  it('reports no diagnostics, for simple and for complex YAML', () => {
    proves('S2.TS-1.block-scalar', 'S2.FR-2.1.delimiters');
    const { data, diagnostics } = read('name: x\ndescription: >\n  a\n  b\nhooks: { pre: [{ run: "x" }] }\n');
    expect(data).toEqual({ name: 'x', description: 'a b\n', hooks: { pre: [{ run: 'x' }] } });
    expect(diagnostics).toEqual([]);
  });

  it('reads an empty block, and a block of comments, as no keys', () => {
    expect(read('').data).toEqual({});
    expect(read('# nothing\n\t# here\n').data).toEqual({});
  });

  it('accepts no custom tags and never runs code from text', () => {
    const { data, diagnostics } = read('name: x\nrun: !!js/function "function () { return 1 }"\n');
    expect(typeof data.run).toBe('string');
    expect(codes(diagnostics)).toEqual(['yaml-quoted']);
  });
});

describe('readFrontmatter, first repair: adding quotes', () => {
  it.each<[string, string, string, string]>([
    ['a colon in the text', 'description: Use when: asked', 'description', 'Use when: asked'],
    ['two bracketed words', 'argument-hint: [a] [b]', 'argument-hint', '[a] [b]'],
    ['a leading @', 'author: @someone', 'author', '@someone'],
    ['a leading backtick', 'description: `code` first', 'description', '`code` first'],
    ['text after a quoted part', 'description: "A" and B', 'description', '"A" and B'],
    ['an unclosed quote', `description: "it goes on`, 'description', '"it goes on'],
    ['a percent sign', 'description: %d things', 'description', '%d things'],
    ['lines that are not indented', 'description: one\ntwo three', 'description', 'one two three'],
    ['a colon in a continued line', 'description: one\n  two: three', 'description', 'one two: three'],
  ])('repairs %s', (_, line, key, expected) => {
    proves('S2.FR-2.1.malformed', 'S2.FR-2.AC.clear-errors');
    const { data, diagnostics } = read(`name: x\n${line}\nlicense: MIT\n`);
    expect(data).toEqual({ name: 'x', [key]: expected, license: 'MIT' });
    expect(diagnostics).toMatchObject([{ code: 'yaml-quoted', severity: 'warning', line: 3, path: 'SKILL.md' }]);
    expect(diagnostics[0]?.message).toContain(`'${key}'`);
  });

  it('reports the mistake as an error in strict mode', () => {
    expect(read('description: a: b\n', true).diagnostics).toMatchObject([{ code: 'yaml-quoted', severity: 'error' }]);
  });

  it('turns tabs into indentation if that helps', () => {
    const { data, diagnostics } = read('name: x\nmetadata:\n\tauthor: me\n');
    expect(data).toEqual({ name: 'x', metadata: { author: 'me' } });
    expect(diagnostics).toMatchObject([{ code: 'yaml-quoted', line: 3 }]);
  });
});

describe('readFrontmatter, second repair: line by line', () => {
  it('reads the keys if quoting does not help', () => {
    const { data, diagnostics } = read('  name: x\n description: y\n  tags:\n    - a\n    - b\n');
    expect(data).toMatchObject({ name: 'x', description: 'y' });
    expect(diagnostics).toMatchObject([{ code: 'yaml-lines', severity: 'warning' }]);
  });

  it('reports that no key can be read', () => {
    expect(read('{{{').diagnostics).toMatchObject([{ code: 'yaml-invalid', severity: 'error', line: 2 }]);
    expect(read('- a\n- b\n').diagnostics).toMatchObject([{ code: 'yaml-not-mapping', severity: 'warning' }]);
    expect(read('just words').diagnostics).toMatchObject([{ code: 'yaml-not-mapping' }]);
  });
});

describe('readFrontmatter with hostile YAML', () => {
  it('uses the last of two equal keys and reports both lines', () => {
    const { data, diagnostics } = read('name: a\ndescription: x\nname: b\n');
    expect(data.name).toBe('b');
    expect(diagnostics).toMatchObject([{ code: 'yaml-duplicate-key', line: 4 }]);
    expect(diagnostics[0]?.message).toContain('line 2');
  });

  it('also reports duplicate keys in a nested mapping', () => {
    expect(codes(read('metadata:\n  a: 1\n  a: 2\n').diagnostics)).toEqual(['yaml-duplicate-key']);
  });

  it('stops an alias bomb quickly, without deep recursion, and still reads the other keys', () => {
    const levels = 'abcdefghijklmnop'.split('');
    const lines = levels.map(
      (name, index) => `${name}: &${name} [${index === 0 ? '"lol"' : `*${levels[index - 1]}, `.repeat(9)}]`,
    );
    const before = process.memoryUsage().heapUsed;
    const { data, diagnostics } = read(`name: x\n${lines.join('\n')}\ndescription: boom\n`);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 2 ** 20);
    expect(diagnostics).toMatchObject([{ code: 'yaml-bomb', severity: 'error', category: 'parsing' }]);
    expect(data).toMatchObject({ name: 'x', description: 'boom' });
  });

  it('does not follow an alias to itself', () => {
    expect(codes(read('a: &a [*a]\nname: x\n').diagnostics).length).toBeGreaterThan(0);
  });

  it('survives deep nesting', () => {
    const { data } = read(`name: x\nextra: ${'['.repeat(5_000)}${']'.repeat(5_000)}\n`);
    expect(data.name).toBe('x');
  });

  it('keeps prototype keys as plain data', () => {
    const { data } = read('__proto__: { polluted: yes }\nconstructor: y\nname: x\n');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(data.name).toBe('x');
  });

  it('reads a hundred thousand keys', () => {
    const text = Array.from({ length: 100_000 }, (_, index) => `"k${index}": v`).join('\n');
    expect(Object.keys(read(text).data).length).toBeGreaterThan(19_000);
  });
});

describe('the position of a key', () => {
  const source = {
    text: 'name: x\n"quoted-key": 1\nversion: 1.10 # ten\nAllowed_Tools: Read\nversion: 2.20\n',
    path: 'p',
    firstLine: 2,
    strict: false,
  };

  it('is the last line with the key, in any spelling', () => {
    expect(lineOfKey(source, 'version')).toBe(6);
    expect(lineOfKey(source, 'allowed-tools')).toBe(5);
    expect(lineOfKey(source, 'quoted-key')).toBe(3);
    expect(lineOfKey(source, 'absent')).toBe(2);
  });

  it('leads to the value as written, without a comment', () => {
    expect(sourceTextOf({ ...source, text: 'version: 1.10 # ten\n' }, 'version')).toBe('1.10');
    expect(sourceTextOf(source, 'absent')).toBeUndefined();
    // The last one counts, however it is spelled.
    expect(sourceTextOf({ ...source, text: 'name: a\nname : 1.10\n' }, 'name')).toBe('1.10');
    expect(sourceTextOf({ ...source, text: 'name: a\n"name": 1.10\n' }, 'name')).toBe('1.10');
  });
});
