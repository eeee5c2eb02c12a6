import { loadManager } from './skillwright-module.ts';

const createManager = await loadManager();

export async function discover(dir: string): Promise<number> {
  return (await createManager(dir).discover()).skills.length;
}
