/** A moment at which something is given up: after a time, or when somebody else gives up. */
export interface Deadline {
  /** Aborted when it is over. Its reason is the error to fail with. */
  readonly signal: AbortSignal;
  /** Gives up also if what is waited for from now on has not arrived in time. Waiting anew starts this time again. */
  waitFor(timeoutMs: number, timeoutError: () => Error): void;
  /** What was waited for is there. */
  arrived(): void;
  /** Stops the clock and lets go of the signals. Must be called when the work is done; twice is fine. */
  dispose(): void;
}

export interface DeadlineOptions {
  /** `Infinity`: it is never too late. */
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
  /** Who else may end it, and what the failure then is. */
  readonly cancelledBy: readonly { readonly signal: AbortSignal; readonly error: (reason: unknown) => Error }[];
}

export function createDeadline({ timeoutMs, timeoutError, cancelledBy }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const listeners = cancelledBy.map(({ signal, error }) => ({ signal, listener: () => end(error(signal.reason)) }));
  const timer = startTimer(timeoutMs, () => end(timeoutError()));
  let waiting: NodeJS.Timeout | undefined;
  let isOver = false;
  function dispose(): void {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(waiting);
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
    waitFor(waitMs, waitError) {
      clearTimeout(waiting);
      if (!isOver) waiting = startTimer(waitMs, () => end(waitError()));
    },
    arrived: () => clearTimeout(waiting),
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
