import type { BigIntStats } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { systemCode } from '../../spec/errors/error.ts';

/** How many full files are kept beside the current one. */
const KEPT_FILES = 3;
/** A lock older than this was left by a killed process, because rotating takes only milliseconds. */
const STALE_LOCK_MS = 30_000;

/** The full files, newest first. */
export function rotatedPaths(path: string): readonly string[] {
  return Array.from({ length: KEPT_FILES }, (_, index) => `${path}.${index + 1}`);
}

export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

/**
 * Moves a full file to `path.1`, the previous `path.1` to `path.2` and so on; the oldest file is dropped. Other
 * recorders, even in other processes, may try the same at the same time: one of them succeeds, and only while `full` is
 * still the file at the path.
 */
export async function rotateFile(path: string, full: BigIntStats): Promise<void> {
  const lock = `${path}.lock`;
  if (!(await takeLock(lock))) return;
  try {
    const current = await statIfThere(path);
    if (current === undefined || !isSameFile(current, full)) return;
    const names = [path, ...rotatedPaths(path)];
    for (let index = names.length - 1; index > 0; index -= 1) await move(names[index - 1] ?? '', names[index] ?? '');
  } finally {
    await rm(lock, { force: true });
  }
}

export async function statIfThere(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600);
    await handle.close();
    return true;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  const held = await statIfThere(lock);
  // Do not take the lock now, because another process may do so at the same time: the next append tries again.
  if (held !== undefined && Date.now() - Number(held.mtimeMs) > STALE_LOCK_MS) await rm(lock, { force: true });
  return false;
}
