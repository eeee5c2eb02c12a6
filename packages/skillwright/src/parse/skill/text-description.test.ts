import { describe, expect, it } from 'vitest';
import { describeText } from './text-description.ts';

describe('describeText, without a label', () => {
  it.each<[string, string, string | undefined]>([
    ['prose after a heading', '# Title\n\nFirst line\nsecond line.\n\nMore.', 'First line second line.'],
    ['prose at the start', 'Does things.\n# Title', 'Does things.'],
    ['a heading alone', '# Title #\n\n## Sub', 'Title'],
    ['code before prose', '```sh\nrm -rf x\n```\n\nSafe text.', 'Safe text.'],
    ['tildes as a fence', '~~~\n```\ncode\n~~~\nText.', 'Text.'],
    ['a comment before prose', '<!-- secret\nnote -->\nText.', 'Text.'],
    ['rules', '---\n***\nText.', 'Text.'],
    ['a comment that never ends', '<!-- all of it', undefined],
    ['blank', ' \n\n', undefined],
    ['only code', '```\ncode\nmore\n', 'code'],
    ['an empty fence', '```\n\n```', undefined],
  ])('returns the first prose, or else the best substitute: %s', (_, markdown, expected) => {
    expect(describeText(markdown)?.text).toBe(expected);
  });

  it('cuts the text at the length of a description, and never splits a character', () => {
    const long = describeText('🎉'.repeat(2_000))?.text ?? '';
    expect(long.length).toBeLessThanOrEqual(1_024);
    expect(long.isWellFormed()).toBe(true);
  });
});

describe('describeText, with a label', () => {
  it.each<[string, string, string]>([
    ['a plain line', '# Title\n\ndescription: Sorts mail.\n\nMore.', 'Sorts mail.'],
    ['capitals and emphasis', '**Description:** Sorts mail.\n', 'Sorts mail.'],
    ['emphasis inside the colon', '- **Description**: Sorts **mail**.\n- **Version**: 1', 'Sorts **mail**.'],
    ['a quoted value', 'name: x\ndescription: "Sorts: mail."\n---\nText.', 'Sorts: mail.'],
    ['a value on the next lines', 'description: >-\n  Sorts mail\n  by sender.\nversion: 1', 'Sorts mail by sender.'],
    ['a value below its label', '**Description**:\nSorts mail.\n\nMore.', 'Sorts mail.'],
    ['several labels with the same indentation', '  name: x\n  description: Sorts.\n  version: 1', 'Sorts.'],
    ['a full-width colon', 'Description：Sorts mail.\n\ndescription: 整理邮件', '整理邮件'],
    ['a title and prose before it', '# Title\n\nProse.\n\n> Description: Sorts mail.', 'Sorts mail.'],
    ['a metadata section far below', '# T\n\nProse.\n\n## Use\n\nx\n\n### Metadata\n\n* description: Sorts.', 'Sorts.'],
    ['frontmatter in a block of code', '# T\n\n```yaml\n---\ndescription: Sorts.\n---\n```\nText.', 'Sorts.'],
    ['a comment before it', '<!-- description: no -->\ndescription: Yes.', 'Yes.'],
    ['CRLF line ends', 'description: Sorts.\r\nversion: 1\r\n', 'Sorts.'],
  ])('returns the value after the label: %s', (_, markdown, expected) => {
    expect(describeText(markdown)).toEqual({ text: expected, from: 'label' });
  });

  it.each<[string, string, string]>([
    ['in a later section', '# T\n\nText.\n\n## Options\n\n- description: of the option', 'Text.'],
    ['in an example', 'Text.\n\n```yaml\ndescription: of another\n```', 'Text.'],
    ['without a value', '# T\n\n## Metadata\n\n- description:\n\n## Use\n\nText.', 'Text.'],
    ['inside a sentence', 'The description: it follows.', 'The description: it follows.'],
    ['of another word', 'descriptions: many', 'descriptions: many'],
    ['without a space after it', 'description:x', 'description:x'],
  ])('returns the first paragraph if the label is %s', (_, markdown, expected) => {
    expect(describeText(markdown)).toEqual({ text: expected, from: 'paragraph' });
  });

  it('returns the title if the only section lists facts', () => {
    expect(describeText('# Title\n\n## Metadata\n- **Name**: x\n- Always Active: Yes\n')?.text).toBe('Title');
  });

  it('cuts the text at the length of a description', () => {
    expect(describeText(`description: ${'x'.repeat(5_000)}`)?.text).toHaveLength(1_024);
  });

  it.each([
    'description: ',
    'description:\n',
    '- ',
    '*',
    '**Description**',
    '```\n',
    '# ',
    '<!--',
    'a: ',
    ' ',
    '# Metadata\n',
  ])('finds the label in linear time in a megabyte of %j', (unit) => {
    // Quadratic time would take minutes.
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    for (const markdown of [text, `## Metadata\n${text}`, `${text}:`])
      expect(describeText(markdown)?.text.length ?? 0).toBeLessThanOrEqual(1_024);
  });
});
