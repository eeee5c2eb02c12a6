import { posix } from 'node:path';
import type { SkillFile, SkillTool } from '../../spec/skill.ts';
import { isScriptName } from '../../sources/directory/skill-directory-entries.ts';
import type { SkillRecord } from '../snapshot/skill-record.ts';

/** A script in `scripts/` or at the root of the skill, or a program anywhere in it. */
export function isRunnable(file: SkillFile): boolean {
  if (file.executable) return !file.path.toLowerCase().endsWith('.md');
  const isPlacedForRunning = file.path.startsWith('scripts/') || !file.path.includes('/');
  return isPlacedForRunning && isScriptName(file.path);
}

/**
 * Paths of the scripts among the first `limit` files of a skill. Handlers of tools are not scripts: the model calls
 * their tools.
 */
export function scriptPaths(record: SkillRecord, limit: number): string[] {
  const { files } = record.files.list(limit);
  return files
    .filter((file) => isRunnable(file) && toolHandledBy(record, file.path) === undefined)
    .map(({ path }) => path);
}

/** The tool that this file handles. */
export function toolHandledBy({ metadata }: SkillRecord, path: string): SkillTool | undefined {
  const wanted = posix.normalize(path);
  return metadata.tools.find(({ script }) => script !== undefined && posix.normalize(script) === wanted);
}
