import { describe, expect, it } from 'vitest';
import type { SkillMetadata } from '../../../../spec/skill.ts';
import { caseKey, proposeCases, type ProposedCase } from './case-finder.ts';

function propose(fields: Partial<SkillMetadata>, body = '', known: readonly string[] = []): ProposedCase[] {
  const skill = { name: 'word-count', description: '', ...fields } as SkillMetadata;
  return proposeCases(skill, body, new Set(known.map(caseKey)));
}

const should = (cases: readonly ProposedCase[]): string[] =>
  cases.filter(({ shouldTrigger }) => shouldTrigger).map(({ query }) => query);
const shouldNot = (cases: readonly ProposedCase[]): string[] =>
  cases.filter(({ shouldTrigger }) => !shouldTrigger).map(({ query }) => query);

describe('proposeCases, from a description', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'Counts. Use when the user asks how long a text is, whether it fits a limit, or which words it repeats most.',
      ['how long a text is', 'whether it fits a limit', 'which words it repeats most'],
      [],
    ],
    [
      'Use this skill whenever the user wants to review a diff, branch or file, or asks whether a change is safe.',
      ['review a diff, branch or file', 'whether a change is safe'],
      [],
    ],
    [
      'Sorts mail. Use for invoices from shops; not for newsletters of any kind.',
      ['invoices from shops'],
      ['newsletters of any kind'],
    ],
    [
      'Use for sorting mail by sender. Do not use for deleting old mail, or for writing a reply.',
      ['sorting mail by sender'],
      ['deleting old mail', 'writing a reply'],
    ],
    ["Don't use it when the table is empty.", [], ['the table is empty']],
    [
      'Triggers: "sort my inbox", "who wrote me", \'clean up mail\'.',
      ['sort my inbox', 'who wrote me', 'clean up mail'],
      [],
    ],
    ['Use when somebody says “sort my inbox” (or the like).', ['sort my inbox'], []],
    ['用于整理邮件。当用户说「整理我的邮件」时使用。', ['整理我的邮件'], []],
    ['Sorts mail by sender.', [], []],
    ['', [], []],
  ])('reads the clauses and quotes of %j', (description, positive, negative) => {
    const cases = propose({ description });
    expect(should(cases)).toEqual(positive);
    expect(shouldNot(cases)).toEqual(negative);
    for (const { from } of cases) expect(from).toBe('description');
  });

  it('reads when_to_use, and tags that are not the name', () => {
    const cases = propose({ whenToUse: 'When users want to sort old mail.', tags: ['word-count', 'e-mail', 'inbox'] });
    expect(cases).toEqual([
      { query: 'sort old mail', shouldTrigger: true, from: 'when_to_use' },
      { query: 'e mail inbox', shouldTrigger: true, from: 'tags' },
    ]);
    expect(propose({ tags: ['mail'] })).toEqual([]);
  });
});

describe('proposeCases, from instructions', () => {
  it('reads lists of when to use a skill and when not, under headings or labels in bold', () => {
    const body = [
      '## When to use',
      '- The user wants to **sort** [old mail](mail.md)',
      '- Sorting a mailbox that has',
      '  thousands of messages',
      '**Do not use when:**',
      '* the mailbox is empty',
      '## Steps',
      '1. Read the mailbox first',
    ].join('\n');
    const cases = propose({}, body);
    expect(should(cases)).toEqual(['sort old mail', 'Sorting a mailbox that has thousands of messages']);
    expect(shouldNot(cases)).toEqual(['the mailbox is empty']);
  });

  it('reads quoted examples and what users say, but no code', () => {
    const body = [
      '## Examples',
      '- "sort my inbox by sender"',
      '**User:** who wrote to me last week?',
      '```',
      '- "never this one"',
      '```',
      '## Notes',
      'Say "nothing was found" then.',
    ].join('\n');
    expect(propose({}, body)).toEqual([
      { query: 'sort my inbox by sender', shouldTrigger: true, from: 'example' },
      { query: 'who wrote to me last week?', shouldTrigger: true, from: 'example' },
    ]);
  });

  it('reads headings that share two words with the description, but neither titles nor steps', () => {
    const description = 'Filters mail by sender and date.';
    const body =
      '# Sort mail by sender\n## Filter the mail\n## Read the manual\n## Step 2: Mail by Sender\n## Dates: mail by date';
    expect(propose({ description }, body).map(({ query, from }) => [query, from])).toEqual([
      ['filter the mail', 'heading'],
      ['mail by Sender', 'heading'],
    ]);
  });
});

describe('proposeCases', () => {
  it('leaves out known cases, repetitions, and the name of the skill', () => {
    const description =
      'Use for "sort my inbox", "Sort my inbox!", "find old mail", "word count" or "run word-count now".';
    expect(should(propose({ description }, '', ['Find old mail?']))).toEqual(['sort my inbox']);
    expect(should(propose({ name: 'pdf', description: 'Use to "read a pdf aloud".' }))).toEqual(['read a pdf aloud']);
  });

  it('proposes at most ten positive and six negative cases, all of them short', () => {
    const quotes = Array.from({ length: 50 }, (_, index) => `"number ${index} of them"`).join(', ');
    const cases = propose({
      description: `Use for ${quotes}. Do not use for ${quotes.replaceAll('number', 'never')}.`,
    });
    expect([should(cases).length, shouldNot(cases).length]).toEqual([10, 6]);
    expect(propose({ description: `Use when ${'word '.repeat(200)}ends.` })).toEqual([]);
  });

  it('removes control characters', () => {
    const [first] = propose({ description: 'Use for "sort \u001b[31mmy\u202e inbox".' });
    expect(first?.query).not.toMatch(/\p{Cc}/u);
  });

  it.each([
    'use when ',
    '"',
    "'",
    'a, ',
    '(',
    '[',
    '[a](',
    '- "',
    '## ',
    '**',
    '不',
    ' ',
    'user: ',
    'use for a; ',
    'ing ',
    '”',
  ])('reads a megabyte of %j in linear time', (unit) => {
    // Quadratic time would take minutes.
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const cases = propose(
      { description: text, whenToUse: `use for ${text}`, tags: [text, text] },
      `## Examples\n${text}`,
    );
    for (const { query } of cases) expect(query.length).toBeLessThanOrEqual(200);
    expect(propose({}, `## When to use\n${text.replaceAll(' ', '\n')}`).length).toBeLessThanOrEqual(16);
  });
});
