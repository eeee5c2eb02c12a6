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
