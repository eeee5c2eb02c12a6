import { isRunnable, toolHandledBy } from '../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isScriptName } from '../../sources/directory/skill-directory-entries.ts';
import type { SkillFile, SkillMetadata } from '../../spec/skill.ts';

/** Which kinds of files a skill has besides SKILL.md and tools.json. */
interface FileKinds {
  /** The skill has a script that `use_skill` can run. Handlers of tools do not count. */
  readonly hasScript: boolean;
  /** The skill has a file for the model to read, such as a reference or a template. Programs do not count. */
  readonly hasReadable: boolean;
}

/** The most files of a skill that are checked. */
const MAX_FILES = 200;
/**
 * Files that the model has no reason to read: tests, licenses, and SKILL.md and tools.json, whose content the model
 * gets in other ways.
 */
const NOT_FOR_READING = /^(?:skill\.md|tools\.json|evals\/.*|(?:[^/]*\/)*licen[cs]e[^/]*)$/i;
const NONE: FileKinds = { hasScript: false, hasReadable: false };

/** Caches the result for each snapshot, because listing a skill's files reads directories. */
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
