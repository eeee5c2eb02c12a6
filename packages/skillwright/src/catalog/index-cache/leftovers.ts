import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { reasonToKeep } from './file.ts';

/** Nobody takes longer to write an index. */
const ABANDONED_MS = 10 * 60_000;
const TEMPORARY_END = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Removes what processes that were killed while they wrote this index have left beside it. */
export function removeLeftovers(file: string): void {
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
