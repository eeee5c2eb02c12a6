import type { StoredExecution } from '../store/tables/execution-rows.ts';
import type { ExecutionEvent } from './executor.ts';

/** Characters of output kept for late and slow watchers. */
const MAX_OUTPUT = 65_536;
const LEFT_OUT: ExecutionEvent = { type: 'output', stream: 'stderr', text: '[earlier output left out]\n' };

/** The events of one execution, for any number of watchers at any time. */
export interface ExecutionFeed {
  status(execution: StoredExecution): void;
  output(stream: 'stdout' | 'stderr', text: string): void;
  /** Marks the end of the events: watchers get the remaining events and then end. */
  end(): void;
  /** The output that is kept. */
  printed(): readonly ExecutionEvent[];
  /** Replays the kept events, then follows new events. Ends early when the signal aborts. */
  watch(signal: AbortSignal): AsyncGenerator<ExecutionEvent>;
}

interface Numbered {
  readonly number: number;
  readonly event: ExecutionEvent;
}

export function createExecutionFeed(): ExecutionFeed {
  /** The kept events, in ascending order of their numbers. Dropped output leaves gaps. */
  const kept: Numbered[] = [];
  let count = 0;
  let characters = 0;
  /** The number of the last event that was dropped. */
  let dropped = 0;
  let isOver = false;
  let waiting = Promise.withResolvers<void>();

  const wake = (): void => {
    waiting.resolve();
    waiting = Promise.withResolvers<void>();
  };
  const add = (event: ExecutionEvent): void => {
    count += 1;
    kept.push({ number: count, event });
    if (event.type === 'output') characters += event.text.length;
    while (characters > MAX_OUTPUT) dropOldest();
  };
  const dropOldest = (): void => {
    const place = kept.findIndex(({ event }) => event.type === 'output');
    const [oldest] = kept.splice(place, 1);
    if (oldest?.event.type === 'output') characters -= oldest.event.text.length;
    dropped = oldest?.number ?? dropped;
  };
  /** The next event, or a note that some were dropped. */
  const after = (seen: number): Numbered | undefined => {
    const next = kept[placeAfter(kept, seen)];
    const isGap = dropped > seen && (next === undefined || next.number > dropped);
    return isGap ? { number: dropped, event: LEFT_OUT } : next;
  };

  return {
    status(execution) {
      add({ type: 'status', execution });
      wake();
    },
    output(stream, text) {
      for (let start = 0; start < text.length; start += MAX_OUTPUT)
        add({ type: 'output', stream, text: text.slice(start, start + MAX_OUTPUT) });
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    printed: () => [
      ...(dropped > 0 ? [LEFT_OUT] : []),
      ...kept.flatMap(({ event }) => (event.type === 'output' ? [event] : [])),
    ],
    async *watch(signal) {
      const aborted = Promise.withResolvers<void>();
      const onAbort = (): void => aborted.resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        let seen = 0;
        while (!signal.aborted) {
          const next = after(seen);
          if (next !== undefined) {
            seen = next.number;
            yield next.event;
          } else if (isOver) return;
          else await Promise.race([waiting.promise, aborted.promise]);
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

/** The index of the first event whose number is higher than `number`. */
function placeAfter(kept: readonly Numbered[], number: number): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((kept[middle]?.number ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}
