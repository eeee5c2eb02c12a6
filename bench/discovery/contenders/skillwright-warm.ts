import { join } from 'node:path';
import { loadManager } from './skillwright-module.ts';

const createManager = await loadManager();

/** A new manager each time that has only the index cache, like a process that has just started. */
export function discover(dir: string): number {
  return createManager(dir, { indexCache: join(dir, '..', 'skills.idx') }).discoverSync().skills.length;
}
