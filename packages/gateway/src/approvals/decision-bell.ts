/** One who waits for a decision. */
export interface Listening {
  /** Resolves when the bell was rung since listening began, when the signal aborts, or after this long. */
  heard(timeoutMs: number, signal: AbortSignal): Promise<void>;
  stop(): void;
}

/** Tells those who wait for a decision that there is one. */
export interface DecisionBell {
  listen(id: string): Listening;
  ring(id: string): void;
}

export function createDecisionBell(): DecisionBell {
  const listeners = new Map<string, Set<() => void>>();
  return {
    listen: (id) => {
      const rung = new AbortController();
      const wake = (): void => rung.abort();
      const those = listeners.get(id) ?? new Set();
      listeners.set(id, those.add(wake));
      return {
        heard: (timeoutMs, signal) => until(AbortSignal.any([rung.signal, signal]), timeoutMs),
        stop: () => {
          those.delete(wake);
          if (those.size === 0 && listeners.get(id) === those) listeners.delete(id);
        },
      };
    },
    ring: (id) => {
      for (const wake of listeners.get(id) ?? []) wake();
    },
  };
}

function until(signal: AbortSignal, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end);
  });
}
