/** Decides when to look for changes again. Its timers do not keep the process alive. */
export interface WatchSchedule {
  /** Looks at once; rejects if looking does. */
  lookNow(): Promise<void>;
  /** Reports a change: look once no more changes arrive, but do not delay forever. */
  notify(): void;
  /** Look after this time, with or without a change. Replaces an earlier call. */
  lookIn(ms: number): void;
  close(): void;
}

/** If changes never stop, a refresh starts after this many quiet times, and after a second at most. */
const MAX_PUT_OFFS = 10;
const MAX_PUT_OFF_MS = 1_000;

export interface ScheduleOptions {
  /** The required quiet time, read anew each time. */
  readonly debounceMs: () => number;
  /** Looks for changes. Not started again while it runs. */
  readonly look: () => Promise<void>;
  /** Called with the error when a scheduled look fails. */
  readonly onError: (error: unknown) => void;
}

export function createWatchSchedule({ debounceMs, look, onError }: ScheduleOptions): WatchSchedule {
  let quiet: NodeJS.Timeout | undefined;
  let regular: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isClosed = false;
  /** When the first change arrived that no refresh has covered yet. */
  let waitingSince: number | undefined;

  const run = async (): Promise<void> => {
    clearTimeout(quiet);
    if (isLooking || isClosed) return;
    waitingSince = undefined;
    isLooking = true;
    try {
      await look();
    } finally {
      isLooking = false;
      wait();
    }
  };

  const runIn = (ms: number): NodeJS.Timeout => setTimeout(() => void run().catch(onError), ms).unref();

  const wait = (): void => {
    if (isLooking || isClosed || waitingSince === undefined) return;
    const needed = debounceMs();
    const latest = waitingSince + Math.max(needed, Math.min(needed * MAX_PUT_OFFS, MAX_PUT_OFF_MS));
    clearTimeout(quiet);
    quiet = runIn(Math.max(0, Math.min(needed, latest - performance.now())));
  };

  return {
    lookNow: run,
    notify() {
      waitingSince ??= performance.now();
      wait();
    },
    lookIn(ms) {
      clearTimeout(regular);
      if (isClosed) return;
      regular = runIn(ms);
    },
    close() {
      isClosed = true;
      clearTimeout(quiet);
      clearTimeout(regular);
    },
  };
}
