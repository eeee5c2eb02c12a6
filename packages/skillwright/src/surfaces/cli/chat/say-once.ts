import { PROGRAM } from '../../../spec/program.ts';
import type { AgentResult } from '../../../agent/turn/agent-turn.ts';
import type { Invocation } from '../command.ts';
import { createErrorOutput, type Output } from '../output.ts';
import type { Interruption } from '../running/host-process.ts';
import { createApprovalDesk } from './approval-desk.ts';
import type { ChatSession } from './chat-session.ts';
import type { TerminalStreams } from './converse.ts';
import { createEventLines } from './view/event-lines.ts';
import { watchFailedCalls, type FailedCall } from './failed-calls.ts';
import { modelLines } from './view/opening-lines.ts';
import { openTerminal } from './terminal.ts';
import { toLine } from '../text/terminal-text.ts';
import { wrapText } from '../text/text-width.ts';
import { createTurnView, listenersOf } from './view/turn-view.ts';

interface OneTurn {
  readonly interruption: Interruption;
  /** Where a person can be asked; absent where nobody is there. */
  readonly streams?: TerminalStreams | undefined;
}

/** One message and its answer: on standard output, with what is done on the way on standard error. */
export async function sayOnce(
  invocation: Invocation,
  session: ChatSession,
  message: string,
  { interruption, streams }: OneTurn,
): Promise<number> {
  const { output, context, globals } = invocation;
  if (globals.json) return sayInJson(invocation, session, message, interruption.signal);
  const activity = createErrorOutput(context);
  const view = createTurnView({ answer: output, activity });
  if (session.model.client.isDemo === true) activity.lines(modelLines(activity, session));
  const cancelled = new AbortController();
  // Open from the start: what is typed before a question must not answer it.
  const terminal = streams && openTerminal({ ...streams, ...IN_SILENCE, onInterrupt: () => cancelled.abort() });
  const approve = terminal && createApprovalDesk({ output, ask: terminal.ask, pause: () => view.pause() });
  const signal = AbortSignal.any([interruption.signal, cancelled.signal]);
  try {
    const failed = watchFailedCalls();
    const result = await session.say(message, { signal, approve, ...listenersOf(view, failed) });
    view.end(result);
    if (cancelled.signal.aborted) return INTERRUPTED;
    activity.lines(failedCallLines(activity, failed.all));
    return exitCodeOf(result, failed.all);
  } finally {
    terminal?.close();
  }
}

/** An answer that a failed call led to must not look like success to a script. */
function exitCodeOf({ reason }: Pick<AgentResult, 'reason'>, failed: readonly FailedCall[]): number {
  return reason === 'end' && failed.length === 0 ? 0 : 1;
}

function failedCallLines(output: Output, failed: readonly FailedCall[]): string[] {
  const lines = failed.flatMap(({ tool, code, message }) => {
    const [why = ''] = message.trim().split('\n', 1);
    const text = `Tool '${tool}' did not succeed: ${code === null ? '' : `${code}: `}${why}`;
    const [first = '', ...more] = wrapText(
      toLine(text),
      output.proseColumns - 2,
      output.proseColumns - MARK.length - 1,
    );
    return [`${output.style('error', MARK)} ${first}`, ...more.map((line) => `  ${line}`)];
  });
  const isUnasked = failed.some(({ code }) => code === 'ApprovalRequired');
  const hints = isUnasked ? NOBODY_ASKED.flatMap((hint) => wrapText(hint, output.proseColumns - 2)) : [];
  return [...lines, ...hints.map((hint) => output.style('dim', `  ${hint}`))];
}

const MARK = 'error:';

const NOBODY_ASKED = [
  '--skills <directory> trusts what is in a directory, for this once.',
  `'${PROGRAM} trust <path>' trusts it from now on.`,
];
const INTERRUPTED = 130;
/** Of a terminal that is there for questions only. */
const IN_SILENCE = { prompt: '', leaveHint: '', onLeave: (): void => {} };

async function sayInJson(
  { output }: Invocation,
  session: ChatSession,
  message: string,
  signal: AbortSignal,
): Promise<number> {
  const lines = createEventLines(output);
  const { model, skills } = session;
  lines.start({ model: model.name, isDemo: model.client.isDemo === true, skills: skills.map(({ name }) => name) });
  const failed = watchFailedCalls();
  const result = await session.say(message, { signal, ...listenersOf(lines, failed) });
  lines.end(result, failed.all);
  return exitCodeOf(result, failed.all);
}
