import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { beginsLikeIndex, MAGIC_BYTES } from './index-cache-header.ts';

/** A regular file that is open for reading. Whoever opened it closes it. */
export interface OpenFile {
  readonly descriptor: number;
  readonly stats: Stats;
}

/**
 * Opens what is a regular file, over links too; `undefined` for anything else. A device is not even opened, which may
 * do something, and a pipe is not waited for.
 */
export function openRegularFile(path: string): OpenFile | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(descriptor);
  if (stats.isFile()) return { descriptor, stats };
  closeSync(descriptor);
  return undefined;
}

/** The bytes from an offset on, fewer where the file ends before. */
export function readAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  for (let count = -1; count !== 0 && filled < length; filled += count)
    count = readSync(descriptor, bytes, filled, length - filled, offset + filled);
  return bytes.subarray(0, filled);
}

/**
 * Why an index must not take the place of what is at a path; `undefined` where there is nothing, an empty file, or an
 * index of any version, whole or cut off. A mistyped path must not cost anybody a file.
 */
export function reasonToKeep(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const file = openRegularFile(path);
  if (file === undefined) return 'what is there is not a regular file';
  try {
    const isIndex = beginsLikeIndex(readAt(file.descriptor, 0, MAGIC_BYTES));
    return isIndex ? undefined : 'the file that is there is not an index cache';
  } finally {
    closeSync(file.descriptor);
  }
}
