import { join } from 'node:path';
import { loadManager } from './skillwright-module.ts';

const createManager = await loadManager();

/** A manager of its own each time, which knows no more than the index cache: as in a process that has just started. */
export function discover(dir: string): number {
  return createManager(dir, { indexCache: join(dir, '..', 'skills.idx') }).discoverSync().skills.length;
}
