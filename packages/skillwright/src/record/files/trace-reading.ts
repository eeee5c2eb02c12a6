import type { TraceEvent } from '../../spec/events/trace.ts';
import { closeAll, openRecord, readLines } from './recorded-lines.ts';
import { assertCount, assertKnown } from '../recording-error.ts';
import { isTraceEvent } from '../trace-shape.ts';

/** Options of `readTraces`. */
export interface ReadTracesOptions {
  /** Longer lines are not read. Default 16 MiB. */
  readonly maxLineBytes?: number;
}

/** What could not be used of a file of traces; complete when the reading has ended. */
export interface TraceDamage {
  /** Last lines without their end. */
  readonly torn: number;
  /** Lines that are not an event, or too long. */
  readonly garbage: number;
}

/** Trace events, read one by one, and what of the file could not be used. */
export interface TraceReading extends AsyncIterable<TraceEvent> {
  readonly damage: TraceDamage;
}

/**
 * Reads the events of a trace file, with its full files that were moved away, in the order in which they were written.
 * Every field has its declared type. A file that is not there is empty; one that cannot be read makes the iteration
 * throw.
 */
export function readTraces(path: string, options: ReadTracesOptions = {}): TraceReading {
  const { maxLineBytes = 16 * 1024 * 1024 } = options;
  assertKnown(options, ['maxLineBytes']);
  assertCount('maxLineBytes', maxLineBytes);
  const damage = { torn: 0, garbage: 0 };

  async function* read(): AsyncGenerator<TraceEvent> {
    Object.assign(damage, { torn: 0, garbage: 0 });
    const handles = await openRecord(path);
    try {
      for (const handle of handles) {
        for await (const { text, isTerminated } of readLines(handle, maxLineBytes)) {
          const event = text === undefined ? undefined : parseEvent(text);
          if (event !== undefined) yield event;
          else if (!isTerminated) damage.torn += 1;
          else if (text !== '') damage.garbage += 1;
        }
      }
    } finally {
      await closeAll(handles);
    }
  }

  return { damage, [Symbol.asyncIterator]: read };
}

function parseEvent(text: string): TraceEvent | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isTraceEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
