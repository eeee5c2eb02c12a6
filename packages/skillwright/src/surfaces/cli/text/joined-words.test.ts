import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitShellWords } from '../../../parse/shell-words.ts';
import { joinWords } from './joined-words.ts';

it('joins words so that splitting restores them', () => {
  const word = fc.oneof(fc.string(), fc.stringMatching(/^[ "'\\$`a\n]*$/));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(splitShellWords(joinWords(words))).toEqual(words);
    }),
  );
});

it('leaves plain words unchanged', () => {
  expect(joinWords(['src', 'main...feature', '--flag=$x', 'ünï'])).toBe('src main...feature --flag=$x ünï');
});
