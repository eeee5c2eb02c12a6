import type { StoredTrace, TraceTable } from '../store/tables/trace-table.ts';

/** Keeps traces without anybody waiting: they are written together, a moment later. */
export interface TraceLog {
  add(trace: StoredTrace): void;
  /** Writes the remaining events. Later ones are dropped. May be called again. */
  close(): Promise<void>;
}

export interface TraceLogOptions {
  readonly onError: (error: unknown) => void;
  /** How long traces wait for others. Default 500. */
  readonly delayMs?: number | undefined;
}

const DELAY_MS = 500;
/** Traces that one step writes: others wait for the database while it works. */
const STEP = 50;
/** Traces that wait: where the database does not keep up, later ones are lost, and the gateway goes on. */
const MAX_WAITING = 2_000;

export function createTraceLog(table: Pick<TraceTable, 'add'>, options: TraceLogOptions): TraceLog {
  const { onError, delayMs = DELAY_MS } = options;
  let waiting: StoredTrace[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let isClosed = false;
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const step = waiting.slice(0, STEP);
      waiting = waiting.slice(STEP);
      await table.add(step).catch(onError);
    }
  };
  const write = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeAll);
    return writing;
  };
  return {
    add(trace) {
      if (isClosed || waiting.length >= MAX_WAITING) return;
      waiting.push(trace);
      timer ??= setTimeout(() => void write(), delayMs).unref();
    },
    async close() {
      isClosed = true;
      await write();
    },
  };
}
