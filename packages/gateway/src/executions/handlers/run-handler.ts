import { setTimeout as delay } from 'node:timers/promises';
import { SkillwrightError } from 'skillwright';
import type { Clock } from '../../spec/clock.ts';
import { GATEWAY_ERROR_DATA, type GatewayErrorCode } from '../../spec/error-data.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { ExecutionEnd, FinalStatus, NewExecution } from '../../store/tables/execution-rows.ts';
import type { ExecutionTable } from '../../store/tables/execution-table.ts';
import { endedExecution, pendingExecution, runningExecution } from '../execution-states.ts';
import type { Handler, HandlerContext } from '../executor.ts';
import type { LateWrites } from '../late-writes.ts';
import type { LiveExecution } from '../live-executions.ts';

/** The most characters of a handler's output, as JSON. */
const MAX_OUTPUT = 4_194_304;
const MAX_MESSAGE = 8_000;

/** How one call of a handler ended. */
interface AttemptOutcome {
  readonly status: FinalStatus;
  /** The output, which is always valid JSON. */
  readonly output?: unknown;
  readonly errorMessage?: string;
  readonly errorCode?: string;
  /** Whether a retry cannot succeed. */
  readonly isFinal: boolean;
}

interface Attempt {
  readonly handler: Handler;
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: HandlerContext;
  readonly timeoutMs: number;
  /** Describes what is wrong with an output, as a sentence. */
  readonly problemOf: (output: unknown) => string | undefined;
}

const CANCELLED: AttemptOutcome = {
  status: 'cancelled',
  errorCode: 'Cancelled',
  errorMessage: 'It was cancelled.',
  isFinal: true,
};

/** The delay before the first retry. It doubles for each further retry. */
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;

export interface HandlerRun extends Omit<Attempt, 'context'> {
  readonly execution: NewExecution;
  /** How often a failed attempt is repeated. */
  readonly retries: number;
  /** Throws if the handler may not be run again. */
  readonly confirm: () => Promise<void>;
}

export interface HandlerRunParts {
  readonly executions: ExecutionTable;
  readonly late: LateWrites;
  readonly now: Clock;
}

/**
 * Takes a handler's execution from its row to its end. Failures become a state; throws only if a row cannot be written.
 */
export async function runHandler(run: HandlerRun, live: LiveExecution, parts: HandlerRunParts): Promise<void> {
  const { executions, late, now } = parts;
  const { execution } = run;
  const startedAt = performance.now();
  await executions.add(execution);
  const pending = pendingExecution(execution);
  live.become(pending);
  const running = runningExecution(pending, now());
  let end: ExecutionEnd;
  try {
    await executions.start(execution.id, running.startedAt ?? now(), null);
    live.become(running);
    end = endOf(await attemptAll(run, live, parts), startedAt, now);
  } catch (error) {
    // Ends the execution even if the store fails.
    const errorCode = error instanceof GatewayError ? error.code : 'Unexpected';
    const errorMessage = messageOf(error);
    end = endOf({ status: 'error', errorCode, errorMessage, isFinal: true }, startedAt, now);
  }
  const written = end;
  await late.write(() => executions.finish(execution.id, written));
  live.end({ state: endedExecution(live.state ?? running, written) });
}

/** How the handler ended, and in which tier it ran. */
type HandlerOutcome = AttemptOutcome & Pick<ExecutionEnd, 'tier'>;

