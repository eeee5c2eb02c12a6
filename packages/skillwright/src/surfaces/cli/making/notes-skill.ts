import { skillHead } from './skill-head-text.ts';
import type { SampleQueries } from './trigger-set.ts';

/** Instructions alone: a SKILL.md. */
export function notesSkill(name: string): string {
  return `${skillHead(name, DESCRIPTION)}
Write the notes from the changes that the user gives. Ask for the list if there is none.

1. Group the changes into Added, Changed and Fixed.
2. Write one line for each, in the words of a user, not of the code.
3. Leave out what no user notices.
`;
}

const DESCRIPTION =
  'Write release notes from a list of merged changes. Use when the user asks for release notes, a changelog entry, or what is new in a version.';

export const NOTES_QUERIES: SampleQueries = {
  should: [
    'Write release notes for these merged pull requests',
    'Turn this list of changes into a changelog entry',
    'What is new in version 2.1? Tell our users',
    'Sum up everything merged since the last release as notes',
  ],
  shouldNot: [
    'Convert this Word document to PDF',
    'How many rows does sales.csv have?',
    'Translate this letter into French',
    'Roll two dice',
  ],
};
