import type { Clock } from '../spec/clock.ts';
import type { Store } from './open-store.ts';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
/** How many rows one step removes. Steps are short, because other queries wait for a step to end. */
const STEP = 500;
/** How long an approval is kept after it has expired. */
const APPROVAL_DAYS = 30;
/** How long audit entries are kept. */
const AUDIT_DAYS = 365;

export interface HousekeepingOptions {
  readonly now: Clock;
  readonly executionDays: number;
  readonly traceDays: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Removes expired rows and maintains the database, at the start and then every minute. Does nothing while the database
 * fails its check. Returns a function that stops the housekeeping and waits for the current step.
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
