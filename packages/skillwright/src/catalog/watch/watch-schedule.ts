/** When to look again after something has happened. Its timers do not keep the process alive. */
export interface WatchSchedule {
  /** Looks at once; rejects as looking does. */
  lookNow(): Promise<void>;
  /** Something happened: look once no more changes arrive, but do not delay forever. */
  notify(): void;
  /** Look after this time, whether or not something happens. Replaces an earlier call. */
  lookIn(ms: number): void;
  close(): void;
}

/** When changes never stop, a refresh starts after this many times the requested quiet time, and after a second at most. */
const MAX_PUT_OFFS = 10;
const MAX_PUT_OFF_MS = 1_000;

export interface ScheduleOptions {
  /** How long it must be quiet. Asked anew each time. */
  readonly debounceMs: () => number;
  /** While it goes on it is not started again. */
  readonly look: () => Promise<void>;
  /** Told why looking failed when its time had come. */
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
