/** A signal that aborts after a time, or when another signal aborts. */
export interface Deadline {
  /** Aborts when the deadline is over. Its reason is the error to fail with. */
  readonly signal: AbortSignal;
  /** Restarts the time limit of `silence`. */
  waitFor(): void;
  /** Stops the time limit of `silence`: the expected data has arrived. */
  arrived(): void;
  /** Stops the timer and releases the signals. Must be called when the work is done; safe to call again. */
  dispose(): void;
}

export interface DeadlineOptions {
  /** The time limit in milliseconds; `Infinity` for no limit. */
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
  /**
   * How long the caller waits for more data, and the error if none arrives. Default: only the deadline limits the wait.
   */
  readonly silence?: { readonly timeoutMs: number; readonly error: () => Error };
  /** Other signals that end the deadline early, each with its error. */
  readonly cancelledBy: readonly { readonly signal: AbortSignal; readonly error: (reason: unknown) => Error }[];
}

export function createDeadline({ timeoutMs, timeoutError, silence, cancelledBy }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const listeners = cancelledBy.map(({ signal, error }) => ({ signal, listener: () => end(error(signal.reason)) }));
  const timer = startTimer(timeoutMs, () => end(timeoutError()));
  let silenceTimer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let isOver = false;
  function dispose(): void {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(silenceTimer);
    for (const { signal, listener } of listeners) signal.removeEventListener('abort', listener);
  }
  function end(error: Error): void {
    dispose();
    controller.abort(error);
  }
  for (const { signal, listener } of listeners) {
    if (signal.aborted) {
      listener();
      break;
    }
    signal.addEventListener('abort', listener, { once: true });
  }
  return {
    signal: controller.signal,
    waitFor() {
      if (isOver || silence === undefined) return;
      isWaiting = true;
      if (silenceTimer !== undefined) silenceTimer.refresh();
      else silenceTimer = startTimer(silence.timeoutMs, () => isWaiting && end(silence.error()));
    },
    arrived() {
      isWaiting = false;
    },
    dispose,
  };
}

/** Starts a timer that does not keep the process alive: only the work that the deadline limits may do that. */
function startTimer(timeoutMs: number, ring: () => void): NodeJS.Timeout | undefined {
  return timeoutMs === Infinity ? undefined : setTimeout(ring, timeoutMs).unref();
}

/** Settles like `work`, or rejects with the signal's reason as soon as it aborts. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
