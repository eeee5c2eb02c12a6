import { posix } from 'node:path';
import { scriptPaths, toolHandledBy } from '../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { closestName } from '../../parse/closest-name.ts';
import type { SkillTool } from '../../spec/skill.ts';

const MAX_LISTED = 1_000;
const MAX_SHOWN = 10;
/** A model may write anything for a path. */
const MAX_PATH = 200;

/** Which of a skill's files a model may have meant. */
export interface FileChoice {
  /** What they are called: `script`, `file`. */
  readonly kind: 'script' | 'file';
  readonly paths: readonly string[];
}

/** The files that can be read, without SKILL.md itself. */
export function readableFiles(record: SkillRecord): FileChoice {
  const { files } = record.files.list(MAX_LISTED);
  return { kind: 'file', paths: files.map(({ path }) => path).filter((path) => path.toLowerCase() !== 'skill.md') };
}

/** The files that are run by themselves. The handlers of tools are not: their tools are called. */
export function scriptFiles(record: SkillRecord, limit: number = MAX_LISTED): FileChoice {
  return { kind: 'script', paths: scriptPaths(record, limit) };
}

/** The tool whose handler a path means: as it is written, or by the name of the file alone. */
export function meantHandler(record: SkillRecord, written: string): SkillTool | undefined {
  const exact = toolHandledBy(record, written);
  if (exact !== undefined || !isBareName(written) || record.files.has(written)) return exact;
  return record.metadata.tools.find(({ script }) => script !== undefined && posix.basename(script) === written);
}

/** The path as it is written; for a bare name that is not a path, the only file with that name. */
export function meantPath(record: SkillRecord, written: string, choice: (record: SkillRecord) => FileChoice): string {
  if (!isBareName(written) || record.files.has(written)) return written;
  const [path, ...others] = choice(record).paths.filter((candidate) => posix.basename(candidate) === written);
  return path === undefined || others.length > 0 ? written : path;
}

function isBareName(written: string): boolean {
  return written !== '' && written.length <= MAX_PATH && !/[/\\\0]/.test(written) && !/^\.+$/.test(written);
}

/** What to answer if there is no such file: the most similar one, and the existing ones. */
export function missingFileSentence(record: SkillRecord, written: string, { kind, paths }: FileChoice): string {
  const guess = closestPath(written, paths);
  const shown = paths.slice(0, MAX_SHOWN).map((path) => `'${path}'`);
  if (paths.length > MAX_SHOWN) shown.push('…');
  return [
    `Skill '${record.metadata.name}' has no ${kind} '${written.slice(0, MAX_PATH)}'.`,
    ...(guess === undefined ? [] : [`Did you mean '${guess}'?`]),
    paths.length === 0 ? `The skill has no ${kind}s.` : `Its ${kind}s: [${shown.join(', ')}]`,
  ].join(' ');
}

/** By the whole path, then by the name of the file alone. */
function closestPath(written: string, paths: readonly string[]): string | undefined {
  const whole = closestName(written, paths);
  if (whole !== undefined) return whole;
  const names = paths.map((path) => posix.basename(path));
  const name = closestName(posix.basename(written.slice(-MAX_PATH)), names);
  return name === undefined ? undefined : paths[names.indexOf(name)];
}
