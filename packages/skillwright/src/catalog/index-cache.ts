import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { systemReason } from '../sources/file-errors.ts';
import type { Logger } from '../spec/logger.ts';
import { openRegularFile, readAt, reasonToKeep } from './index-cache-file.ts';
import {
  formatHeader,
  MAX_CONTENT_BYTES,
  MAX_HEADER_BYTES,
  parseHeader,
  type IndexSegment,
} from './index-cache-header.ts';

/**
 * What takes long to find out, kept on disk in named segments, each written and read by the layer it belongs to. All of
 * it can be made again: whatever is wrong with the file, there is then no segment, and nothing throws.
 */
export interface IndexCache {
  readonly file: string;
  /** What was last written to a segment, if that was under this very key. */
  read(segment: string, key: string): Uint8Array | undefined;
  /**
   * Replaces one segment, in one step for whoever reads. False when that cannot be done, or when something is at the
   * path that is no index and would be lost: that stays as it is.
   */
  write(segment: string, key: string, content: Uint8Array): boolean;
}

export function createIndexCache(file: string, logger: Logger): IndexCache {
  const attempt = <Result>(doing: string, work: () => Result): Result | undefined => {
    try {
      return work();
    } catch (error) {
      logger.debug(`The index cache could not be ${doing}.`, { path: file, reason: systemReason(error) });
      return undefined;
    }
  };
  let isKept = false;
  /** Whether something else is at the path. Said once. */
  const keepsOther = (): boolean => {
    const reason = reasonToKeep(file);
    if (reason === undefined) return false;
    if (!isKept)
      logger.warn(`The index cache is not written: ${reason}. Give 'indexCache' a path of its own.`, { path: file });
    isKept = true;
    return true;
  };
  return {
    file,
    read: (segment, key) =>
      attempt('read', () => readSegments(file, (found) => found.name === segment && found.key === key)[0]?.content),
    write(segment, key, content) {
      if (attempt('written', keepsOther) !== false) return false;
      const others = attempt('read', () => readSegments(file, ({ name }) => name !== segment)) ?? [];
      const all = [...others, { name: segment, key, content }];
      return attempt('written', () => writeSegments(file, all)) ?? false;
    },
  };
}

interface LoadedSegment {
  readonly name: string;
  readonly key: string;
  readonly content: Uint8Array;
}

/** The segments that are wanted and whole. Empty for what is no index of this version, or somebody else's. */
function readSegments(file: string, isWanted: (segment: IndexSegment) => boolean): LoadedSegment[] {
  const opened = openRegularFile(file);
  if (opened === undefined) return [];
  const { descriptor, stats } = opened;
  try {
    if (!isOwn(stats) || stats.size > MAX_HEADER_BYTES + MAX_CONTENT_BYTES) return [];
    const start = readAt(descriptor, 0, Math.min(stats.size, MAX_HEADER_BYTES));
    const segments = parseHeader(start, stats.size);
    return segments.filter(isWanted).flatMap(({ name, key, offset, length, checksum }) => {
      const content = readAt(descriptor, offset, length);
      return content.length === length && crc32(content) === checksum ? [{ name, key, content }] : [];
    });
  } finally {
    closeSync(descriptor);
  }
}

/** What others could have written is not believed: it says which tools a skill may use. */
function isOwn(stats: Stats): boolean {
  const user = process.getuid?.();
  return user === undefined || (stats.uid === user && (stats.mode & 0o022) === 0);
}

/** Into a file of its own, which then takes the place of the other: a reader sees one or the other, whole. */
function writeSegments(file: string, segments: readonly LoadedSegment[]): true {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      const header = formatHeader(segments.map(({ name, key, content }) => ({ name, key, content })));
      for (const bytes of [header, ...segments.map(({ content }) => content)]) writeAll(descriptor, bytes);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
    return true;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}
