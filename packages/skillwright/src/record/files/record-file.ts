import { SkillwrightError, invalidOption } from '../../spec/errors/error.ts';
import { assertCount, recordingError } from '../recording-error.ts';
import type { BigIntStats } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isSameFile, rotateFile, statIfThere } from './file-rotation.ts';

/** A file that lines are added to, one after the other. */
interface RecordFile {
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

interface AppendFileOptions {
  readonly maxFileBytes: number;
  /** Told when a full file cannot be moved away; it is then written to further. */
  readonly onRotationFailure: (error: unknown) => void;
}

/** A file of lines that several may append to. Its methods are called one after the other; errors are coded. */
interface AppendFile {
  /**
   * Writes whole lines at once, so that lines of others stand before or after them, never between. `sync`: wait until
   * they are on the disk, with all that was written before. No lines make no file.
   */
  append(lines: Buffer, sync: boolean): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

interface OpenFile {
  readonly handle: FileHandle;
  /** Its size after our last write; when it differs, others wrote too. Unknown at first. */
  size: bigint | undefined;
  /** The size at which it is moved away. */
  rotateAt: bigint;
}

const NEWLINE = 10;

/** A relative path is understood now: what the process does with its working directory later changes nothing. */
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
    if (!stats.isFile()) throw recordingError(path, 'is no regular file');
    return { opened: file, stats };
  }

  /** The open file, or a new one where it was moved or removed. */
  async function currentFile(): Promise<{ opened: OpenFile; stats: BigIntStats }> {
    if (file === undefined) return openFile();
    const [there, stats] = await Promise.all([statIfThere(path), file.handle.stat({ bigint: true })]);
    if (there !== undefined && isSameFile(there, stats)) return { opened: file, stats };
    // A later sync only reaches the new file.
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

  /** A disk that is full and the like: the next call starts anew. */
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
        if (bytesWritten < bytes.length) throw recordingError(path, 'took only a part of what was written');
        opened.size = stats.size + BigInt(bytesWritten);
        if (sync) await opened.handle.datasync();
        if (sync && stats.size === 0n) await syncDirectory(dirname(path));
      }),
    close: closeFile,
  };
}

/** Did somebody who was killed, or whose disk was full, leave a line without its end? */
async function isLastLineTorn(handle: FileHandle, size: bigint): Promise<boolean> {
  if (size === 0n) return false;
  const last = Buffer.of(NEWLINE);
  await handle.read(last, 0, 1, size - 1n);
  return last[0] !== NEWLINE;
}

/** A new file is only safe when its name is. Not every system can do this for a directory. */
async function syncDirectory(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The content of the file is on the disk; nothing more is possible here.
  }
}

/** Takes lines from many at once and writes them one batch after the other, in the order of the calls. */
interface LineQueue {
  /** Resolves when the line is written; rejects with what `write` threw. */
  add(line: string, sync: boolean): Promise<void>;
  /** Resolves when all that was added before is written or failed. Never rejects. */
  idle(): Promise<void>;
}

interface WaitingLine {
  readonly bytes: Buffer;
  readonly sync: boolean;
  readonly done: () => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH_BYTES = 1024 * 1024;

/** `write` is never called before the last call has settled; `sync`: a line of the batch asked for it. */
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
