import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { SkillMetadata } from '../spec/skill.ts';

/** Values for single skills, by any name that finds the skill, or from a function that is called each time. */
export type SkillKeyed<T> = Readonly<Record<string, T>> | ((skill: SkillMetadata) => T | undefined);

export interface KeyedContext {
  readonly snapshot: () => Snapshot | undefined;
  /** Whether `*` stands for every skill without its own entry. */
  readonly hasOthers: boolean;
  /** Called with the names that match no skill, once for each discovery. */
  readonly onUnknown: (names: readonly string[]) => void;
}

const OTHERS = '*';

/**
 * A name means the one skill that it finds in the catalog, never another skill with the same name: a skill cannot get a
 * trusted skill's values by taking its name.
 */
export function createSkillKeyed<T>(
  values: SkillKeyed<T> | undefined,
  { snapshot, hasOthers, onUnknown }: KeyedContext,
): (skill: SkillMetadata) => T | undefined {
  if (values === undefined) return () => undefined;
  if (typeof values === 'function') return values;
  let resolved: { readonly for: Snapshot | undefined; readonly byFile: ReadonlyMap<string, T> } | undefined;
  return (skill) => {
    const current = snapshot();
    if (resolved === undefined || resolved.for !== current) {
      const { byFile, unknown } = resolve(values, current, hasOthers);
      resolved = { for: current, byFile };
      if (unknown.length > 0) onUnknown(unknown);
    }
    const forOthers = hasOthers && Object.hasOwn(values, OTHERS) ? values[OTHERS] : undefined;
    return resolved.byFile.get(skill.filePath) ?? forOthers;
  };
}

function resolve<T>(
  values: Readonly<Record<string, T>>,
  snapshot: Snapshot | undefined,
  hasOthers: boolean,
): { byFile: Map<string, T>; unknown: string[] } {
  const byFile = new Map<string, T>();
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (name === OTHERS && hasOthers) continue;
    const record = snapshot?.find(name);
    if (record === undefined) unknown.push(name);
    else byFile.set(record.metadata.filePath, value);
  }
  return { byFile, unknown };
}
