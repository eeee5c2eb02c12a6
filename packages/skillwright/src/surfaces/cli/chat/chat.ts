import { PROGRAM } from '../../../spec/program.ts';
import { usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { readInput, watchInterruption, type Interruption } from '../running/host-process.ts';
import { openChatSession, type ChatSession } from './chat-session.ts';
import { converse, type TerminalStreams } from './converse.ts';
import type { AgentResult } from '../../../agent/turn/agent-turn.ts';
import { createErrorOutput, type Output } from '../output.ts';
import { reportTiers, tierForUntrusted } from '../running/tier-reports.ts';
import { createApprovalPrompt } from './approval-prompt.ts';
import { modelLines } from './view/opening-lines.ts';
import { openTerminal } from './terminal.ts';
import { toLine, toJsonText, wrapText } from '../text/terminal-text.ts';
import { createTurnView, listenersOf } from './view/turn-view.ts';
import type { AgentEvent } from '../../../spec/events/agent-events.ts';
import type { TraceEvent, TraceType } from '../../../spec/events/trace.ts';
import type { ExecutionCode } from '../../../spec/execution.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { context } = invocation;
  const session = await openChatSession(invocation);
  const interruption = watchInterruption(context);
  // The terminal is interactive exactly when the user can be asked questions.
  const streams = context.ask === undefined ? undefined : { input: process.stdin, output: process.stdout };
  try {
    const message = await readMessage(invocation);
    if (message === undefined)
      return streams === undefined ? 0 : await converse(invocation, session, { streams, interruption });
    const code = await sayOnce(invocation, session, message, { interruption, streams });
    return interruption.exitCode() ?? code;
  } finally {
    interruption.stop();
    await session.close();
  }
}

/**
 * The message of a chat with a single turn: the command line's words, standard input, or both. `undefined` if the user
 * wants an interactive chat.
 */
async function readMessage({ context, positionals, globals }: Invocation): Promise<string | undefined> {
  if (positionals.length === 0 && context.ask !== undefined) {
    if (globals.json) throw missing();
    return undefined;
  }
  if (positionals.length > 0 && !positionals.includes('-')) return meant(positionals.join(' '));
  const input = await readInput(context);
  if (input === undefined) throw missing();
  // Invalid UTF-8 becomes replacement characters, because a model could not read it anyway.
  const text = new TextDecoder().decode(input);
  const words = positionals.length === 0 ? ['-'] : positionals;
  return meant(words.map((word) => (word === '-' ? text : word)).join('\n\n'));
}

function meant(message: string): string {
  if (message.trim() === '') throw missing();
  return message;
}

function missing(): ReturnType<typeof usageError> {
  return usageError('There is no message.', [
    `Pass it as an argument: ${PROGRAM} chat "how many words are in this sentence?"`,
    `Or pass it on standard input, or start ${PROGRAM} chat in a terminal without --json.`,
  ]);
}

interface OneTurn {
  readonly interruption: Interruption;
  /** The user's terminal. Absent if there is no user to ask. */
  readonly streams?: TerminalStreams | undefined;
}

/** One message and its answer: the answer on standard output, progress on standard error. */
async function sayOnce(
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
  // Opened at the start, so that text typed before a question does not answer it.
  const terminal = streams && openTerminal({ ...streams, ...IN_SILENCE, onInterrupt: () => cancelled.abort() });
  const approve = terminal && createApprovalPrompt({ output, ask: terminal.ask, pause: () => view.pause() });
  const signal = AbortSignal.any([interruption.signal, cancelled.signal]);
  try {
    const failed = watchFailedCalls();
    const result = await session.say(message, { signal, approve, ...listenersOf(view, failed) });
    view.end(result);
    if (cancelled.signal.aborted) return INTERRUPTED;
    activity.lines(failedCallLines(activity, failed.all, await wouldTrustHelp(invocation, session, failed.all)));
    return exitCodeOf(result, failed.all);
  } finally {
    terminal?.close();
  }
}

/** A script must not mistake an answer that follows a failed call for success. */
function exitCodeOf({ reason }: Pick<AgentResult, 'reason'>, failed: readonly FailedCall[]): number {
  return reason === 'end' && failed.length === 0 ? 0 : 1;
}

