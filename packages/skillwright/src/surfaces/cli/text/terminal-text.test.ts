import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  guardText,
  toBlock,
  toJsonText,
  toLine,
  cutText,
  padText,
  textWidth,
  wrapText,
  joinWords,
} from './terminal-text.ts';
import { splitShellWords } from '../../../parse/shell-words.ts';

const hostile: readonly (readonly [what: string, text: string, shown: string])[] = [
  ['colors', 'a\u001B[31;1mb\u001B[0mc', 'abc'],
  ['cursor movement', 'a\u001B[2J\u001B[1;1Hb', 'ab'],
  ['an eight-bit CSI', 'a\u009B31mb', 'ab'],
  ['a window title', 'a\u001B]0;owned\u0007b', 'ab'],
  ['a link', '\u001B]8;;http://x\u001B\\text\u001B]8;;\u001B\\', 'text'],
  ['a device control string', 'a\u001BPq#0\u001B\\b', 'ab'],
  ['an eight-bit OSC', 'a\u009D0;x\u009Cb', 'ab'],
  ['a reset', 'a\u001Bcb', 'ab'],
  ['a sequence without end', 'a\u001B]0;left', 'a0;left'],
  ['a lone escape at the end', 'a\u001B', 'a'],
  ['backspaces and bells', 'a\b\u0007\u007Fb', 'ab'],
  ['NUL', 'a\0b', 'ab'],
  ['bidi overrides', 'a\u202Eb\u202C\u2066c\u2069\u200F\u061C', 'abc'],
  ['zero-width spaces', 'a\u200Bb\uFEFFc\u2060d', 'abcd'],
  ['tag characters', 'a\u{E0069}\u{E0067}b', 'ab'],
  ['lone surrogates', 'a\uD800b', 'a\uFFFDb'],
];

describe('text from skills and models', () => {
  it.each(hostile)('loses %s, as a line and as a block', (_what, text, shown) => {
    expect(toLine(text)).toBe(shown);
    expect(toBlock(text)).toBe(shown);
  });

  it('becomes one line when it is cleaned as a line', () => {
    expect(toLine(' a\n b\r\n\tc\u2028d\u2029 ')).toBe('a b c d');
    expect(toBlock('a\r\n\tb\rc\u2028d')).toBe('a\n\tb\nc\nd');
  });

  it.each(['نص عربي', '漢字', '👩‍👩‍👧 ❤️', 'می‌خواهم', 'naïve café'])('keeps %s', (text) => {
    expect(toLine(text)).toBe(text);
  });

  it.each([
    ['starts of sequences', '\u001B['.repeat(100_000)],
    ['starts of strings', '\u001B]'.repeat(100_000)],
    ['eight-bit starts', '\u009D'.repeat(200_000)],
    ['a string without end', `\u001B]${'x'.repeat(200_000)}`],
    ['parameters without end', `\u001B[${'0;'.repeat(100_000)}`],
    ['white space', ' \t'.repeat(100_000)],
  ])('is cleaned in linear time: %s', (_what, text) => {
    expect(toLine(text).length).toBeLessThanOrEqual(text.length);
  });
});

describe('the guard before the terminal', () => {
  it('lets only our own colors through, and only on a terminal with colors', () => {
    const text = '\u001B[31mred\u001B[39m \u001B[2J\u001B]0;x\u0007\u202Eend';
    expect(guardText(text, true)).toBe('\u001B[31mred\u001B[39m end');
    expect(guardText(text, false)).toBe('red end');
  });
});

describe('JSON', () => {
  it('escapes invisible characters, and parses to the same value', () => {
    const value = { text: hostile.map(([, text]) => text).join(''), emoji: '👩‍👩‍👧' };
    const json = toJsonText(value);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[[\p{Cc}\p{Bidi_Control}\u200B\uFEFF\u{E0069}]--[\n]]/v);
    expect(json).toContain('👩‍👩‍👧');
  });
});

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['naïve', 5],
    ['nai\u0308ve', 5],
    ['漢字', 4],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
    ['🎉', 2],
    ['→ …', 3],
  ])('measures %j as %i columns', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('cutText', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long', 7, 'too lo…'],
    ['a word cut at its space', 7, 'a word…'],
    ['漢字漢字', 8, '漢字漢字'],
    ['漢字漢字', 7, '漢字漢…'],
    ['漢字漢字', 6, '漢字…'],
    ['🎉🎉🎉', 4, '🎉…'],
    ['cafe\u0301s everywhere', 5, 'cafe\u0301…'],
  ])('cuts %s to %i', (text, width, expected) => {
    expect(cutText(text, width)).toBe(expected);
    expect(textWidth(cutText(text, width))).toBeLessThanOrEqual(width);
  });
});

describe('padText', () => {
  it('fills up to a width in cells', () => {
    expect(padText('漢', 4)).toBe('漢  ');
    expect(padText('wide enough', 4)).toBe('wide enough');
  });
});

describe('wrapText', () => {
  it('breaks at spaces and never beyond the width', () => {
    expect(wrapText('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(wrapText('', 10)).toEqual(['']);
  });

  it('breaks words that are too wide', () => {
    expect(wrapText('a abcdefghijklmnop b', 10)).toEqual(['a', 'abcdefghij', 'klmnop b']);
    expect(wrapText('漢字漢字漢字', 8)).toEqual(['漢字漢字', '漢字']);
  });

  it('can make the first line shorter than the others', () => {
    expect(wrapText('one two three four', 14, 7)).toEqual(['one two', 'three four']);
  });
});

it('joinWords makes a line that splits into the same words', () => {
  const word = fc.oneof(fc.string(), fc.stringMatching(/^[ "'\\$`a\n]*$/));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(splitShellWords(joinWords(words))).toEqual(words);
    }),
  );
});

it('joinWords leaves plain words unchanged', () => {
  expect(joinWords(['src', 'main...feature', '--flag=$x', 'ünï'])).toBe('src main...feature --flag=$x ünï');
});
