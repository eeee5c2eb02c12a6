import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isMissing } from '../file-errors.ts';
import { systemCode } from '../../spec/errors/error.ts';

const RETRY_MS = 25;
const WAIT_MS = 10_000;
/** An ownerless lock of this age was left by a process that ended while creating it. */
const OWNERLESS_MS = 10_000;

/** The holder of a lock that could not be acquired in time. */
export interface HeldLock {
  readonly held: true;
  readonly lock: string;
  readonly owner: string;
}

/**
 * Runs work that reads and then writes a file, while no other process does the same. The lock is a second file beside
 * the first. The lock of a dead process is taken over. Returns `HeldLock` if the lock does not become free in time.
 */
export async function withFileLock<Result>(
  file: string,
  work: () => Result,
  { waitMs = WAIT_MS }: { readonly waitMs?: number } = {},
): Promise<Result | HeldLock> {
  const lock = `${file}.lock`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const until = performance.now() + waitMs;
  while (!take(lock)) {
    if (performance.now() > until) return { held: true, lock, owner: ownerOf(lock) };
    if (isAbandoned(lock)) breakLock(lock);
    await delay(RETRY_MS * (0.5 + Math.random()));
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

export function isHeldLock(value: unknown): value is HeldLock {
  return typeof value === 'object' && value !== null && 'held' in value;
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid} ${hostname()}`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes another process's lock if that process is gone. Nothing else may remove such a lock, and only one process at
 * a time may do so: otherwise a fresh lock could be removed.
 */
function breakLock(lock: string): void {
  const breaking = `${lock}.break`;
  if (!take(breaking)) {
    if (ageOf(breaking) > OWNERLESS_MS) rmSync(breaking, { force: true });
    return;
  }
  try {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
  } finally {
    rmSync(breaking, { force: true });
  }
}

/** Whether the lock's owner was a process of this machine that no longer exists. */
function isAbandoned(lock: string): boolean {
  const [pid = '', host = ''] = ownerOf(lock).split(' ');
  if (!/^\d+$/.test(pid)) return ageOf(lock) > OWNERLESS_MS;
  return host === hostname() && !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

function ownerOf(lock: string): string {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

function ageOf(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 0 : Date.now() - stats.mtimeMs;
}