/**
 * Whether trusting the skills would let a failed call run: either no user could give the approval, or this machine has
 * no sandbox for untrusted skills.
 */
async function wouldTrustHelp(
  { context }: Invocation,
  { skills }: ChatSession,
  failed: readonly FailedCall[],
): Promise<boolean> {
  if (failed.some(({ code }) => code === 'ApprovalRequired')) return true;
  if (!failed.some(({ code }) => code === 'RequirementsMissing')) return false;
  if (skills.every(({ trust }) => trust === 'trusted')) return false;
  return tierForUntrusted(await reportTiers(context)) === undefined;
}

function failedCallLines(output: Output, failed: readonly FailedCall[], offersTrust: boolean): string[] {
  const lines = failed.flatMap(({ tool, code, message }) => {
    const [why = ''] = message.trim().split('\n', 1);
    const text = `Tool '${tool}' failed: ${code === null ? '' : `${code}: `}${why}`;
    const [first = '', ...more] = wrapText(
      toLine(text),
      output.proseColumns - 2,
      output.proseColumns - MARK.length - 1,
    );
    return [`${output.style('error', MARK)} ${first}`, ...more.map((line) => `  ${line}`)];
  });
  const hints = offersTrust ? TRUSTING.flatMap((hint) => wrapText(hint, output.proseColumns - 2)) : [];
  return [...lines, ...hints.map((hint) => output.style('dim', `  ${hint}`))];
}

const MARK = 'error:';

const TRUSTING = [
  '--skills <directory> trusts the skills in a directory for this run.',
  `'${PROGRAM} trust <path>' trusts them permanently.`,
];
const INTERRUPTED = 130;
/** Options for a terminal that only asks questions. */
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

/** Writes events as JSON, one object per line. */
interface EventLines {
  start(facts: { readonly model: string; readonly isDemo: boolean; readonly skills: readonly string[] }): void;
  show(event: AgentEvent): void;
  /** Writes only the traces that no other event covers. */
  showTrace(event: TraceEvent): void;
  end(result: AgentResult, failedCalls: readonly FailedCall[]): void;
}

const TOLD_BY_TRACES: ReadonlySet<TraceType> = new Set<TraceType>(['skill_activated', 'skill_loaded', 'tool_error']);

function createEventLines(output: Output): EventLines {
  // JSON strings contain no line breaks, so every line break is formatting.
  const write = (value: object): void => output.exact(`${toJsonText(value).replaceAll(/\n */g, '')}\n`);
  return {
    start: (facts) => write({ type: 'start', ...facts }),
    show: write,
    showTrace: (event) => TOLD_BY_TRACES.has(event.type) && write(event),
    end: ({ messages: _messages, ...result }, failedCalls) => write({ type: 'result', ...result, failedCalls }),
  };
}

/** A tool whose last call in a turn failed. */
interface FailedCall {
  readonly tool: string;
  /** `null` if the tool itself failed. */
  readonly code: ExecutionCode | null;
  readonly message: string;
}

/**
 * Collects the turn's calls that were refused or failed. A later successful call of the same tool clears its failure.
 */
interface FailedCalls {
  show(event: AgentEvent): void;
  /** Notes the code of an error, whose trace event comes before the event that ends the call. */
  showTrace(event: TraceEvent): void;
  readonly all: readonly FailedCall[];
}

function watchFailedCalls(): FailedCalls {
  const failed = new Map<string, FailedCall>();
  const told = new Map<string, Omit<FailedCall, 'tool'>>();
  return {
    show(event) {
      if (event.type !== 'tool-end') return;
      const { toolName: tool, callId, isError, result } = event;
      failed.delete(tool);
      if (isError) failed.set(tool, { tool, ...(told.get(callId) ?? { code: null, message: result }) });
    },
    showTrace(event) {
      if (event.type !== 'tool_error') return;
      const { callId, code, error: message } = event.data;
      told.set(callId, { code, message });
    },
    get all() {
      return [...failed.values()];
    },
  };
}