async function attemptAll(run: HandlerRun, live: LiveExecution, parts: HandlerRunParts): Promise<HandlerOutcome> {
  const { executions, late, now } = parts;
  const { id, apiKeyId, sessionId } = run.execution;
  const place: { tier?: string } = {};
  const context = {
    executionId: id,
    apiKeyId,
    sessionId,
    signal: live.signal,
    onOutput: (stream: 'stdout' | 'stderr', text: unknown): void => live.output(stream, String(text)),
    onTier: (tier: string): void => void (place.tier = tier),
  };
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = performance.now();
    await executions.addAttempt(id, attempt, now());
    const outcome = await attemptHandler({ ...run, context });
    const end = endOf({ ...outcome, ...place }, startedAt, now);
    await late.write(() => executions.finishAttempt(id, attempt, end));
    if (outcome.isFinal || attempt > run.retries) return { ...outcome, ...place };
    const waitMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
    await delay(waitMs, undefined, { signal: live.signal }).catch(() => undefined);
    if (live.signal.aborted) return { ...CANCELLED, ...place };
    await run.confirm();
  }
}

function endOf(outcome: HandlerOutcome, startedAt: number, now: Clock): ExecutionEnd {
  const { isFinal: _, ...ending } = outcome;
  return { ...ending, durationMs: Math.round(performance.now() - startedAt), endedAt: now() };
}

/** Calls a handler once. Stops waiting for a handler that ignores its signal. Never rejects. */
async function attemptHandler(attempt: Attempt): Promise<AttemptOutcome> {
  const { context, timeoutMs } = attempt;
  const controller = new AbortController();
  const stopped = Promise.withResolvers<AttemptOutcome>();
  const stop = (outcome: AttemptOutcome): void => {
    stopped.resolve(outcome);
    controller.abort();
  };
  const onAbort = (): void => stop(CANCELLED);
  const timer = setTimeout(() => stop(timedOut(timeoutMs)), timeoutMs);
  context.signal.addEventListener('abort', onAbort, { once: true });
  if (context.signal.aborted) onAbort();
  try {
    const answered = context.signal.aborted ? stopped.promise : call(attempt, controller.signal);
    return await Promise.race([stopped.promise, answered]);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', onAbort);
    controller.abort();
  }
}

async function call({ handler, input, context, problemOf }: Attempt, signal: AbortSignal): Promise<AttemptOutcome> {
  try {
    const answer: unknown = await handler(input, { ...context, signal });
    const text = JSON.stringify(answer ?? null);
    if (text === undefined) return invalid(`The skill returned a ${typeof answer}, which is not JSON.`);
    if (text.length > MAX_OUTPUT) return invalid(`The skill returned more than ${MAX_OUTPUT} characters.`);
    const output = JSON.parse(wellFormed(text)) as unknown;
    const problem = problemOf(output);
    return problem === undefined ? { status: 'success', output, isFinal: true } : invalid(problem);
  } catch (error) {
    return failed(error);
  }
}

/** Removes the escapes that JSON uses for lone surrogates, which databases and clients reject. */
function wellFormed(json: string): string {
  return json.replaceAll(/\\(?:\\|ud[89a-f][\da-f]{2})/g, (escape) => (escape === '\\\\' ? escape : '\ufffd'));
}

function timedOut(timeoutMs: number): AttemptOutcome {
  const errorMessage = `The skill did not finish within ${timeoutMs} ms and was stopped.`;
  return { status: 'timeout', errorCode: 'ExecutionTimeout', errorMessage, isFinal: false };
}

function invalid(errorMessage: string): AttemptOutcome {
  return { status: 'error', errorCode: 'InvalidResult', errorMessage, isFinal: true };
}

function failed(error: unknown): AttemptOutcome {
  const message = (messageOf(error) || 'The skill failed without an error message.').slice(0, MAX_MESSAGE);
  const code: string = SkillwrightError.isInstance(error) ? error.code : 'ExecutionFailed';
  const status = Object.hasOwn(GATEWAY_ERROR_DATA, code) ? GATEWAY_ERROR_DATA[code as GatewayErrorCode].status : 500;
  return { status: 'error', errorCode: code, errorMessage: message, isFinal: status < 500 && status !== 429 };
}

/** Programs can throw any value, including one that cannot be converted to text. */
function messageOf(error: unknown): string {
  try {
    const text: unknown = error instanceof Error ? error.message : error;
    return String(text);
  } catch {
    return '';
  }
}
