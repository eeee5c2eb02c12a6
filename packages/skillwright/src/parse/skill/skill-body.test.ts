import { describe, expect, it } from 'vitest';
import { firstParagraph } from './skill-body.ts';

describe('firstParagraph', () => {
  it.each<[string, string, string | undefined]>([
    ['prose after a heading', '# Title\n\nFirst line\nsecond line.\n\nMore.', 'First line second line.'],
    ['prose right away', 'Does things.\n# Title', 'Does things.'],
    ['a heading alone', '# Title #\n\n## Sub', 'Title'],
    ['code before prose', '```sh\nrm -rf x\n```\n\nSafe text.', 'Safe text.'],
    ['tildes as a fence', '~~~\n```\ncode\n~~~\nText.', 'Text.'],
    ['a comment before prose', '<!-- secret\nnote -->\nText.', 'Text.'],
    ['rules', '---\n***\nText.', 'Text.'],
    ['a comment that never ends', '<!-- all of it', undefined],
    ['blank', ' \n\n', undefined],
    ['only code', '```\ncode\nmore\n', 'code'],
    ['an empty fence', '```\n\n```', undefined],
  ])('%s', (_, markdown, expected) => {
    expect(firstParagraph(markdown)).toBe(expected);
  });

  it('is limited to the length of a description, and never splits a character', () => {
    const long = firstParagraph('🎉'.repeat(2_000)) ?? '';
    expect(long.length).toBeLessThanOrEqual(1_024);
    expect(long.isWellFormed()).toBe(true);
  });
});
