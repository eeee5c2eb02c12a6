import { GatewayError } from '../spec/gateway-error.ts';

/** The delay between two retries of a failed write. */
const AGAIN_MS = 5_000;

/**
 * Queues writes that must happen but may happen later: if the disk is full, the end of an execution must still be
 * recorded eventually.
 */
export interface LateWrites {
  /** Settles when the write is done, or queued for a retry. Writes keep their order. */
  write(work: () => Promise<unknown>): Promise<void>;
  /** Retries the queue once more, and drops the writes that still fail. */
  close(): Promise<void>;
}

export function createLateWrites(onError: (error: unknown) => void): LateWrites {
  const kept: (() => Promise<unknown>)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    for (let [work] = kept; work !== undefined; [work] = kept) {
      try {
        await work();
      } catch (error) {
        onError(error);
        // A later attempt may succeed. A permanent failure must not block the writes after it.
        if (error instanceof GatewayError && PASSING.has(error.code)) return;
      }
      kept.shift();
    }
    clearInterval(timer);
    timer = undefined;
  };
  const tryAgain = (): Promise<void> =>
    (flushing ??= flush().finally(() => {
      flushing = undefined;
    }));

  return {
    async write(work) {
      kept.push(work);
      await tryAgain();
      // If another write was queued during the retry, schedule another retry.
      if (kept.length > 0 && timer === undefined) {
        await tryAgain();
        if (kept.length > 0) timer ??= setInterval(() => void tryAgain(), AGAIN_MS).unref();
      }
    },
    async close() {
      if (kept.length > 0) await tryAgain();
      clearInterval(timer);
    },
  };
}

const PASSING: ReadonlySet<string> = new Set(['StoreFull', 'StoreUnavailable', 'StoreInUse']);
