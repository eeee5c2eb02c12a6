import { isRunnable, toolHandledBy } from '../../catalog/lookup/runnable-file.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isScriptName } from '../../sources/directory/skill-directory-entries.ts';
import type { SkillMetadata } from '../../spec/skill.ts';

/** How many files of a skill are checked. */
const MAX_FILES = 200;
/** Files that say nothing about how to do the task: the skill's own, its tests and its license. */
const NOT_FOR_READING = /^(?:skill\.md|tools\.json|evals\/.*|(?:[^/]*\/)*licen[cs]e[^/]*)$/i;

/** Whether a skill has a file for its model to read, such as a reference or a template, besides programs. */
export function hasReadableFile(snapshot: Snapshot, skill: SkillMetadata): boolean {
  const record = snapshot.recordOf(skill);
  if (record === undefined) return false;
  try {
    return record.files
      .list(MAX_FILES)
      .files.some(
        (file) =>
          !NOT_FOR_READING.test(file.path) &&
          !isScriptName(file.path) &&
          !isRunnable(file) &&
          toolHandledBy(record, file.path) === undefined,
      );
  } catch {
    return false;
  }
}
