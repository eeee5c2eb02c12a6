import { describe, expect, it } from 'vitest';
import { cutText, padText, textWidth, wrapText } from './text-width.ts';

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

  it('may give the first line less room', () => {
    expect(wrapText('one two three four', 14, 7)).toEqual(['one two', 'three four']);
  });
});
