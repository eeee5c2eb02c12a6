/** Lets a limited number of calls run at the same time. Other calls wait, and start in the order in which they came. */
export interface CallSlots {
  /**
   * Waits for a free slot, and runs the work. Rejects with the signal's reason if the signal aborts before the work
   * began.
   */
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

  /** Gives the slot to the call that has waited longest, or frees the slot. */
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
