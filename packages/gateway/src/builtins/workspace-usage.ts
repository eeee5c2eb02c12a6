import type { Stats } from 'node:fs';
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { holdForcibly, pathIn, pathOf, holdDirectory, type HeldDirectory } from './held-directory.ts';
import { systemCode } from './system-code.ts';

/** What every file and directory takes at least, so that empty ones are not for nothing. */
export const ENTRY_BYTES = 4096;
/** Looked at together. */
const AT_A_TIME = 64;
/** A directory that is gone by now, or something else, takes no room of its own. */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

interface Entry {
  readonly directory: HeldDirectory;
  readonly name: string;
  readonly stats: Stats;
}

/** What a file takes of its workspace: its size, or what it takes of the disk, whichever is more. */
export function bytesOf({ size, blocks }: Pick<Stats, 'size' | 'blocks'>): number {
  return Math.max(size, blocks * 512, ENTRY_BYTES);
}

/** Bytes that a workspace takes. No link is followed. Ends early once they are more than `enough`. Rejects if it cannot tell. */
export async function measureWorkspace(root: string, enough: number = Infinity): Promise<number> {
  let bytes = 0;
  await walk(root, ({ stats }) => {
    bytes += bytesOf(stats);
    return Promise.resolve(bytes <= enough);
  });
  return bytes;
}

/**
 * Removes what changed after a moment, until the workspace takes no more than it may. The times are those that the kernel
 * keeps, which no program can set. Resolves with what was removed, in bytes.
 */
export async function trimWorkspace(root: string, maxBytes: number, sinceMs: number): Promise<number> {
  let excess = (await measureWorkspace(root)) - maxBytes;
  let removed = 0;
  await walk(root, async ({ directory, name, stats }) => {
    if (excess <= 0) return false;
    if (stats.ctimeMs <= sinceMs || !(await remove(directory, name, stats))) return true;
    excess -= bytesOf(stats);
    removed += bytesOf(stats);
    return true;
  });
  return removed;
}

/** Directories go when they are empty, which is seen after all that is in them. */
async function remove(directory: HeldDirectory, name: string, stats: Stats): Promise<boolean> {
  const path = pathIn(directory, name);
  return stats.isDirectory() ? succeeds(rmdir(path)) : succeeds(unlink(path));
}

/** Visits everything in a workspace, what is in a directory before the directory, until a visit answers false. */
async function walk(root: string, visit: (entry: Entry) => Promise<boolean>): Promise<void> {
  const held = await holdDirectory(root);
  try {
    await walkIn(held, visit);
  } finally {
    await held.handle.close();
  }
}

async function walkIn(directory: HeldDirectory, visit: (entry: Entry) => Promise<boolean>): Promise<boolean> {
  const names = await namesIn(directory);
  for (let at = 0; at < names.length; at += AT_A_TIME)
    for (const entry of await look(directory, names.slice(at, at + AT_A_TIME))) {
      if (entry.stats.isDirectory() && !(await walkBelow(directory, entry.name, visit))) return false;
      if (!(await visit(entry))) return false;
    }
  return true;
}

/** What is gone by now is left out. */
async function look(directory: HeldDirectory, names: readonly string[]): Promise<readonly Entry[]> {
  const entries = names.map(async (name): Promise<Entry[]> => {
    const stats = await lstat(pathIn(directory, name)).catch(() => undefined);
    return stats === undefined ? [] : [{ directory, name, stats }];
  });
  return (await Promise.all(entries)).flat();
}

async function namesIn(directory: HeldDirectory): Promise<readonly string[]> {
  try {
    return await readdir(pathOf(directory));
  } catch (error) {
    // It was held open and removed since.
    if (GONE.has(systemCode(error))) return [];
    throw error;
  }
}

async function walkBelow(
  parent: HeldDirectory,
  name: string,
  visit: (entry: Entry) => Promise<boolean>,
): Promise<boolean> {
  let held: HeldDirectory;
  try {
    held = await holdForcibly(parent, name);
  } catch (error) {
    if (GONE.has(systemCode(error))) return true;
    throw error;
  }
  try {
    return await walkIn(held, visit);
  } finally {
    await held.handle.close();
  }
}

async function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
