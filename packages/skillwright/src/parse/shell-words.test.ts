import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitShellWords } from './shell-words.ts';

describe('splitShellWords', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['  \t\r\n ', []],
    ['one', ['one']],
    ['one two  three', ['one', 'two', 'three']],
    [' one\ttwo\nthree\r\nfour ', ['one', 'two', 'three', 'four']],
    ['"one two" three', ['one two', 'three']],
    ["'one two' three", ['one two', 'three']],
    ['\'\' ""', ['', '']],
    ['a""b', ['ab']],
    ['pre"mid dle"\'la st\'', ['premid dlela st']],
    ['one\\ two', ['one two']],
    ['\\"quoted\\"', ['"quoted"']],
    ["it\\'s", ["it's"]],
    ['"say \\"hi\\""', ['say "hi"']],
    ['"a\\\\b"', ['a\\b']],
    ['"\\$5 \\`x\\`"', ['$5 `x`']],
    ['"C:\\new\\table"', ['C:\\new\\table']],
    ["'a\\'b", ['a\\b']],
    ['\'a"b\' "c\'d"', ['a"b', "c'd"]],
    ['one\\\ntwo', ['onetwo']],
    ['"one\\\ntwo"', ['onetwo']],
    ['"one\ntwo"', ['one\ntwo']],
  ])('splits %j', (text, words) => {
    expect(splitShellWords(text)).toEqual(words);
  });

  it.each<[string, string[]]>([
    ["it's fine", ["it's fine"]],
    ['say "hello world', ['say', '"hello world']],
    ['a \'b \\ "c" d', ['a', '\'b \\ "c" d']],
    ['a "b \\', ['a', '"b \\']],
    ['a "b\\"', ['a', '"b\\"']],
    ['trailing\\', ['trailing\\']],
    ['\\', ['\\']],
  ])('takes the rest of %j literally', (text, words) => {
    expect(splitShellWords(text)).toEqual(words);
  });

  it.each([
    '$HOME',
    '$(rm -rf)',
    '`id`',
    '*.ts',
    '~',
    'a;b',
    'a|b',
    'a>b',
    '#x',
    '{a,b}',
    '!x',
    '$ARGUMENTS',
    '😀',
    'a\u00A0b',
    'a\u0000b',
  ])('expands nothing in %j', (text) => {
    expect(splitShellWords(text).join(' ')).toBe(text);
  });

  it('restores words that were single-quoted, double-quoted or escaped', () => {
    const quote = fc.constantFrom(
      (word: string) => `'${word.replaceAll("'", `'\\''`)}'`,
      (word: string) => `"${word.replaceAll(/["\\$`]/g, '\\$&')}"`,
      (word: string) =>
        word === ''
          ? "''"
          : word
              .split('')
              .map((character) => (character === '\n' ? "'\n'" : `\\${character}`))
              .join(''),
    );
    const word = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom("'", '"', '\\', ' ', '\n', 'a', '$', '`', '😀') }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(word, quote)), fc.constantFrom(' ', '\t', '\n', '  '), (words, blank) => {
        expect(splitShellWords(words.map(([text, how]) => how(text)).join(blank))).toEqual(words.map(([text]) => text));
      }),
    );
  });

  it('splits only at blanks if nothing is quoted', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ', '\n', '$', ';', '-') }), (text) => {
        expect(splitShellWords(text)).toEqual(text.split(/[ \n]+/).filter((word) => word !== ''));
      }),
    );
  });

  it.each(['a ', '"', "'", '\\', '"a" ', '\\a', 'a""', '"\\', "'' "])('is linear on a megabyte of %j', (unit) => {
    // Quadratic time would take minutes.
    expect(splitShellWords(unit.repeat(Math.ceil(1_000_000 / unit.length))).length).toBeGreaterThan(0);
  });
});
