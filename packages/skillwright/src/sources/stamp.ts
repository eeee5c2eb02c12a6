import { lstatSync, type Stats } from 'node:fs';
import type { FileStamp } from '../spec/source.ts';

/**
 * How long a file must be unchanged before its stamp identifies its state: file system clocks are coarse, and two
 * writes within one tick leave the same stamp.
 */
const SETTLING_MS = 2_000;

/** The state of a file or directory. */
export function toStamp({ dev, ino, size, mtimeMs, ctimeMs }: Stats): FileStamp {
  return { dev, ino, size, mtimeMs, ctimeMs };
}

/** Compares the change time too, because a program can reset the other times but not the change time. */
export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/**
 * Whether a file that has this stamp at `time` or later is surely unchanged since it was stamped: its last change was
 * long enough ago that any later write changes the stamp.
 */
export function isSettled({ mtimeMs, ctimeMs }: FileStamp, time: number): boolean {
  return mtimeMs < time - SETTLING_MS && ctimeMs < time - SETTLING_MS;
}

/**
 * The stamp of a regular file; `undefined` for a link or any other kind of entry, and for a file that cannot be read.
 */
export function readStamp(path: string): FileStamp | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true ? toStamp(stats) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a regular file is still in a known state. Does not open it. */
export function isUnchanged(path: string, known: FileStamp): boolean {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && isSameStamp(stats, known);
  } catch {
    return false;
  }
}
