import { closeSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { driveSync } from '../../sources/directory/drive.ts';
import { systemReason } from '../../sources/file-errors.ts';
import type { Logger } from '../../spec/events/logger.ts';
import {
  isOwn,
  openRegularFile,
  readSlices,
  reasonToKeep,
  replaceFile,
  formatHeader,
  type IndexSegment,
  MAX_CONTENT_BYTES,
  MAX_HEADER_BYTES,
  MAX_LARGE_BYTES,
  parseHeader,
} from './file.ts';

/** No process takes longer than this to write an index. */
const ABANDONED_MS = 10 * 60_000;
const TEMPORARY_END = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/**
 * Keeps results that take long to compute on disk, in named segments. Each layer writes and reads its own segments.
 * Everything can be computed again: if anything is wrong with the file, the segment is missing, and nothing throws.
 */
export interface IndexCache {
  readonly file: string;
  /** The last content written to a segment, if it was written under the same key. */
  read(segment: string, key: string): Uint8Array | undefined;
  /**
   * Replaces one segment atomically. Returns false if that is impossible, or if the path holds a file that is not an
   * index, which is left unchanged.
   */
  write(segment: string, key: string, content: Uint8Array): boolean;
  /**
   * Like `read` and `write`, in slices, for a segment that is too large to be copied whenever another segment is
   * written. It is stored in a separate file.
   */
  readLarge(segment: string, key: string): Generator<void, Uint8Array | undefined, void>;
  writeLarge(segment: string, key: string, parts: readonly Uint8Array[]): Generator<void, boolean, void>;
}

export function createIndexCache(file: string, logger: Logger): IndexCache {
  function* attempt<Result>(
    doing: string,
    path: string,
    work: () => Generator<void, Result, void>,
  ): Generator<void, Result | undefined, void> {
    try {
      return yield* work();
    } catch (error) {
      logger.debug(`The index cache could not be ${doing}.`, { path, reason: systemReason(error) });
      return undefined;
    }
  }
  const kept = new Set<string>();
  /**
   * Whether the path is free for an index. The first call reports a foreign file at the path, and removes leftovers
   * beside the index.
   */
  const mayWrite = (path: string): boolean => {
    const reason = reasonToKeep(path);
    if (reason === undefined) return true;
    if (!kept.has(path))
      logger.warn(`The index cache is not written: ${reason}. Set 'indexCache' to another path.`, { path });
    kept.add(path);
    return false;
  };
  const cleaned = new Set<string>();
  function* replace(path: string, segments: readonly LoadedSegment[]): Generator<void, boolean, void> {
    const steps = function* (): Generator<void, boolean, void> {
      if (!mayWrite(path)) return false;
      yield* writeSegments(path, segments);
      if (!cleaned.has(path)) removeLeftovers(path);
      cleaned.add(path);
      return true;
    };
    return (yield* attempt('written', path, steps)) ?? false;
  }
  const largeFile = (segment: string): string => `${file}.${segment}`;
  return {
    file,
    read(segment, key) {
      const isWanted = (found: IndexSegment): boolean => found.name === segment && found.key === key;
      return driveSync(attempt('read', file, () => readSegments(file, MAX_CONTENT_BYTES, isWanted)))?.[0]?.parts[0];
    },
    write(segment, key, content) {
      const isOther = ({ name }: IndexSegment): boolean => name !== segment;
      const others = driveSync(attempt('read', file, () => readSegments(file, MAX_CONTENT_BYTES, isOther))) ?? [];
      return driveSync(replace(file, [...others, { name: segment, key, parts: [content] }]));
    },
    *readLarge(segment, key) {
      const path = largeFile(segment);
      const isWanted = (found: IndexSegment): boolean => found.name === segment && found.key === key;
      return (yield* attempt('read', path, () => readSegments(path, MAX_LARGE_BYTES, isWanted)))?.[0]?.parts[0];
    },
    *writeLarge(segment, key, parts) {
      const size = parts.reduce((sum, { length }) => sum + length, 0);
      return size <= MAX_LARGE_BYTES && (yield* replace(largeFile(segment), [{ name: segment, key, parts }]));
    },
  };
}

interface LoadedSegment {
  readonly name: string;
  readonly key: string;
  readonly parts: readonly Uint8Array[];
}

/**
 * The wanted segments that are complete. Empty for a file that is not an index of this version, or that another user
 * owns.
 */
function* readSegments(
  file: string,
  maxBytes: number,
  isWanted: (segment: IndexSegment) => boolean,
): Generator<void, LoadedSegment[], void> {
  const opened = openRegularFile(file);
  if (opened === undefined) return [];
  const { descriptor, stats } = opened;
  try {
    if (!isOwn(stats) || stats.size > MAX_HEADER_BYTES + maxBytes) return [];
    const start = yield* readSlices(descriptor, 0, Math.min(stats.size, MAX_HEADER_BYTES));
    const found: LoadedSegment[] = [];
    for (const { name, key, offset, length, checksum } of parseHeader(start, stats.size).filter(isWanted)) {
      const content = yield* readSlices(descriptor, offset, length);
      const isWhole = content.length === length && (yield* checksumOf([content])) === checksum;
      if (isWhole) found.push({ name, key, parts: [content] });
    }
    return found;
  } finally {
    closeSync(descriptor);
  }
}

function* writeSegments(file: string, segments: readonly LoadedSegment[]): Generator<void, void, void> {
  const rows: Omit<IndexSegment, 'offset'>[] = [];
  for (const { name, key, parts } of segments) {
    const length = parts.reduce((sum, bytes) => sum + bytes.length, 0);
    rows.push({ name, key, length, checksum: yield* checksumOf(parts) });
  }
  yield* replaceFile(file, [formatHeader(rows), ...segments.flatMap(({ parts }) => parts)]);
}

/** How many bytes to checksum before the next chance to pause. */
const SUMMED_AT_ONCE = 4 * 2 ** 20;

function* checksumOf(parts: readonly Uint8Array[]): Generator<void, number, void> {
  let checksum = 0;
  for (const bytes of parts) {
    for (let at = 0; at < bytes.length; at += SUMMED_AT_ONCE) {
      checksum = crc32(bytes.subarray(at, at + SUMMED_AT_ONCE), checksum);
      if (bytes.length > SUMMED_AT_ONCE) yield;
    }
  }
  return checksum;
}

/** Removes temporary files of processes that were killed while they wrote this index. */
function removeLeftovers(file: string): void {
  const directory = dirname(file);
  const name = basename(file);
  for (const entry of readdirSync(directory)) {
    if (!entry.startsWith(name) || !TEMPORARY_END.test(entry.slice(name.length))) continue;
    const path = join(directory, entry);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || Date.now() - stats.mtimeMs < ABANDONED_MS) continue;
    if (reasonToKeep(path) === undefined) rmSync(path, { force: true });
  }
}
