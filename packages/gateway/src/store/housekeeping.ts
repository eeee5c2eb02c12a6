import type { Clock } from '../spec/clock.ts';
import type { Store } from './open-store.ts';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
/** Rows that one step removes: others wait while it works. */
const STEP = 500;
/** How long a question to a person is kept after it, or its answer, has expired. */
const APPROVAL_DAYS = 30;
/** How long it is known who changed what. */
const AUDIT_DAYS = 365;

export interface HousekeepingOptions {
  readonly now: Clock;
  readonly executionDays: number;
  readonly traceDays: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Removes what has expired and keeps the rest quick: once now, then every minute, if the database passes its check. Returns what ends it and waits for the step
 * that is under way.
 */
export function startHousekeeping(
  store: Store,
  { now, executionDays, traceDays, onError }: HousekeepingOptions,
): () => Promise<void> {
  let isOver = false;
  const clean = async (): Promise<void> => {
    if (!isOver) await store.check();
    const steps = [
      () => store.ledger.removeExpired(now(), STEP),
      () => store.executions.removeEndedBefore(now() - executionDays * DAY_MS, STEP),
      () => store.traces.removeBefore(now() - traceDays * DAY_MS, STEP),
      () => store.approvals.removeExpired(now() - APPROVAL_DAYS * DAY_MS, STEP),
      () => store.audit.removeBefore(now() - AUDIT_DAYS * DAY_MS, STEP),
    ];
    for (const step of steps) {
      let removed = STEP;
      while (removed >= STEP && !isOver) removed = await step();
    }
    if (!isOver) await store.maintain();
  };
  let cleaning = Promise.resolve();
  const run = (): void => {
    cleaning = cleaning.then(clean).catch(onError);
  };
  const timer = setInterval(run, EVERY_MS).unref();
  run();
  return async () => {
    isOver = true;
    clearInterval(timer);
    await cleaning;
  };
}
