import { isDeepStrictEqual } from 'node:util';
import { isSameStamp } from '../../sources/stamp.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { Snapshot } from './snapshot.ts';

/** The visible skills that were added, removed or changed between two snapshots, by name. */
export interface SnapshotDiff {
  /** Skills with new names, in the order of the later snapshot. */
  readonly added: readonly SkillMetadata[];
  /** Skills whose names no longer exist, in the order of the earlier snapshot. */
  readonly removed: readonly SkillMetadata[];
  /** Skills with other content, another location or other trust, or whose SKILL.md was rewritten. */
  readonly changed: readonly ChangedSkill[];
}

/** A skill before and after a change. */
export interface ChangedSkill {
  readonly before: SkillMetadata;
  readonly after: SkillMetadata;
}

/**
 * Compares two snapshots. A change of only a skill's instructions is noticed if both snapshots have stamps of the
 * files: with an index cache, and while skills are watched.
 */
export function snapshotDiff(before: Snapshot, after: Snapshot): SnapshotDiff {
  const earlier = new Map(before.skills.map((skill) => [skill.name, skill]));
  const added: SkillMetadata[] = [];
  const changed: ChangedSkill[] = [];
  for (const skill of after.skills) {
    const was = earlier.get(skill.name);
    earlier.delete(skill.name);
    if (was === undefined) added.push(skill);
    else if (!isSameMetadata(was, skill) || wasRewritten(before, was, after, skill))
      changed.push({ before: was, after: skill });
  }
  return { added, removed: [...earlier.values()], changed };
}

export function isEmptyDiff({ added, removed, changed }: SnapshotDiff): boolean {
  return added.length === 0 && removed.length === 0 && changed.length === 0;
}

/** Compares field by field: fields of an unchanged file are mostly the same objects. */
function isSameMetadata(a: SkillMetadata, b: SkillMetadata): boolean {
  const keys = Object.keys(a) as (keyof SkillMetadata)[];
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => a[key] === b[key] || isDeepStrictEqual(a[key], b[key]));
}

function wasRewritten(before: Snapshot, was: SkillMetadata, after: Snapshot, is: SkillMetadata): boolean {
  const [old, now] = [before.recordOf(was)?.stamp, after.recordOf(is)?.stamp];
  return old !== undefined && now !== undefined && !isSameStamp(old, now);
}
