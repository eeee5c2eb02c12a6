import { closestName } from 'skillwright/host';
import type { RegisteredMode, RegisteredSkill, RegistryView } from './registered-skill.ts';
import { compareVersions, type VersionTest } from './version-range.ts';

/** Builds the registry of one moment. `readRange` throws `InvalidRange`. */
export function createRegistryView(
  skills: readonly RegisteredSkill[],
  readRange: (text: string) => VersionTest,
): RegistryView {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const byName = Map.groupBy(skills.toSorted(higherFirst), ({ name }) => name);
  const versions = (name: string, apiKeyId: string | null): readonly RegisteredSkill[] => {
    const seen = (byName.get(name) ?? []).filter((skill) => isVisibleTo(skill, apiKeyId));
    return seen.filter((skill, place) => seen[place - 1]?.version !== skill.version);
  };
  const matching: RegistryView['matching'] = (name, constraint, apiKeyId) => {
    if (constraint === undefined) return versions(name, apiKeyId);
    const isMeant = readRange(constraint);
    return versions(name, apiKeyId).filter(({ version }) => isMeant(version));
  };
  const modeOf = (name: string, apiKeyId: string | null): RegisteredMode | undefined =>
    versions(name, apiKeyId).find(({ kind }) => kind === 'package')?.mode;
  // Cached, because every request needs the modes of all packages and nearly all are the same for every key.
  const sharedModes = new Map<string, RegisteredMode | undefined>();
  for (const [name, rows] of byName)
    if (rows.every((skill) => isVisibleTo(skill, null))) sharedModes.set(name, modeOf(name, null));
  return {
    all: skills,
    byId: (id) => byId.get(id),
    versions,
    matching,
    packageMode: (name, apiKeyId) => sharedModes.get(name) ?? modeOf(name, apiKeyId),
    closest: (name, apiKeyId) => {
      const seen = skills.filter((skill) => isVisibleTo(skill, apiKeyId));
      return closestName(
        name,
        seen.map((skill) => skill.name),
      );
    },
    resolve: (name, constraint, apiKeyId) => matching(name, constraint, apiKeyId)[0],
  };
}

/** A key sees its own skills and the shared ones. */
export function isVisibleTo({ apiKeyId: owner }: RegisteredSkill, apiKeyId: string | null): boolean {
  return owner === null || owner === apiKeyId;
}

/** A key's own skill outranks a shared one of the same version. */
function higherFirst(first: RegisteredSkill, second: RegisteredSkill): number {
  return (
    compareVersions(second.version, first.version) || Number(first.apiKeyId === null) - Number(second.apiKeyId === null)
  );
}
