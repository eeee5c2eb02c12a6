import { DICE_QUERIES, diceManifest, diceScript, diceSkill, type ToolLanguage } from './dice-skill.ts';
import { skillHead, type SampleQueries, triggerSet } from './skill-files.ts';

const DESCRIPTION =
  'Write release notes from a list of merged changes. Use when the user asks for release notes, a changelog entry, or what is new in a version.';

const NOTES_QUERIES: SampleQueries = {
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

/** What a new skill is to have. */
export interface SkillWish {
  /** Follows the naming rules of skills. */
  readonly name: string;
  /** The language of its tool; without one it has instructions alone. */
  readonly tool: ToolLanguage | undefined;
  readonly hasEvals: boolean;
}

/** A new skill as files, and how to try it. */
export interface SkillTemplate {
  readonly toolName: string | undefined;
  /** Content by path relative to the skill. */
  readonly files: Readonly<Record<string, { readonly text: string; readonly isProgram: boolean }>>;
  /** A task that the skill is for. */
  readonly task: string;
}

/** A small skill that works as it is, to be changed into another. */
export function skillTemplate({ name, tool, hasEvals }: SkillWish): SkillTemplate {
  const queries = tool === undefined ? NOTES_QUERIES : DICE_QUERIES;
  const toolName = tool === undefined ? undefined : toolNameOf(name);
  const files: [string, string, boolean][] = [
    ['SKILL.md', toolName === undefined ? notesSkill(name) : diceSkill(name, toolName), false],
  ];
  if (tool !== undefined && toolName !== undefined) {
    const script = diceScript(tool);
    files.push(
      ['tools.json', diceManifest(toolName, script.path), false],
      [script.path, script.text, script.isProgram],
    );
  }
  if (hasEvals) files.push(['evals/triggers.json', triggerSet(queries), false]);
  return {
    toolName,
    files: Object.fromEntries(files.map(([path, text, isProgram]) => [path, { text, isProgram }])),
    task: queries.should[0],
  };
}

const MAX_TOOL_NAME = 60;

/** `roll-dice` → `roll_dice`. Tools have fewer letters to be named with than skills. */
function toolNameOf(skill: string): string {
  const words = skill.match(/[a-z0-9]+/g)?.join('_') ?? 'tool';
  return (/^[a-z]/.test(words) ? words : `tool_${words}`).slice(0, MAX_TOOL_NAME);
}

/** Instructions alone: a SKILL.md. */
function notesSkill(name: string): string {
  return `${skillHead(name, DESCRIPTION)}
Write the notes from the changes that the user gives. Ask for the list if there is none.

1. Group the changes into Added, Changed and Fixed.
2. Write one line for each, in the words of a user, not of the code.
3. Leave out what no user notices.
`;
}
