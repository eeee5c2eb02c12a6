import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import type { SkillSource } from '../../../spec/source.ts';
import { isAt } from '../finding/location-report.ts';

/** A place with skills that are not trusted. */
export interface UntrustedPlace {
  readonly path: string;
  /** Their names. */
  readonly skills: readonly string[];
}

/** Where the skills that are not trusted lie, in the order of the places. */
export function untrustedPlaces(sources: readonly SkillSource[], snapshot: Snapshot): UntrustedPlace[] {
  const found = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)];
  const places = new Map<SkillSource, string[]>();
  for (const skill of found) {
    if (skill.trust === 'trusted') continue;
    const source = sources.find(({ kind, location }) => kind === skill.source && isAt(skill.baseDir, location));
    if (source !== undefined) places.set(source, [...(places.get(source) ?? []), skill.name]);
  }
  return sources.flatMap((source) => {
    const skills = places.get(source);
    return skills === undefined ? [] : [{ path: source.location, skills }];
  });
}
