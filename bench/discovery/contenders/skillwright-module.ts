import { existsSync } from 'node:fs';

/** The part of `SkillManager` that is measured here. */
export interface MeasuredManager {
  discoverSync(): { skills: readonly { name: string }[] };
  discover(): Promise<{ skills: readonly { name: string }[] }>;
  invokeSkillSync(name: string, args: string): unknown;
}

/** Thrown when the library, or the part under test, does not exist yet. */
export class AbsentError extends Error {}

const ENTRY = new URL('../../../packages/skillwright/dist/index.mjs', import.meta.url);

/** Makes a manager of one directory. Without an index cache, every discovery is cold. */
export async function loadManager(): Promise<(dir: string, options?: { indexCache: string }) => MeasuredManager> {
  if (!existsSync(ENTRY)) throw new AbsentError('the library is not built: npm run build');
  const library = (await import(ENTRY.href)) as { SkillManager?: new (options: object) => MeasuredManager };
  const { SkillManager } = library;
  if (SkillManager === undefined) throw new AbsentError('the library exports no SkillManager');
  return (dir, options) => new SkillManager({ projectSkillDir: dir, ...options });
}
