import { setTimeout as wait } from 'node:timers/promises';
import { untilAborted } from '../until-aborted.ts';

/** Decides when a turn has to end. */
export interface TurnClock {
  /** Aborts when calls have to end: the time is up, or the caller gave up. */
  readonly calls: AbortSignal;
  /** Aborts when everything has to end. */
  readonly everything: AbortSignal;
  /** Why everything ends. */
  readonly reason: 'cancelled' | 'max-time';
  /** The message of the caller that cancelled the turn, if there is one. */
  readonly message: string | undefined;
  /** Milliseconds until no more calls are run; after that, milliseconds until everything ends. */
  readonly leftMs: number;
  /** Starts a time limit that counts from the first call. May be called again. */
  start(): void;
  /** Ends everything now if `isPutOff` has postponed the end. */
  endIfDue(): void;
  dispose(): void;
}

export interface TurnClockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until no more calls are run. Default: no limit. */
  readonly maxTimeMs?: number | undefined;
  /** Whether the time limit counts from `start()` instead of from the clock's creation. Default false. */
  readonly isHeld?: boolean | undefined;
  /** Whether to postpone the end of everything until `endIfDue`. Default never. */
  readonly isPutOff?: (() => boolean) | undefined;
  /** Milliseconds that the model has to finish once no more calls are run. */
  readonly graceMs: number;
  /** Called when the time is up. */
  readonly onSpent: () => void;
}

/** How long to wait for work that continues after its signal has aborted. */
const END_MS = 5_000;
/** The longest delay of a Node timer. */
const MAX_TIMER_MS = 2_147_483_647;

export function createTurnClock(options: TurnClockOptions): TurnClock {
  const { signal, maxTimeMs, graceMs, onSpent } = options;
  const calls = new AbortController();
  const everything = new AbortController();
  let reason: TurnClock['reason'] = 'cancelled';
  let endsAt = Number.POSITIVE_INFINITY;
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, act: () => void): void => {
    endsAt = performance.now() + ms;
    timers.push(setTimeout(act, Math.min(ms, MAX_TIMER_MS)));
  };
  const end = (): void => {
    calls.abort();
    everything.abort();
  };
  let isStarted = false;
  let isDue = false;
  const endIfDue = (): void => {
    if (!isDue || everything.signal.aborted) return;
    reason = 'max-time';
    end();
  };
  const start = (): void => {
    if (isStarted || maxTimeMs === undefined || !Number.isFinite(maxTimeMs)) return;
    isStarted = true;
    after(maxTimeMs, () => {
      onSpent();
      calls.abort();
      after(graceMs, () => {
        isDue = true;
        if (options.isPutOff?.() !== true) endIfDue();
      });
    });
  };
  if (options.isHeld !== true) start();
  if (signal?.aborted === true) end();
  else signal?.addEventListener('abort', end, { once: true });
  return {
    calls: calls.signal,
    everything: everything.signal,
    get reason() {
      return signal?.aborted === true ? 'cancelled' : reason;
    },
    get message() {
      const why: unknown = signal?.reason;
      // The message of a plain `abort()` says nothing.
      return why instanceof Error && why.name !== 'AbortError' ? why.message : undefined;
    },
    get leftMs() {
      return Math.max(0, endsAt - performance.now());
    },
    start,
    endIfDue,
    dispose() {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    },
  };
}

/**
 * Starts work and waits for it, but only for a bounded time once everything has to end. Work that ignores its signal
 * continues unobserved. Rejects when the work does.
 */
export async function untilGivenUp(work: () => unknown, signal: AbortSignal): Promise<void> {
  const begun = work();
  if (begun === undefined) return;
  const done = Promise.resolve(begun);
  const waited = await untilAborted(() => done, signal);
  if (!waited.isAborted) return;
  const timer = new AbortController();
  const givenUp = wait(END_MS, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([done, givenUp]).finally(() => timer.abort());
}
