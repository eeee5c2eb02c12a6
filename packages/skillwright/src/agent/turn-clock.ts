/** When a turn has to end. */
export interface TurnClock {
  /** Aborts when calls are to end: the time is up, or nobody waits any longer. */
  readonly calls: AbortSignal;
  /** Aborts when everything is to end. */
  readonly everything: AbortSignal;
  /** Why everything ends. */
  readonly reason: 'cancelled' | 'max-time';
  dispose(): void;
}

export interface TurnClockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until nothing more is run. Default: no end. */
  readonly maxTimeMs?: number | undefined;
  /** Milliseconds that the model then has to wind up. */
  readonly graceMs: number;
  /** The time is up. */
  readonly onSpent: () => void;
}

/** The longest that a timer of Node's can wait. */
const MAX_TIMER_MS = 2_147_483_647;

export function createTurnClock({ signal, maxTimeMs, graceMs, onSpent }: TurnClockOptions): TurnClock {
  const calls = new AbortController();
  const everything = new AbortController();
  let reason: TurnClock['reason'] = 'cancelled';
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, act: () => void): void => {
    timers.push(setTimeout(act, Math.min(ms, MAX_TIMER_MS)));
  };
  const end = (): void => {
    calls.abort();
    everything.abort();
  };
  if (maxTimeMs !== undefined && Number.isFinite(maxTimeMs))
    after(maxTimeMs, () => {
      onSpent();
      calls.abort();
      after(graceMs, () => {
        reason = 'max-time';
        end();
      });
    });
  if (signal?.aborted === true) end();
  else signal?.addEventListener('abort', end, { once: true });
  return {
    calls: calls.signal,
    everything: everything.signal,
    get reason() {
      return signal?.aborted === true ? 'cancelled' : reason;
    },
    dispose() {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    },
  };
}
