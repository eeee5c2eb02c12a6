import { isRunnable, toolHandledBy } from '../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isScriptName } from '../../sources/directory/skill-directory-entries.ts';
import type { SkillFile, SkillMetadata } from '../../spec/skill.ts';

/** The kinds of files that a skill has besides its own. */
interface FileKinds {
  /** A script for `use_skill`. Handlers of tools are not scripts. */
  readonly hasScript: boolean;
  /** A file for its model to read, such as a reference or a template, besides programs. */
  readonly hasReadable: boolean;
}

/** How many files of a skill are checked. */
const MAX_FILES = 200;
/** Files that say nothing about how to do the task: the skill's own, its tests and its license. */
const NOT_FOR_READING = /^(?:skill\.md|tools\.json|evals\/.*|(?:[^/]*\/)*licen[cs]e[^/]*)$/i;
const NONE: FileKinds = { hasScript: false, hasReadable: false };

/** Listing a skill's files reads directories, so each snapshot does it once for each skill. */
const KNOWN = new WeakMap<Snapshot, Map<SkillMetadata, FileKinds>>();

export function fileKinds(snapshot: Snapshot, skill: SkillMetadata): FileKinds {
  const known = KNOWN.get(snapshot) ?? new Map<SkillMetadata, FileKinds>();
  KNOWN.set(snapshot, known);
  const kinds = known.get(skill) ?? readKinds(snapshot.recordOf(skill));
  known.set(skill, kinds);
  return kinds;
}

function readKinds(record: SkillRecord | undefined): FileKinds {
  if (record === undefined) return NONE;
  try {
    const files = record.files.list(MAX_FILES).files.filter(({ path }) => toolHandledBy(record, path) === undefined);
    return { hasScript: files.some(isRunnable), hasReadable: files.some(isReadable) };
  } catch {
    return NONE;
  }
}

function isReadable(file: SkillFile): boolean {
  return !NOT_FOR_READING.test(file.path) && !isScriptName(file.path) && !isRunnable(file);
}
