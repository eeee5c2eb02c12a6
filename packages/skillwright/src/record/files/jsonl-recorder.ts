import type { SkillwrightError } from '../../spec/errors/error.ts';
import type { ExecutionBeginning, ExecutionEnding, Recorder } from '../../spec/recorder.ts';
import { createRecordFile } from './record-file.ts';
import { toPlainRecord } from '../plain-json.ts';
import { assertCount, assertKnown, recordingError } from '../recording-error.ts';

/** Options of `createJsonlRecorder`. */
export interface JsonlRecorderOptions {
  /** Nothing starts before its beginning is on the disk, not only with the operating system. Default false. */
  readonly durable?: boolean;
  /** A file that would grow beyond it is moved to `path.1`; three such files are kept. Default 64 MiB. */
  readonly maxFileBytes?: number;
  /** Bytes kept of one field, such as `stdout` or `args`. Default 64 KiB. */
  readonly maxFieldBytes?: number;
  /** Told of endings that could not be written and files that could not be moved. Errors that it throws are ignored. */
  readonly onError?: (error: SkillwrightError) => void;
}

/**
 * Appends a line of JSON for every beginning and every ending to a file, which only its owner may read. Several
 * recorders, also of several processes, may write to one file.
 */
export interface JsonlRecorder extends Recorder {
  /** Rejects when the line could not be written. */
  begin(beginning: ExecutionBeginning): Promise<void>;
  /** Never rejects: see `onError`. */
  end(ending: ExecutionEnding): Promise<void>;
  /** Resolves when all that was recorded before is on the disk. */
  flush(): Promise<void>;
  /** Writes what is waiting and closes the file; nothing can be recorded afterwards. Never rejects. */
  close(): Promise<void>;
}

type LineType = 'execution-begin' | 'execution-end';

/**
 * Records executions in a file, a line of JSON for each beginning and each end. Touches no file before the first
 * beginning. Directories that are missing are made then.
 */
export function createJsonlRecorder(path: string, options: JsonlRecorderOptions = {}): JsonlRecorder {
  const { durable = false, maxFileBytes = 64 * 1024 * 1024, maxFieldBytes = 64 * 1024 } = options;
  assertKnown(options, ['durable', 'maxFileBytes', 'maxFieldBytes', 'onError']);
  assertCount('maxFieldBytes', maxFieldBytes);
  const { queue, report, close } = createRecordFile(path, maxFileBytes, options.onError);
  let closing: Promise<void> | undefined;

  async function record(type: LineType, fields: object, sync: boolean): Promise<void> {
    if (closing !== undefined)
      throw recordingError(path, 'was closed', { remedy: 'Make a new recorder to record more.' });
    await queue.add(lineOf(type, fields, maxFieldBytes), sync);
  }

  return {
    begin: (beginning) => record('execution-begin', beginning, durable),
    end: (ending) => record('execution-end', ending, false).catch(report),
    // Writes no line, but syncs the earlier ones to the disk.
    flush: () => closing ?? queue.add('', true),
    close: () => (closing ??= close()),
  };
}

function lineOf(type: LineType, fields: object, maxFieldBytes: number): string {
  return `${JSON.stringify({ type, ...toPlainRecord(fields, maxFieldBytes) })}\n`;
}
