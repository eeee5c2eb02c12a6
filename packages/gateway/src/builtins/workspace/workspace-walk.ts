import type { Dir, Stats } from 'node:fs';
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { systemCode } from '../../spec/gateway-error.ts';
import { holdDirectory, holdForcibly, pathIn, pathOf, type HeldDirectory } from './held-directory.ts';

/** How deep a walk goes. Each open directory takes two descriptors. */
export const MAX_DEPTH = 64;
/** How many entries are examined together. */
const AT_A_TIME = 64;
/** Errors for a directory that has vanished or been replaced, and therefore uses no space. */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

export interface Entry {
  readonly directory: HeldDirectory;
  readonly name: Buffer;
  readonly stats: Stats;
}

export interface Walk {
  /** Visits each entry, a directory before its content. Returning false ends the walk. */
  readonly visit: (entry: Entry) => boolean | Promise<boolean>;
  /** Visits, in place of `visit`, each directory that is too deep to enter. */
  readonly onDeep: (entry: Entry) => boolean | Promise<boolean>;
  /** When it aborts, the walk rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Walks a directory that a hostile program may have filled and may still be filling. Its use of memory and descriptors
 * does not depend on the content. Follows no links.
 */
export async function walkWorkspace(root: string, walk: Walk): Promise<void> {
  const held = await holdDirectory(root);
  try {
    await walkIn(held, walk, 1);
  } finally {
    await held.handle.close();
  }
}

/**
 * Removes an entry. A directory must be empty, so a walk removes its content first. Returns whether the entry is gone.
 */
export async function removeEntry({ directory, name, stats }: Entry): Promise<boolean> {
  const path = pathIn(directory, name);
  return (stats.isDirectory() ? rmdir(path) : unlink(path)).then(
    () => true,
    () => false,
  );
}

async function walkIn(directory: HeldDirectory, walk: Walk, depth: number): Promise<boolean> {
  for await (const names of namesIn(directory))
    for (const entry of await look(directory, names)) {
      walk.signal?.throwIfAborted();
      if (!(await walkEntry(entry, walk, depth))) return false;
    }
  return true;
}

async function walkEntry(entry: Entry, walk: Walk, depth: number): Promise<boolean> {
  if (!entry.stats.isDirectory()) return walk.visit(entry);
  if (depth > MAX_DEPTH) return walk.onDeep(entry);
  return (await walkBelow(entry, walk, depth + 1)) && walk.visit(entry);
}

async function walkBelow({ directory, name }: Entry, walk: Walk, depth: number): Promise<boolean> {
  let held: HeldDirectory;
  try {
    held = await holdForcibly(directory, name);
  } catch (error) {
    if (GONE.has(systemCode(error))) return true;
    throw error;
  }
  try {
    return await walkIn(held, walk, depth);
  } finally {
    await held.handle.close();
  }
}

/** Reads names in batches, because a program may create any number of them. */
async function* namesIn(directory: HeldDirectory): AsyncGenerator<readonly Buffer[]> {
  let names: Buffer[] = [];
  try {
    // Names that are not valid Unicode would be lost as text and could hide a file. Node's types allow only text.
    const options = { bufferSize: AT_A_TIME, encoding: 'buffer' as BufferEncoding };
    const entries: Dir = await opendir(pathOf(directory), options);
    for await (const { name } of entries) {
      names.push(name as unknown as Buffer);
      if (names.length < AT_A_TIME) continue;
      yield names;
      names = [];
    }
  } catch (error) {
    // The directory was held open and has been removed since.
    if (!GONE.has(systemCode(error))) throw error;
  }
  if (names.length > 0) yield names;
}

/** Skips entries that no longer exist. */
async function look(directory: HeldDirectory, names: readonly Buffer[]): Promise<readonly Entry[]> {
  const entries = names.map(async (name): Promise<Entry[]> => {
    const stats = await lstat(pathIn(directory, name)).catch(() => undefined);
    return stats === undefined ? [] : [{ directory, name, stats }];
  });
  return (await Promise.all(entries)).flat();
}
