import type { Dir, Stats } from 'node:fs';
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { systemCode } from '../../spec/caught-error.ts';
import { holdDirectory, holdForcibly, pathIn, pathOf, type HeldDirectory } from './held-directory.ts';

/** Directories below directories that a walk goes into; each takes two descriptors while it is there. */
export const MAX_DEPTH = 64;
/** Looked at together. */
const AT_A_TIME = 64;
/** A directory that is gone by now, or something else, takes no room of its own. */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

export interface Entry {
  readonly directory: HeldDirectory;
  readonly name: Buffer;
  readonly stats: Stats;
}

export interface Walk {
  /** Sees everything, what is in a directory before the directory. The walk ends when it answers false. */
  readonly visit: (entry: Entry) => boolean | Promise<boolean>;
  /** Sees, in place of `visit`, each directory that is too deep to go into. */
  readonly onDeep: (entry: Entry) => boolean | Promise<boolean>;
  /** The walk rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Goes through a directory that a hostile program may have filled, and may be filling: what it takes of memory and descriptors
 * does not depend on what is there. No link is followed.
 */
export async function walkWorkspace(root: string, walk: Walk): Promise<void> {
  const held = await holdDirectory(root);
  try {
    await walkIn(held, walk, 1);
  } finally {
    await held.handle.close();
  }
}

/** Directories go when they are empty, which a walk sees after all that was in them. Answers whether it is gone. */
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

/** Never all at once: a directory has as many names as a program likes. */
async function* namesIn(directory: HeldDirectory): AsyncGenerator<readonly Buffer[]> {
  let names: Buffer[] = [];
  try {
    // A name that is not valid Unicode could not be found again as a text, and would hide a file. The types know only texts.
    const options = { bufferSize: AT_A_TIME, encoding: 'buffer' as BufferEncoding };
    const entries: Dir = await opendir(pathOf(directory), options);
    for await (const { name } of entries) {
      names.push(name as unknown as Buffer);
      if (names.length < AT_A_TIME) continue;
      yield names;
      names = [];
    }
  } catch (error) {
    // It was held open and removed since.
    if (!GONE.has(systemCode(error))) throw error;
  }
  if (names.length > 0) yield names;
}

/** Leaves out entries that are gone by now. */
async function look(directory: HeldDirectory, names: readonly Buffer[]): Promise<readonly Entry[]> {
  const entries = names.map(async (name): Promise<Entry[]> => {
    const stats = await lstat(pathIn(directory, name)).catch(() => undefined);
    return stats === undefined ? [] : [{ directory, name, stats }];
  });
  return (await Promise.all(entries)).flat();
}
