/** A moment at which something is given up: after a time, or when somebody else gives up. */
export interface Deadline {
  /** Aborted when it is over. Its reason is the error to fail with. */
  readonly signal: AbortSignal;
  /** Stops the clock and lets go of the signals. Must be called when the work is done; twice is fine. */
  dispose(): void;
}

export interface DeadlineOptions {
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
  /** Who else may end it, and what the failure then is. */
  readonly cancelledBy: readonly { readonly signal: AbortSignal; readonly error: (reason: unknown) => Error }[];
}

export function createDeadline({ timeoutMs, timeoutError, cancelledBy }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const listeners = cancelledBy.map(({ signal, error }) => ({ signal, listener: () => end(error(signal.reason)) }));
  // What is waited for keeps the process alive; the clock alone does not.
  const timer = setTimeout(() => end(timeoutError()), timeoutMs).unref();
  function dispose(): void {
    clearTimeout(timer);
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
  return { signal: controller.signal, dispose };
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
