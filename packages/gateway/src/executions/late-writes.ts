import { GatewayError } from '../spec/gateway-error.ts';

/** How often what could not be written is tried again. */
const AGAIN_MS = 5_000;

/** Writes that must happen, but need not happen now: a full disk must not leave an execution without its end. */
export interface LateWrites {
  /** Settles when it is written, or kept to be tried again. Writes keep their order. */
  write(work: () => Promise<unknown>): Promise<void>;
  /** Tries once more what is kept; what still fails is given up. */
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
        if (isPassing(error)) return;
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
      // It may have come while the others were being written.
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

/** Whether a later attempt may succeed. Any other failure would block all later writes forever. */
function isPassing(error: unknown): boolean {
  return error instanceof GatewayError && PASSING.has(error.code);
}

const PASSING: ReadonlySet<string> = new Set(['StoreFull', 'StoreUnavailable', 'StoreInUse']);
