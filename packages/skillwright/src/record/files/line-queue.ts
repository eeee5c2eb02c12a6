/** Takes lines from many at once and writes them one batch after the other, in the order of the calls. */
export interface LineQueue {
  /** Resolves when the line is written; rejects with what `write` threw. */
  add(line: string, sync: boolean): Promise<void>;
  /** Resolves when all that was added before is written or failed. Never rejects. */
  idle(): Promise<void>;
}

interface WaitingLine {
  readonly bytes: Buffer;
  readonly sync: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH_BYTES = 1024 * 1024;

/** `write` is never called before the last call has settled; `sync`: a line of the batch asked for it. */
export function createLineQueue(write: (lines: Buffer, sync: boolean) => Promise<void>): LineQueue {
  let waiting: WaitingLine[] = [];
  let work: Promise<void> = Promise.resolve();
  let isWorking = false;

  function takeBatch(): WaitingLine[] {
    let size = 0;
    const end = waiting.findIndex(({ bytes }, index) => (size += bytes.length) > MAX_BATCH_BYTES && index > 0);
    const batch = end < 0 ? waiting : waiting.slice(0, end);
    waiting = end < 0 ? [] : waiting.slice(end);
    return batch;
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = takeBatch();
      const sync = batch.some((line) => line.sync);
      try {
        await write(Buffer.concat(batch.map(({ bytes }) => bytes)), sync);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isWorking = false;
  }

  return {
    add: (line, sync) =>
      new Promise((resolve, reject) => {
        waiting.push({ bytes: Buffer.from(line), sync, resolve, reject });
        if (isWorking) return;
        isWorking = true;
        work = writeAll();
      }),
    idle: () => work,
  };
}
