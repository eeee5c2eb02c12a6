import { invalidOption } from '../../spec/errors/error.ts';
import type { SkillwrightError } from '../../spec/errors/error.ts';
import type { TraceEvent, TraceListener } from '../../spec/events/trace.ts';
import { createRecordFile } from './record-file.ts';
import { toPlainRecord } from '../plain-json.ts';
import { assertCount, recordingError, assertKnown } from '../recording-error.ts';
import { readRecord } from './recorded-lines.ts';
import { isTraceEvent } from '../trace-shape.ts';

/** Options of `createTraceFile`. */
export interface TraceFileOptions {
  /** A file that would exceed this size is moved to `path.1`; three such files are kept. Default 64 MiB. */
  readonly maxFileBytes?: number;
  /** The most bytes of one field, such as `arguments` or `result`. Default 64 KiB. */
  readonly maxFieldBytes?: number;
  /** The most bytes that may wait for a slow disk. Further events are dropped and counted. Default 8 MiB. */
  readonly maxWaitingBytes?: number;
  /**
   * Called once for each gap of events that could not be written, and for files that could not be moved. Errors that it
   * throws are ignored.
   */
  readonly onError?: (error: SkillwrightError) => void;
}

/** A file of trace events, one JSON line each, that only its owner can read. Several writers may write to one file. */
export interface TraceFile {
  /** Pass it as `onTrace`. Returns at once and never throws; failures are reported to `onError`. */
  readonly listener: TraceListener;
  /** Events that were not written: the disk was too slow or full, or the file was closed. */
  readonly dropped: number;
  /** Writes pending events and closes the file; later events are dropped. Never rejects. */
  close(): Promise<void>;
}

/** Writes trace events to a file, one JSON line each. Creates the file and missing directories on the first event. */
export function createTraceFile(path: string, options: TraceFileOptions = {}): TraceFile {
  const {
    maxFileBytes = 64 * 1024 * 1024,
    maxFieldBytes = 64 * 1024,
    maxWaitingBytes = 8 * 1024 * 1024,
    onError,
  } = options;
  assertKnown(options, ['maxFileBytes', 'maxFieldBytes', 'maxWaitingBytes', 'onError']);
  for (const [name, value] of Object.entries({ maxFieldBytes, maxWaitingBytes })) assertCount(name, value);
  if (onError !== undefined && typeof onError !== 'function') throw invalidOption('onError', 'must be a function');
  const { queue, report, close } = createRecordFile(path, maxFileBytes, onError);
  let waiting = 0;
  let dropped = 0;
  let isGap = false;
  let closing: Promise<void> | undefined;

  const drop = (cause: unknown): void => {
    dropped += 1;
    if (!isGap) report(cause);
    isGap = true;
  };

  const add = async (line: string, bytes: number): Promise<void> => {
    waiting += bytes;
    try {
      await queue.add(line, false);
      isGap = false;
    } catch (error) {
      drop(error);
    } finally {
      waiting -= bytes;
    }
  };

  const listener = (event: TraceEvent): void => {
    if (closing !== undefined) return drop(recordingError(path, 'was closed', { remedy: CLOSED }));
    const line = lineOf(event, maxFieldBytes);
    if (line === undefined) return drop(recordingError(path, 'received an invalid event', { remedy: SHAPE }));
    const bytes = Buffer.byteLength(line);
    if (waiting > 0 && waiting + bytes > maxWaitingBytes)
      return drop(recordingError(path, 'cannot be written fast enough', { remedy: SLOW }));
    return void add(line, bytes);
  };

  return {
    listener,
    get dropped() {
      return dropped;
    },
    close: () => (closing ??= close()),
  };
}

const SHAPE = 'Pass events as the agent emits them: { type, timestamp, data }.';
const CLOSED = 'Close it only after the last run has ended.';
const SLOW = 'Use a path on a faster disk, or raise maxWaitingBytes.';

/** The line for an event; `undefined` for a value that is not an event or cannot be read. */
function lineOf(event: TraceEvent, maxFieldBytes: number): string | undefined {
  try {
    const { type, timestamp, data } = event;
    if (typeof type !== 'string' || typeof timestamp !== 'string') return undefined;
    if (typeof data !== 'object' || (data as unknown) === null) return undefined;
    return `${JSON.stringify({ type, timestamp, data: toPlainRecord(data, maxFieldBytes) })}\n`;
  } catch {
    return undefined;
  }
}

/** Options of `readTraces`. */
export interface ReadTracesOptions {
  /** Longer lines are skipped. Default 16 MiB. */
  readonly maxLineBytes?: number;
}

/** The unusable parts of a file of traces; complete once reading has ended. */
export interface TraceDamage {
  /** Incomplete last lines. */
  readonly torn: number;
  /** Lines that are not an event, or are too long. */
  readonly garbage: number;
}

/** Trace events, read one at a time, and the unusable parts of the file. */
export interface TraceReading extends AsyncIterable<TraceEvent> {
  readonly damage: TraceDamage;
}

/**
 * Reads the events of a trace file and of its full files that were moved away, in the order in which they were written.
 * Every field has its declared type. A missing file is empty; if a file cannot be read, the iteration throws.
 */
export function readTraces(path: string, options: ReadTracesOptions = {}): TraceReading {
  const { maxLineBytes = 16 * 1024 * 1024 } = options;
  assertKnown(options, ['maxLineBytes']);
  assertCount('maxLineBytes', maxLineBytes);
  const damage = { torn: 0, garbage: 0 };

  async function* read(): AsyncGenerator<TraceEvent> {
    Object.assign(damage, { torn: 0, garbage: 0 });
    yield* readRecord(path, { maxLineBytes, damage }, parseEvent);
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
