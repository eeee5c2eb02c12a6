import { SkillwrightError } from '../../spec/errors/error.ts';
import { assertCount, invalidOption, recordingError } from '../recording-error.ts';
import { createAppendFile } from './append-file.ts';
import { createLineQueue, type LineQueue } from './line-queue.ts';

/** A file that lines are added to, one after the other. */
export interface RecordFile {
  readonly queue: LineQueue;
  /** Tells `onError` what went wrong. Errors that it throws are ignored. */
  readonly report: (cause: unknown) => void;
  /** Closes the file once what is waiting is written. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Throws if `path` cannot be a path. Touches no file before the first line. */
export function createRecordFile(
  path: string,
  maxFileBytes: number,
  onError: ((error: SkillwrightError) => void) | undefined,
): RecordFile {
  assertCount('maxFileBytes', maxFileBytes);
  if (typeof path !== 'string' || path === '' || path.includes('\0')) throw invalidOption('path', 'must be a path');
  const report = (cause: unknown): void => {
    const error = SkillwrightError.isInstance(cause)
      ? cause
      : recordingError(path, 'could not be moved away when it was full', { cause });
    try {
      onError?.(error);
    } catch {
      // A listener that fails is not told about it.
    }
  };
  const file = createAppendFile(path, { maxFileBytes, onRotationFailure: report });
  const queue = createLineQueue((lines, sync) => file.append(lines, sync));
  return { queue, report, close: () => queue.idle().then(() => file.close()) };
}
