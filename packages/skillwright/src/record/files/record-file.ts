import { SkillwrightError, invalidOption } from '../../spec/errors/error.ts';
import { assertCount, recordingError } from '../recording-error.ts';
import type { BigIntStats } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isSameFile, rotateFile, statIfThere } from './file-rotation.ts';

/** A file to which lines are appended in order. */
interface RecordFile {
  readonly queue: LineQueue;
  /** Reports an error to `onError`. Errors that it throws are ignored. */
  readonly report: (cause: unknown) => void;
  /** Closes the file after pending lines are written. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Creates a record file. Throws if `path` cannot be a path. Touches no file before the first line. */
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
      : recordingError(path, 'could not be rotated when it was full', { cause });
    try {
      onError?.(error);
    } catch {
      // Errors of the listener are ignored.
    }
  };
  const file = createAppendFile(path, { maxFileBytes, onRotationFailure: report });
  const queue = createLineQueue((lines, sync) => file.append(lines, sync));
  return { queue, report, close: () => queue.idle().then(() => file.close()) };
}

interface AppendFileOptions {
  readonly maxFileBytes: number;
  /** Called if a full file cannot be moved away; writing to it continues. */
  readonly onRotationFailure: (error: unknown) => void;
}

/** A file of lines that several writers may append to. Its methods must not be called in parallel; errors are coded. */
interface AppendFile {
  /**
   * Writes whole lines at once, so that other writers' lines come before or after them, never between. `sync`: wait
   * until they and everything written before are on the disk. Without lines, no file is created.
   */
  append(lines: Buffer, sync: boolean): Promise<void>;
  /** Closes the file. Never rejects. */
  close(): Promise<void>;
}

interface OpenFile {
  readonly handle: FileHandle;
  /** The file's size after the last write; a different size means that others wrote too. Unknown at first. */
  size: bigint | undefined;
  /** The size at which the file is moved away. */
  rotateAt: bigint;
}

const NEWLINE = 10;

/** A relative path is resolved now, so that a later change of the working directory has no effect. */
function createAppendFile(givenPath: string, options: AppendFileOptions): AppendFile {
  const path = resolve(givenPath);
  let file: OpenFile | undefined;
  let isPlaceMade = false;

  async function openFile(): Promise<{ opened: OpenFile; stats: BigIntStats }> {
    if (!isPlaceMade) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    isPlaceMade = true;
    const handle = await open(path, 'a+', 0o600);
    file = { handle, size: undefined, rotateAt: BigInt(options.maxFileBytes) };
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw recordingError(path, 'is not a regular file');
    return { opened: file, stats };
  }

  /** The open file, or a new one if it was moved or removed. */
  async function currentFile(): Promise<{ opened: OpenFile; stats: BigIntStats }> {
    if (file === undefined) return openFile();
    const [there, stats] = await Promise.all([statIfThere(path), file.handle.stat({ bigint: true })]);
    if (there !== undefined && isSameFile(there, stats)) return { opened: file, stats };
    // Sync the old file now, because a later sync would reach only the new one.
    await file.handle.datasync();
    await closeFile();
    return openFile();
  }

  async function fileWithRoomFor(bytes: number): Promise<{ opened: OpenFile; stats: BigIntStats }> {
    const current = await currentFile();
    const { opened, stats } = current;
    if (stats.size === 0n || stats.size + BigInt(bytes) <= opened.rotateAt) return current;
    try {
      await rotateFile(path, stats);
    } catch (error) {
      opened.rotateAt = stats.size + BigInt(options.maxFileBytes);
      options.onRotationFailure(error);
    }
    return currentFile();
  }

  async function closeFile(): Promise<void> {
    const closing = file;
    file = undefined;
    await closing?.handle.close().catch(() => {});
  }

  /** After a failure such as a full disk, the next call starts over. */
  async function orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await closeFile();
      throw SkillwrightError.isInstance(error) ? error : recordingError(path, 'cannot be written', { cause: error });
    }
  }

  return {
    append: (lines, sync) =>
      orFail(async () => {
        if (lines.length === 0 && file === undefined) return;
        const { opened, stats } = await fileWithRoomFor(lines.length);
        const isTorn = opened.size !== stats.size && (await isLastLineTorn(opened.handle, stats.size));
        const bytes = isTorn ? Buffer.concat([Buffer.of(NEWLINE), lines]) : lines;
        opened.size = undefined;
        const { bytesWritten } = await opened.handle.write(bytes);
        if (bytesWritten < bytes.length) throw recordingError(path, 'was written only in part');
        opened.size = stats.size + BigInt(bytesWritten);
        if (sync) await opened.handle.datasync();
        if (sync && stats.size === 0n) await syncDirectory(dirname(path));
      }),
    close: closeFile,
  };
}

/** Whether the file ends with an incomplete line, left by a writer that was killed or whose disk was full. */
async function isLastLineTorn(handle: FileHandle, size: bigint): Promise<boolean> {
  if (size === 0n) return false;
  const last = Buffer.of(NEWLINE);
  await handle.read(last, 0, 1, size - 1n);
  return last[0] !== NEWLINE;
}

/** Syncs a directory: a new file is safe only once its directory entry is on the disk. Not every system can do this. */
async function syncDirectory(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The file's content is on the disk; nothing more is possible here.
  }
}

/** Takes lines from many callers and writes them in batches, in the order of the calls. */
interface LineQueue {
  /** Resolves when the line is written; rejects with what `write` threw. */
  add(line: string, sync: boolean): Promise<void>;
  /** Resolves when everything added before is written or has failed. Never rejects. */
  idle(): Promise<void>;
}

interface WaitingLine {
  readonly bytes: Buffer;
  readonly sync: boolean;
  readonly done: () => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH_BYTES = 1024 * 1024;

/** Never calls `write` again before the last call has settled. `sync` is true if any line of the batch asked for it. */
function createLineQueue(write: (lines: Buffer, sync: boolean) => Promise<void>): LineQueue {
  let waiting: WaitingLine[] = [];
  let work: Promise<void> = Promise.resolve();
  let isWorking = false;

  function takeBatch(): WaitingLine[] {
    let size = 0;
    const end = waiting.findIndex(({ bytes }, index) => (size += bytes.length) > MAX_BATCH_BYTES && index > 0);
    const batch = end < 0 ? waiting : waiting.slice(0, end);
    waiting = end < 0 ? [] : waiting.slice(end);
    return batch;
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = takeBatch();
      const sync = batch.some((line) => line.sync);
      try {
        await write(Buffer.concat(batch.map(({ bytes }) => bytes)), sync);
        for (const { done } of batch) done();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isWorking = false;
  }

  return {
    add: (line, sync) =>
      new Promise((done, reject) => {
        waiting.push({ bytes: Buffer.from(line), sync, done, reject });
        if (isWorking) return;
        isWorking = true;
        work = writeAll();
      }),
    idle: () => work,
  };
}
