import { loadManager } from './skillwright-module.ts';

const createManager = await loadManager();

export function discover(dir: string): number {
  return createManager(dir).discoverSync().skills.length;
}
