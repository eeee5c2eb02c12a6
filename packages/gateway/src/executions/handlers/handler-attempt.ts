import { SkillwrightError } from 'skillwright';
import { GATEWAY_ERROR_DATA, type GatewayErrorCode } from '../../spec/error-data.ts';
import type { FinalStatus } from '../../store/tables/execution-rows.ts';
import type { Handler, HandlerContext } from '../executor.ts';

/** Characters of what a handler answers, as JSON. */
const MAX_OUTPUT = 4_194_304;
const MAX_MESSAGE = 8_000;

/** How one call of a handler ended. */
export interface AttemptOutcome {
  readonly status: FinalStatus;
  /** Known to be JSON. */
  readonly output?: unknown;
  readonly errorMessage?: string;
  readonly errorCode?: string;
  /** Calling it again would come to the same. */
  readonly isFinal: boolean;
}

export interface Attempt {
  readonly handler: Handler;
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: HandlerContext;
  readonly timeoutMs: number;
  /** What is wrong with an answer, as a sentence. */
  readonly problemOf: (output: unknown) => string | undefined;
}

export const CANCELLED: AttemptOutcome = {
  status: 'cancelled',
  errorCode: 'Cancelled',
  errorMessage: 'It was cancelled.',
  isFinal: true,
};

/** Calls a handler. One that does not heed its signal is not waited for. Never rejects. */
export async function attemptHandler(attempt: Attempt): Promise<AttemptOutcome> {
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
    if (text === undefined) return invalid(`It answered a ${typeof answer}, which is no JSON.`);
    if (text.length > MAX_OUTPUT) return invalid(`It answered more than ${MAX_OUTPUT} characters.`);
    const output = JSON.parse(wellFormed(text)) as unknown;
    const problem = problemOf(output);
    return problem === undefined ? { status: 'success', output, isFinal: true } : invalid(problem);
  } catch (error) {
    return failed(error);
  }
}

/** JSON writes halves of characters as escapes, and nothing else that begins so; no database and no client takes them. */
function wellFormed(json: string): string {
  return json.replaceAll(/\\(?:\\|ud[89a-f][\da-f]{2})/g, (escape) => (escape === '\\\\' ? escape : '\ufffd'));
}

function timedOut(timeoutMs: number): AttemptOutcome {
  const errorMessage = `It did not finish within ${timeoutMs} ms and was ended.`;
  return { status: 'timeout', errorCode: 'ExecutionTimeout', errorMessage, isFinal: false };
}

function invalid(errorMessage: string): AttemptOutcome {
  return { status: 'error', errorCode: 'InvalidResult', errorMessage, isFinal: true };
}

function failed(error: unknown): AttemptOutcome {
  const message = (messageOf(error) || 'It failed without saying why.').slice(0, MAX_MESSAGE);
  const code: string = SkillwrightError.isInstance(error) ? error.code : 'ExecutionFailed';
  const status = Object.hasOwn(GATEWAY_ERROR_DATA, code) ? GATEWAY_ERROR_DATA[code as GatewayErrorCode].status : 500;
  return { status: 'error', errorCode: code, errorMessage: message, isFinal: status < 500 && status !== 429 };
}

/** Programs throw anything, also what cannot be made a text. */
function messageOf(error: unknown): string {
  try {
    const text: unknown = error instanceof Error ? error.message : error;
    return String(text);
  } catch {
    return '';
  }
}
