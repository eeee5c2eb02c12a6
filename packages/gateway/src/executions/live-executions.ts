import type { StoredExecution } from '../store/tables/execution-rows.ts';
import { createExecutionFeed } from './execution-watch.ts';
import type { ExecutionEvent } from './executor.ts';

/** A running execution. */
export interface LiveExecution {
  readonly id: string;
  /** Aborts on cancellation, when the client disconnects, and at shutdown. */
  readonly signal: AbortSignal;
  /** The latest state; `undefined` before the row is written. */
  readonly state: StoredExecution | undefined;
  /** Sets the state once the row is written or has changed. */
  become(state: StoredExecution): void;
  output(stream: 'stdout' | 'stderr', text: string): void;
  /** Aborts the execution without waiting for it. */
  abort(): void;
  /** Ends the execution: with this state, or with an error from before the row was written. */
  end(outcome: { readonly state: StoredExecution } | { readonly error: unknown }): void;
  /** Resolves once the row is written; rejects if it never is. */
  readonly begun: Promise<StoredExecution>;
  readonly ended: Promise<StoredExecution>;
}

/** The running executions of this process. */
export interface LiveExecutions {
  open(id: string, signal: AbortSignal | undefined): LiveExecution;
  get(id: string): LiveExecution | undefined;
  /** Cancels an execution and waits for its end; false if it is not running. */
  cancel(id: string): Promise<boolean>;
  /** Follows an execution. Returns `undefined` if it is not running. */
  watch(id: string, signal: AbortSignal): AsyncIterable<ExecutionEvent> | undefined;
  /** The output of a recently ended execution, and its last state without input and output. */
  ended(id: string): EndedExecution | undefined;
  /** Cancels every execution and waits for their ends. */
  close(): Promise<void>;
}

export interface EndedExecution {
  readonly printed: readonly ExecutionEvent[];
  readonly state: Omit<StoredExecution, 'input' | 'output'> | undefined;
}

interface Entry {
  readonly live: LiveExecution;
  readonly abort: () => void;
  readonly watch: (signal: AbortSignal) => AsyncIterable<ExecutionEvent>;
  readonly printed: () => readonly ExecutionEvent[];
}

/**
 * Keeps the output of the last executions, at most 64 KiB each, for clients that start a short execution and only then
 * ask for its output.
 */
const KEPT_ENDED = 32;

export function createLiveExecutions(begin: () => () => void): LiveExecutions {
  const entries = new Map<string, Entry>();
  const ended = new Map<string, EndedExecution>();
  let isClosed = false;

  const endEntry = async ({ live, abort }: Entry): Promise<void> => {
    abort();
    await live.ended.catch(() => undefined);
  };

  return {
    open(id, signal) {
      const leave = begin();
      const entry = createEntry(id, signal, () => {
        entries.delete(id);
        ended.set(id, { printed: entry.printed(), state: withoutContent(entry.live.state) });
        const [oldest = id] = ended.keys();
        if (ended.size > KEPT_ENDED) ended.delete(oldest);
        leave();
      });
      entries.set(id, entry);
      if (isClosed) entry.abort();
      return entry.live;
    },
    get: (id) => entries.get(id)?.live,
    async cancel(id) {
      const entry = entries.get(id);
      if (entry === undefined) return false;
      await endEntry(entry);
      return true;
    },
    watch: (id, signal) => entries.get(id)?.watch(signal),
    ended: (id) => ended.get(id),
    async close() {
      isClosed = true;
      await Promise.all([...entries.values()].map(endEntry));
    },
  };
}

function createEntry(id: string, signal: AbortSignal | undefined, onEnd: () => void): Entry {
  const controller = new AbortController();
  const feed = createExecutionFeed();
  const begun = Promise.withResolvers<StoredExecution>();
  const ended = Promise.withResolvers<StoredExecution>();
  // Prevents unhandled rejections, because not every caller awaits both promises.
  begun.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);
  const abort = (): void => controller.abort();
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  let state: StoredExecution | undefined;
  let isOver = false;
  const live: LiveExecution = {
    id,
    signal: controller.signal,
    abort,
    begun: begun.promise,
    ended: ended.promise,
    get state() {
      return state;
    },
    become(next) {
      state = next;
      feed.status(next);
      begun.resolve(next);
    },
    output: (stream, text) => {
      if (!isOver) feed.output(stream, text);
    },
    end(outcome) {
      if (isOver) return;
      isOver = true;
      signal?.removeEventListener('abort', abort);
      if ('error' in outcome) {
        begun.reject(outcome.error);
        ended.reject(outcome.error);
      } else {
        live.become(outcome.state);
        ended.resolve(outcome.state);
      }
      feed.end();
      onEnd();
    },
  };
  return { live, abort, watch: (watcher) => feed.watch(watcher), printed: () => feed.printed() };
}

/** Drops the input and the output, because they may be large and the row has them. */
function withoutContent(state: StoredExecution | undefined): EndedExecution['state'] {
  if (state === undefined) return undefined;
  const { input: _input, output: _output, ...rest } = state;
  return rest;
}
