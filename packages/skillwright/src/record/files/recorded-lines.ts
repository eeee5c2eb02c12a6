import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isSameFile, rotatedPaths } from './file-rotation.ts';
import { recordingError } from '../recording-error.ts';
import { systemCode } from '../../spec/errors/error.ts';

/** A line of a file; without `text` if it is longer than the limit. */
export interface RecordedLine {
  readonly text: string | undefined;
  /** Whether the line has its line end. A last line may lack it: its writer was stopped, or is still writing. */
  readonly isTerminated: boolean;
}

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

/** The unusable lines of a record: a last line that was cut off, and lines in an unknown format. */
export interface LineDamage {
  torn: number;
  garbage: number;
}

/** Parses the lines of a record, oldest first, and counts the unusable ones. */
export async function* readRecord<T>(
  path: string,
  { maxLineBytes, damage }: { readonly maxLineBytes: number; readonly damage: LineDamage },
  parse: (text: string) => T | undefined,
): AsyncGenerator<T> {
  const handles = await openRecord(path);
  try {
    for (const handle of handles) {
      for await (const { text, isTerminated } of readLines(handle, maxLineBytes)) {
        const line = text === undefined ? undefined : parse(text);
        if (line !== undefined) yield line;
        else if (!isTerminated) damage.torn += 1;
        else if (text !== '') damage.garbage += 1;
      }
    }
  } finally {
    await closeAll(handles);
  }
}

/** Opens a record and the full files beside it, oldest first. Skips missing files. */
async function openRecord(path: string): Promise<FileHandle[]> {
  const handles: FileHandle[] = [];
  const stats: Awaited<ReturnType<typeof statOf>>[] = [];
  try {
    // Open the newest file first: a file that is moved meanwhile is then read twice, and none is missed.
    for (const name of [path, ...rotatedPaths(path)]) {
      const handle = await openIfThere(name);
      if (handle === undefined) continue;
      handles.push(handle);
      const stat = await statOf(handle);
      if (!stat.isFile()) throw recordingError(name, 'is not a regular file');
      stats.push(stat);
    }
  } catch (error) {
    await closeAll(handles);
    throw systemCode(error) === 'RecordingFailed' ? error : recordingError(path, 'cannot be read', { cause: error });
  }
  const isRepeated = (index: number): boolean =>
    stats.slice(0, index).some((stat) => stats[index] !== undefined && isSameFile(stat, stats[index]));
  await closeAll(handles.filter((_, index) => isRepeated(index)));
  return handles.filter((_, index) => !isRepeated(index)).reverse();
}

async function closeAll(handles: readonly FileHandle[]): Promise<void> {
  await Promise.all(handles.map((handle) => handle.close().catch(() => {})));
}

const statOf = (handle: FileHandle) => handle.stat({ bigint: true });

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    // Do not wait for another process if the path is a pipe.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The lines of a file, one at a time; `maxLineBytes` limits memory. */
async function* readLines(handle: FileHandle, maxLineBytes: number): AsyncGenerator<RecordedLine> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let parts: Buffer[] = [];
  let size = 0;
  let position = 0;
  const add = (part: Buffer): void => {
    size += part.length;
    if (size <= maxLineBytes) parts.push(Buffer.from(part));
    else parts = [];
  };
  const take = (isTerminated: boolean): RecordedLine => {
    const line = { text: size <= maxLineBytes ? Buffer.concat(parts).toString() : undefined, isTerminated };
    parts = [];
    size = 0;
    return line;
  };
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < bytesRead; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      yield take(true);
    }
    add(chunk.subarray(start, bytesRead));
  }
  if (size > 0) yield take(false);
}
