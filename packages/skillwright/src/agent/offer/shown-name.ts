import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { listedName } from '../../select/listing/listing-text.ts';
import type { SkillMetadata } from '../../spec/skill.ts';

/**
 * The name by which a model is told of a skill, in the listing and everywhere else, and by which it finds that very
 * skill; `undefined` if there is none that can be shown. A name is text of a stranger, which must not speak to a model.
 */
export function shownName(skill: SkillMetadata, snapshot: Snapshot): string | undefined {
  const name = listedName(skill);
  return name === undefined || name === skill.name || snapshot.find(name)?.metadata === skill ? name : undefined;
}

/** The names of some skills, without skills that have none. */
export function shownNames(skills: readonly SkillMetadata[], snapshot: Snapshot): string[] {
  return skills.flatMap((skill) => shownName(skill, snapshot) ?? []);
}
