/** Lets a limited number of calls run at the same time. The others wait, in the order in which they came. */
export interface CallSlots {
  /** Waits for a place. Rejects with the signal's reason if the call is no longer wanted before it began. */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export function createCallSlots(max: number): CallSlots {
  const waiting = new Set<() => void>();
  let busy = 0;

  const take = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (busy < max) {
      busy += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(begin);
        reject(signal.reason as Error);
      };
      waiting.add(begin);
      signal.addEventListener('abort', leave, { once: true });
    });
  };

  /** Passes the place on, or frees it. */
  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      busy -= 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    async run(work, signal) {
      await take(signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
