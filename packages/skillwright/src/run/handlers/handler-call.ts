import type { CapturedOutput } from '../../process/output-capture.ts';
import type { HandlerWorkerLaunch, Sandbox, SandboxExit, SandboxLaunch } from '../../spec/sandbox.ts';
import type { EndReason } from '../scripts/run-program.ts';

/** One call of a handler. */
export interface HandlerRequest {
  /** Calls with the same key may share a worker: it names content, policy and tenant. */
  readonly key: string;
  /** Whose handler it is: the pool ends all workers of an owner at once. */
  readonly owner?: string | undefined;
  readonly sandbox: Sandbox;
  /**
   * How to start a worker for this key, complete except for the worker's own program, channel and handler, which the pool
   * adds after `args`. `executionId` is this call's.
   */
  readonly launch: SandboxLaunch;
  readonly language: HandlerWorkerLaunch['language'];
  /** The handler's file, as the program sees it. */
  readonly file: string;
  /** What the handler is called with. Must have a JSON form. */
  readonly input: unknown;
  /** Counted from when the call is given to a worker, the worker's start included; waiting for a turn is not. */
  readonly timeoutMs: number;
  /** Bytes kept of stdout and of stderr each. */
  readonly maxOutputBytes: number;
  /** Bytes an answer may have as JSON. */
  readonly maxResultBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Sees output while it is written, up to the cap. Errors that it throws are ignored. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
}

/**
 * What a handler answered. `missing`: the file has no handler. `thrown`: it, or loading it, failed. `result`: what it
 * answered has no JSON form.
 */
export type HandlerAnswer =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly kind: 'missing' | 'thrown' | 'result';
      readonly message: string;
      readonly stack?: string;
    };

/**
 * Why there is no answer although nothing stopped the call. `ended`: the worker ended, as by `process.exit()`.
 * `garbled`: something else was written to its channel, or it was closed. `too-large`: the answer is over its limit.
 */
type HandlerProblem = 'ended' | 'garbled' | 'too-large';

/** What came of a call. With the reason `exit` there is either an answer or a problem. */
export interface HandlerOutcome extends SandboxExit {
  readonly reason: EndReason;
  /** 0 after a value, 1 after a failed answer, the worker's own where it ended by itself, otherwise `null`. */
  readonly exitCode: number | null;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly answer?: HandlerAnswer;
  readonly problem?: HandlerProblem;
  /** Why it could not be started. */
  readonly cause?: unknown;
  /** Whether the worker had served calls before. */
  readonly warm: boolean;
}

const NOTHING: CapturedOutput = { text: '', truncated: false, bytes: 0 };

/** The outcome of a call that no worker has begun. */
export function unstartedOutcome(reason: Exclude<EndReason, 'exit'>, cause?: unknown): HandlerOutcome {
  const outcome = { reason, exitCode: null, signal: null, stdout: NOTHING, stderr: NOTHING, warm: false };
  return cause === undefined ? outcome : { ...outcome, cause };
}

/** Why a call is stopped from outside. */
export type StopReason = 'timeout' | 'cancelled';

/** What may stop one call: its signal from the beginning, its timeout once the clock runs, and a call of `stop`. */
export interface HandlerStop {
  /** Why the call is to stop; the first reason counts. */
  readonly reason: StopReason | undefined;
  /** Sets the listener for the stop, in place of the one before. */
  listen(listener: ((reason: StopReason) => void) | undefined): void;
  startClock(): void;
  stop(reason: StopReason): void;
  /** Lets go of the timer and the signal. */
  dispose(): void;
}

/** The longest a timer can be set for. */
const LONGEST_MS = 2 ** 31 - 1;

export function createHandlerStop(timeoutMs: number, signal: AbortSignal | undefined): HandlerStop {
  let timer: NodeJS.Timeout | undefined;
  let reason: StopReason | undefined;
  let tell: ((reason: StopReason) => void) | undefined;
  const cancel = (): void => watch.stop('cancelled');
  const watch: HandlerStop = {
    get reason() {
      return reason;
    },
    listen(listener) {
      tell = listener;
    },
    startClock() {
      timer ??= setTimeout(() => watch.stop('timeout'), Math.min(timeoutMs, LONGEST_MS));
    },
    stop(why) {
      if (reason !== undefined) return;
      reason = why;
      watch.dispose();
      tell?.(why);
    },
    dispose() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    },
  };
  if (signal?.aborted === true) reason = 'cancelled';
  else signal?.addEventListener('abort', cancel, { once: true });
  return watch;
}
