import type { StoredTrace, TraceTable } from '../store/tables/trace-table.ts';

/** Writes traces in the background, several at a time. */
export interface TraceLog {
  add(trace: StoredTrace): void;
  /** Writes the remaining traces. Traces added later are dropped. Safe to call again. */
  close(): Promise<void>;
}

export interface TraceLogOptions {
  readonly onError: (error: unknown) => void;
  /** How long traces are buffered. Default 500. */
  readonly delayMs?: number | undefined;
}

const DELAY_MS = 500;
/** How many traces one step writes. Steps are short, because other queries wait for a step to end. */
const STEP = 50;
/** The most traces to buffer. If the database cannot keep up, further traces are dropped. */
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
