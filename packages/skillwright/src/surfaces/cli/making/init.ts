import { lstatSync, readdirSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeviceName, nameProblem } from '../../../parse/skill/skill-name.ts';
import { systemReason } from '../../../sources/file-errors.ts';
import { PROGRAM } from '../../../spec/program.ts';
import { CliError, usageError } from '../cli-error.ts';
import { printAnswer, type Invocation } from '../command.ts';
import { doneLine } from '../output.ts';
import { joinWords, toLine } from '../text/terminal-text.ts';
import { createShownPaths } from '../text/shown-path.ts';
import { type ToolLanguage, DICE_QUERIES, diceManifest, diceScript, diceSkill } from './dice-skill.ts';
import { skillHead, type SampleQueries, triggerSet } from './skill-files.ts';

const DEFAULT_ROOT = 'skills';

/** Creates a small working skill. */
export async function run(invocation: Invocation): Promise<number> {
  const { context, options, output, globals, positionals } = invocation;
  const tool = options.text('tool') as ToolLanguage | undefined;
  const name = checkedName(positionals[0] ?? (tool === undefined ? 'release-notes' : 'roll-dice'));
  const directory = join(rootOf(invocation), name);
  const shown = toLine(createShownPaths(globals.cwd, context.home).path(directory));
  const hasEvals = options.flag('evals');
  const template = skillTemplate({ name, tool, hasEvals });
  await writeNewSkill(directory, shown, template.files);
  const files = Object.keys(template.files);
  const next = nextCommands({ name, template, place: joinWords([shown]), hasEvals });
  const commands = next.map(([line]) => line);
  const answer = { name, path: directory, tool: template.toolName ?? null, files, next: commands };
  return printAnswer(invocation, answer, () => [
    doneLine(output, `Created the skill ${output.style('name', name)}:`),
    ...files.map((path) => `  ${join(shown, path)}`),
    '',
    'Try it:',
    ...next.flatMap(([line, purpose]) => [output.style('dim', `  # ${purpose}`), `  ${output.style('name', line)}`]),
  ]);
}

function checkedName(name: string): string {
  const problem = isDeviceName(name) ? 'is a reserved device name on Windows' : nameProblem(name);
  if (problem === undefined) return name;
  throw usageError(
    `'${name}' is not a valid skill name: it ${problem}.`,
    ['Use 1–64 lowercase letters, digits and single hyphens. --dir chooses the parent directory.'],
    { name },
  );
}

function rootOf({ globals }: Invocation): string {
  const [root = DEFAULT_ROOT, other] = globals.dirs;
  if (other !== undefined) throw usageError('A skill is created in one directory. Give --dir only once.');
  return resolve(globals.cwd, root);
}

interface Made {
  readonly name: string;
  readonly template: SkillTemplate;
  /** The skill's directory, quoted for a shell. */
  readonly place: string;
  readonly hasEvals: boolean;
}

/** Three commands that work unchanged, and what they do. */
function nextCommands({ name, template, place, hasEvals }: Made): [string, string][] {
  const { toolName, task } = template;
  return [
    [`${PROGRAM} validate ${place}`, 'check it'],
    toolName === undefined
      ? [`${PROGRAM} invoke ${name} --dir ${place}`, 'print the text a model gets']
      : [
          `${PROGRAM} call ${toolName} count=2 --dir ${place}`,
          'call its tool; --dir trusts the directory for this run',
        ],
    hasEvals
      ? [`${PROGRAM} eval ${place}`, 'check that the right tasks find it']
      : [`${PROGRAM} match ${JSON.stringify(task)} --dir ${place}`, 'check that a task finds it'],
  ];
}

/** Writes the files of a skill where none exists yet. Never overwrites a file. */
async function writeNewSkill(directory: string, shown: string, files: SkillTemplate['files']): Promise<void> {
  try {
    assertFree(directory, shown);
    for (const [path, { text, isProgram }] of Object.entries(files)) {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: 'wx' });
      if (isProgram) await chmod(file, 0o755);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('NotWritable', `${shown} cannot be written: ${systemReason(error)}.`, {
      hints: ['Check the permissions of the directory, or choose another one with --dir.'],
      data: { path: directory },
    });
  }
}

function assertFree(directory: string, shown: string): void {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isDirectory() && readdirSync(directory).length === 0)) return;
  throw new CliError('AlreadyExists', `${shown} already exists and is not overwritten.`, {
    hints: ['Choose another name, or another directory with --dir.'],
    data: { path: directory },
  });
}

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

/** What a new skill should contain. */
export interface SkillTemplateOptions {
  /** The name of the skill, which must follow the naming rules. */
  readonly name: string;
  /** The language of its tool; `undefined` for a skill with instructions only. */
  readonly tool: ToolLanguage | undefined;
  readonly hasEvals: boolean;
}

/** The files of a new skill, and how to try it. */
export interface SkillTemplate {
  readonly toolName: string | undefined;
  /** Each file's content, by its path relative to the skill. */
  readonly files: Readonly<Record<string, { readonly text: string; readonly isProgram: boolean }>>;
  /** A task that the skill can solve. */
  readonly task: string;
}

/** A small working skill, as a starting point. */
export function skillTemplate({ name, tool, hasEvals }: SkillTemplateOptions): SkillTemplate {
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

/** `roll-dice` → `roll_dice`. Tool names allow fewer characters than skill names. */
function toolNameOf(skill: string): string {
  const words = skill.match(/[a-z0-9]+/g)?.join('_') ?? 'tool';
  return (/^[a-z]/.test(words) ? words : `tool_${words}`).slice(0, MAX_TOOL_NAME);
}

/** A skill with instructions only: a SKILL.md. */
function notesSkill(name: string): string {
  return `${skillHead(name, DESCRIPTION)}
Write the notes from the changes that the user gives. Ask for the list if there is none.

1. Group the changes into Added, Changed and Fixed.
2. Write one line for each, in the words of a user, not of the code.
3. Leave out what no user notices.
`;
}
