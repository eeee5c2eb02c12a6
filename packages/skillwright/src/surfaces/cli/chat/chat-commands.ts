import { closestName } from '../../../parse/closest-name.ts';
import { amount } from '../validating/findings.ts';
import type { Output } from '../output.ts';
import { skillTable } from '../finding/skill-table.ts';
import { toLine } from '../text/terminal-text.ts';
import type { ChatSession } from './chat-session.ts';

/** What a line that somebody typed came to. */
export type Typed = 'message' | 'done' | 'leave';

interface ChatCommand {
  readonly name: string;
  readonly summary: string;
  run(session: ChatSession, output: Output): Typed | Promise<Typed>;
}

const COMMANDS: readonly ChatCommand[] = [
  { name: '/skills', summary: 'list the skills there are', run: listSkills },
  { name: '/new', summary: 'forget what was said and look for skills again', run: startOver },
  { name: '/trace', summary: 'show where traces go', run: showTrace },
  { name: '/help', summary: 'show this', run: (_session, output) => showHelp(output) },
  { name: '/quit', summary: 'leave', run: () => 'leave' },
  { name: '/exit', summary: 'leave, as /quit and Ctrl-D do', run: () => 'leave' },
];

/** Does what a command says. Words that are none are for the model, also those that ask for a skill. */
export async function takeTyped(line: string, session: ChatSession, output: Output): Promise<Typed> {
  const [word = ''] = line.trim().split(/\s/, 1);
  const command = COMMANDS.find(({ name }) => name === word.toLowerCase());
  if (command !== undefined) return command.run(session, output);
  // A path such as /usr/bin is no command.
  if (!/^\/[\p{L}\p{N}_:.-]+$/u.test(word) || (await session.isForSkill(line))) return 'message';
  const guess = closestName(
    word.slice(1),
    namesOf(session).map((name) => name.slice(1)),
  );
  const guessed = guess === undefined ? '' : ` Did you mean /${toLine(guess)}?`;
  output.line(`${output.style('error', 'error:')} There is no command or skill ${toLine(word)}.${guessed}`);
  output.line(output.style('dim', '  /help lists the commands, /skills the skills.'));
  return 'done';
}

/** Commands, and skills as commands, that begin with these letters. */
export function completeCommand(start: string, session: ChatSession): readonly string[] {
  return start.startsWith('/') ? namesOf(session).filter((name) => name.startsWith(start)) : [];
}

function namesOf({ skills }: ChatSession): string[] {
  return [...COMMANDS.map(({ name }) => name), ...skills.map(({ name }) => `/${toLine(name)}`)];
}

function listSkills({ skills }: ChatSession, output: Output): Typed {
  if (skills.length === 0) output.line('There are no skills here: start with --skills <directory>.');
  else output.lines(skillTable(output, skills));
  return 'done';
}

async function startOver(session: ChatSession, output: Output): Promise<Typed> {
  await session.startOver();
  output.line(output.style('dim', `A new conversation, with ${amount(session.skills.length, 'skill')}.`));
  return 'done';
}

function showTrace({ tracePath }: ChatSession, output: Output): Typed {
  output.line(
    tracePath === undefined
      ? 'Traces are not kept: start with --trace <file>.'
      : `Traces are added to ${toLine(tracePath)}.`,
  );
  return 'done';
}

function showHelp(output: Output): Typed {
  const row = (name: string, summary: string): void =>
    output.line(`  ${output.style('name', name.padEnd(NAME_COLUMNS))}  ${summary}`);
  for (const { name, summary } of COMMANDS) row(name, summary);
  row('/<skill> <words>', 'have a skill by its name');
  row('Ctrl-C', 'cancel the answer; twice leaves');
  return 'done';
}

const NAME_COLUMNS = 16;
