import type { Approve } from '../../../spec/approval.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import type { Invocation } from '../command.ts';
import { reportError } from '../error-report.ts';
import type { Interruption } from '../running/host-process.ts';
import { createApprovalPrompt } from './approval-prompt.ts';
import type { ChatSession } from './chat-session.ts';
import { openingLines } from './view/opening-lines.ts';
import { openTerminal, type TerminalOptions } from './terminal.ts';
import { createTurnView, listenersOf, type TurnView } from './view/turn-view.ts';
import { closestName } from '../../../parse/closest-name.ts';
import { amount } from '../validating/findings.ts';
import { troubleLines, type Output } from '../output.ts';
import { skillTable } from '../finding/skill-table.ts';
import { toLine } from '../text/terminal-text.ts';

export type TerminalStreams = Pick<TerminalOptions, 'input' | 'output'>;

/** Chats with the user at a terminal until the user leaves. Returns the exit code. */
export async function converse(
  invocation: Invocation,
  session: ChatSession,
  parts: { readonly streams: TerminalStreams; readonly interruption: Interruption },
): Promise<number> {
  const { output } = invocation;
  const { interruption } = parts;
  let turn = new AbortController();
  const terminal = openTerminal({
    ...parts.streams,
    prompt: output.style('heading', '> '),
    onInterrupt: () => turn.abort(),
    onLeave: () => turn.abort(),
    leaveHint: output.style('dim', 'Ctrl-C again, Ctrl-D or /quit leaves.'),
    complete: (start) => completeCommand(start, session),
  });
  let view = createTurnView({ answer: output, activity: output });
  const approve = createApprovalPrompt({ output, ask: terminal.ask, pause: () => view.pause() });
  const end = (): void => {
    turn.abort();
    terminal.close();
  };
  interruption.signal.addEventListener('abort', end, { once: true });
  if (interruption.signal.aborted) end();
  try {
    output.lines(openingLines(output, session));
    for (let line = await terminal.read(); line !== undefined; line = await terminal.read()) {
      turn = new AbortController();
      view = createTurnView({ answer: output, activity: output });
      if ((await take(line, { invocation, session, view, approve, signal: turn.signal })) === 'leave') break;
    }
    return interruption.exitCode() ?? 0;
  } finally {
    interruption.signal.removeEventListener('abort', end);
    terminal.close();
  }
}

interface Answering {
  readonly invocation: Invocation;
  readonly session: ChatSession;
  readonly view: TurnView;
  readonly approve: Approve;
  readonly signal: AbortSignal;
}

/** Handles the user's input. The conversation continues whatever the outcome is. */
async function take(line: string, { invocation, session, view, approve, signal }: Answering): Promise<Typed> {
  const { output, context } = invocation;
  try {
    const typed = line.trim() === '' ? 'done' : await takeTyped(line, session, output);
    if (typed === 'message') view.end(await session.say(line, { signal, approve, ...listenersOf(view) }));
    return typed;
  } catch (error) {
    view.pause();
    if (!SkillwrightError.isInstance(error)) throw error;
    reportError(error, context, { json: false });
    return 'done';
  }
}

/** The outcome of a line that the user typed. */
type Typed = 'message' | 'done' | 'leave';

interface ChatCommand {
  readonly name: string;
  readonly summary: string;
  run(session: ChatSession, output: Output): Typed | Promise<Typed>;
}

const COMMANDS: readonly ChatCommand[] = [
  { name: '/skills', summary: 'list the available skills', run: listSkills },
  { name: '/new', summary: 'start a new conversation and search for skills again', run: startOver },
  { name: '/trace', summary: 'show the trace file', run: showTrace },
  { name: '/help', summary: 'show this list', run: (_session, output) => showHelp(output) },
  { name: '/quit', summary: 'leave', run: () => 'leave' },
  { name: '/exit', summary: 'leave, like /quit and Ctrl-D', run: () => 'leave' },
];

/** Runs a slash command. Any other input goes to the model, including requests for a skill. */
async function takeTyped(line: string, session: ChatSession, output: Output): Promise<Typed> {
  const [word = ''] = line.trim().split(/\s/, 1);
  const command = COMMANDS.find(({ name }) => name === word.toLowerCase());
  if (command !== undefined) return command.run(session, output);
  // A path such as /usr/bin is not a command.
  if (!/^\/[\p{L}\p{N}_:.-]+$/u.test(word) || (await session.isForSkill(line))) return 'message';
  const guess = closestName(
    word.slice(1),
    namesOf(session).map((name) => name.slice(1)),
  );
  const guessed = guess === undefined ? '' : ` Did you mean /${toLine(guess)}?`;
  const message = `There is no command or skill ${word}.${guessed}`;
  const hints = ['/help lists the commands, /skills the skills.'];
  output.lines(troubleLines(output, 'error', { message, hints }));
  return 'done';
}

/** Commands, and skills as commands, that start with the typed text. */
function completeCommand(start: string, session: ChatSession): readonly string[] {
  return start.startsWith('/') ? namesOf(session).filter((name) => name.startsWith(start)) : [];
}

function namesOf({ skills }: ChatSession): string[] {
  return [...COMMANDS.map(({ name }) => name), ...skills.map(({ name }) => `/${toLine(name)}`)];
}

function listSkills({ skills }: ChatSession, output: Output): Typed {
  if (skills.length === 0) output.line('There are no skills here. Start with --skills <directory>.');
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
      ? 'There is no trace file. Start with --trace <file>.'
      : `Traces are added to ${toLine(tracePath)}.`,
  );
  return 'done';
}

function showHelp(output: Output): Typed {
  const row = (name: string, summary: string): void =>
    output.line(`  ${output.style('name', name.padEnd(NAME_COLUMNS))}  ${summary}`);
  for (const { name, summary } of COMMANDS) row(name, summary);
  row('/<skill> <words>', 'use a skill by its name');
  row('Ctrl-C', 'cancel the answer; twice leaves');
  return 'done';
}

const NAME_COLUMNS = 16;
