/** A moment at which something is given up: after a time, or when somebody else gives up. */
export interface Deadline {
  /** Aborted when it is over. Its reason is the error to fail with. */
  readonly signal: AbortSignal;
  /** Starts the time of `silence` again. */
  waitFor(): void;
  /** Stops the time of `silence`: what the caller waits for has arrived. */
  arrived(): void;
  /** Stops the clock and lets go of the signals. Must be called when the work is done; twice is fine. */
  dispose(): void;
}

export interface DeadlineOptions {
  /** `Infinity`: it is never too late. */
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
  /** How long the caller waits for the next thing to arrive, and the error if it does not. Default: no limit but the deadline. */
  readonly silence?: { readonly timeoutMs: number; readonly error: () => Error };
  /** Who else may end it, and what the failure then is. */
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

/** What is waited for keeps the process alive; the clock alone does not. */
function startTimer(timeoutMs: number, ring: () => void): NodeJS.Timeout | undefined {
  return timeoutMs === Infinity ? undefined : setTimeout(ring, timeoutMs).unref();
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted. */
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
