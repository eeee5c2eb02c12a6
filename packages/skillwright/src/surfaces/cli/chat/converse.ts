import type { Approve } from '../../../spec/approval.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import type { Invocation } from '../command.ts';
import { reportError } from '../error-report.ts';
import type { Interruption } from '../running/host-process.ts';
import { createApprovalDesk } from './approval-desk.ts';
import { completeCommand, takeTyped, type Typed } from './chat-commands.ts';
import type { ChatSession } from './chat-session.ts';
import { openingLines } from './view/opening-lines.ts';
import { openTerminal, type TerminalOptions } from './terminal.ts';
import { createTurnView, listenersOf, type TurnView } from './view/turn-view.ts';

export type TerminalStreams = Pick<TerminalOptions, 'input' | 'output'>;

/** Talks with a person at a terminal until they leave. Returns the exit code. */
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
  const approve = createApprovalDesk({ output, ask: terminal.ask, pause: () => view.pause() });
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

/** Does what was typed. Whatever becomes of it, the conversation goes on. */
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
