import type { StoredExecution } from '../store/tables/execution-rows.ts';
import { createExecutionFeed } from './execution-watch.ts';
import type { ExecutionEvent } from './executor.ts';

/** An execution that is under way. */
export interface LiveExecution {
  readonly id: string;
  /** Aborts on cancellation, when the caller is gone, and at shutdown. */
  readonly signal: AbortSignal;
  /** Its last state so far; `undefined` before its row is written. */
  readonly state: StoredExecution | undefined;
  /** Its row is written, or has changed. */
  become(state: StoredExecution): void;
  output(stream: 'stdout' | 'stderr', text: string): void;
  /** Ends it, without waiting. */
  abort(): void;
  /** It is over: in this state, or by an error before there was any. */
  end(outcome: { readonly state: StoredExecution } | { readonly error: unknown }): void;
  /** Resolves once its row is written; rejects if it never is. */
  readonly begun: Promise<StoredExecution>;
  readonly ended: Promise<StoredExecution>;
}

/** What is under way in this process. */
export interface LiveExecutions {
  open(id: string, signal: AbortSignal | undefined): LiveExecution;
  get(id: string): LiveExecution | undefined;
  /** Ends what is under way and waits for it; false when there is none. */
  cancel(id: string): Promise<boolean>;
  /** `undefined` when it is not under way. */
  watch(id: string, signal: AbortSignal): AsyncIterable<ExecutionEvent> | undefined;
  /** What one of the last that have ended printed, and its last state without the input and the output. */
  ended(id: string): EndedExecution | undefined;
  /** Ends everything and waits for it. */
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

/** Clients that start a quick one and then look still see its output, 64 KiB of each at most. */
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
  // Not everybody waits for both.
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

/** Inputs and outputs may be large, and the row has them. */
function withoutContent(state: StoredExecution | undefined): EndedExecution['state'] {
  if (state === undefined) return undefined;
  const { input: _input, output: _output, ...rest } = state;
  return rest;
}
