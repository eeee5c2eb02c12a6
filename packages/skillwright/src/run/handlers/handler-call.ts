import { NO_OUTPUT, type CapturedOutput } from '../../process/output-capture.ts';
import type { HandlerWorkerLaunch, Sandbox, SandboxExit, SandboxLaunch } from '../../spec/sandbox.ts';
import type { EndReason } from '../scripts/run-program.ts';

/** One call of a handler. */
export interface HandlerRequest {
  /** Calls with the same key may share a worker: it identifies the content, policy and tenant. */
  readonly key: string;
  /** The handler's owner: the pool can end all workers of an owner at once. */
  readonly owner?: string | undefined;
  readonly sandbox: Sandbox;
  /**
   * How to start a worker for this key, without the worker's program, channel and handler, which the pool adds after
   * `args`. `executionId` is this call's.
   */
  readonly launch: SandboxLaunch;
  readonly language: HandlerWorkerLaunch['language'];
  /** The handler's file, by its path inside the sandbox. */
  readonly file: string;
  /** The handler's input. Must have a JSON form. */
  readonly input: unknown;
  /**
   * The call's time limit, counted from when a worker gets it. It includes the worker's start, but not the time in the
   * queue.
   */
  readonly timeoutMs: number;
  /** The most bytes kept of stdout and of stderr each. */
  readonly maxOutputBytes: number;
  /** The size limit of a result as JSON. */
  readonly maxResultBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Gets output as it is written, up to the limit. Errors that it throws are ignored. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
}

/**
 * A handler's result. `missing`: the file has no handler. `thrown`: the handler, or loading it, failed. `result`: the
 * result has no JSON form.
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
 * Why there is no result although nothing stopped the call. `ended`: the worker ended, for example by `process.exit()`.
 * `garbled`: something else was written to the worker's channel, or the channel was closed. `too-large`: the result
 * exceeds the size limit.
 */
type HandlerProblem = 'ended' | 'garbled' | 'too-large';

/** The outcome of a call. With the reason `exit`, there is either a result or a problem. */
export interface HandlerOutcome extends SandboxExit {
  readonly reason: EndReason;
  /** 0 after a value, 1 after a failed result, the worker's own exit code if it ended by itself, otherwise `null`. */
  readonly exitCode: number | null;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly answer?: HandlerAnswer;
  readonly problem?: HandlerProblem;
  /** Why the worker could not be started. */
  readonly cause?: unknown;
  /** Whether the worker had served calls before. */
  readonly warm: boolean;
}

/** The outcome of a call that was stopped or failed before a worker received it. */
export function unstartedOutcome(reason: Exclude<EndReason, 'exit'>, cause?: unknown): HandlerOutcome {
  const outcome = { reason, exitCode: null, signal: null, stdout: NO_OUTPUT, stderr: NO_OUTPUT, warm: false };
  return cause === undefined ? outcome : { ...outcome, cause };
}

/** The reasons for which a call is stopped from outside. */
export type StopReason = 'timeout' | 'cancelled';

/** Stops one call: by its signal from the start, by its timeout once the clock runs, or by calling `stop`. */
export interface HandlerStop {
  /** Why the call should stop; the first reason counts. */
  readonly reason: StopReason | undefined;
  /** Sets the listener for the stop, in place of the previous one. */
  listen(listener: ((reason: StopReason) => void) | undefined): void;
  startClock(): void;
  stop(reason: StopReason): void;
  /** Releases the timer and the signal. */
  dispose(): void;
}

/** The longest delay of a Node timer. */
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
