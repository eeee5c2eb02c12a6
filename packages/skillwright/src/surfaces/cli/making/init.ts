import { lstatSync, readdirSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeviceName, nameProblem } from '../../../parse/skill/skill-name.ts';
import { systemReason } from '../../../sources/file-errors.ts';
import { PROGRAM } from '../../../spec/program.ts';
import { CliError, usageError } from '../cli-error.ts';
import { printAnswer, type Invocation } from '../command.ts';
import { doneLine } from '../output.ts';
import { joinWords } from '../text/joined-words.ts';
import { createShownPaths } from '../text/shown-path.ts';
import { toLine } from '../text/terminal-text.ts';
import type { ToolLanguage } from './dice-skill.ts';
import { skillTemplate, type SkillTemplate } from './skill-template.ts';

const DEFAULT_ROOT = 'skills';

/** Writes a small skill that works. */
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
  /** The skill's directory as a word of a shell. */
  readonly place: string;
  readonly hasEvals: boolean;
}

/** Three commands that work as they are, with what they do. */
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

/** Writes a skill where nothing is yet. Nothing that is there is ever written over. */
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
