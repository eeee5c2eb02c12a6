import type { Invocation } from '../command.ts';
import { createErrorOutput } from '../output.ts';
import type { Interruption } from '../running/host-process.ts';
import { createApprovalDesk } from './approval-desk.ts';
import type { ChatSession } from './chat-session.ts';
import type { TerminalStreams } from './converse.ts';
import { createEventLines } from './event-lines.ts';
import { modelLines } from './opening-lines.ts';
import { openTerminal } from './terminal.ts';
import { wrapText } from '../text-width.ts';
import { createTurnView, listenersOf } from './turn-view.ts';

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
    const listeners = listenersOf(view);
    let isRefused = false;
    const result = await session.say(message, {
      ...listeners,
      signal,
      approve,
      onTrace(event) {
        isRefused ||= event.type === 'tool_error' && event.data.code === 'ApprovalRequired';
        listeners.onTrace(event);
      },
    });
    view.end(result);
    if (isRefused && approve === undefined) activity.lines(wrapText(NOBODY_ASKED, activity.proseColumns));
    if (cancelled.signal.aborted) return INTERRUPTED;
    return result.reason === 'end' ? 0 : 1;
  } finally {
    terminal?.close();
  }
}

const NOBODY_ASKED =
  'Something was not run: its skill is not trusted, and nobody is here to be asked. What --skills <directory> names is trusted, and so is a skill after skillwright trust <skill>.';
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
  const result = await session.say(message, { signal, ...listenersOf(lines) });
  lines.end(result);
  return result.reason === 'end' ? 0 : 1;
}
