import type { SkillwrightError } from '../../spec/errors/error.ts';
import type { ExecutionBeginning, ExecutionEnding, Recorder } from '../../spec/recorder.ts';
import { createRecordFile } from './record-file.ts';
import { toPlainRecord } from '../plain-json.ts';
import { assertCount, recordingError, assertKnown } from '../recording-error.ts';

/** Options of `createJsonlRecorder`. */
export interface JsonlRecorderOptions {
  /**
   * Wait until a run's start is on the disk, not only passed to the operating system, before the run starts. Default
   * false.
   */
  readonly durable?: boolean;
  /** A file that would exceed this size is moved to `path.1`; three such files are kept. Default 64 MiB. */
  readonly maxFileBytes?: number;
  /** The most bytes of one field, such as `stdout` or `args`. Default 64 KiB. */
  readonly maxFieldBytes?: number;
  /**
   * Called for endings that could not be written and files that could not be moved. Errors that it throws are ignored.
   */
  readonly onError?: (error: SkillwrightError) => void;
}

/**
 * Appends a JSON line to a file for the start and the end of every run. Only the file's owner can read it. Several
 * recorders, even in several processes, may write to one file.
 */
export interface JsonlRecorder extends Recorder {
  /** Writes the start of a run. Rejects if the line could not be written. */
  begin(beginning: ExecutionBeginning): Promise<void>;
  /** Writes the end of a run. Never rejects: failures go to `onError`. */
  end(ending: ExecutionEnding): Promise<void>;
  /** Resolves when everything recorded before is on the disk. */
  flush(): Promise<void>;
  /** Writes pending lines and closes the file; after that, nothing can be recorded. Never rejects. */
  close(): Promise<void>;
}

type LineType = 'execution-begin' | 'execution-end';

/**
 * Records executions in a file, with one JSON line for each start and each end. Creates the file and missing
 * directories on the first run.
 */
export function createJsonlRecorder(path: string, options: JsonlRecorderOptions = {}): JsonlRecorder {
  const { durable = false, maxFileBytes = 64 * 1024 * 1024, maxFieldBytes = 64 * 1024 } = options;
  assertKnown(options, ['durable', 'maxFileBytes', 'maxFieldBytes', 'onError']);
  assertCount('maxFieldBytes', maxFieldBytes);
  const { queue, report, close } = createRecordFile(path, maxFileBytes, options.onError);
  let closing: Promise<void> | undefined;

  async function record(type: LineType, fields: object, sync: boolean): Promise<void> {
    if (closing !== undefined) throw recordingError(path, 'was closed', { remedy: 'Create a new recorder.' });
    await queue.add(`${JSON.stringify({ type, ...toPlainRecord(fields, maxFieldBytes) })}\n`, sync);
  }

  return {
    begin: (beginning) => record('execution-begin', beginning, durable),
    end: (ending) => record('execution-end', ending, false).catch(report),
    // Writes no line, but syncs earlier lines to the disk.
    flush: () => closing ?? queue.add('', true),
    close: () => (closing ??= close()),
  };
}
