import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeUtf8 } from '../../../../parse/utf8.ts';
import { systemReason } from '../../../../sources/file-errors.ts';
import { DEFAULT_LIMITS } from '../../../../spec/limits.ts';
import type { SkillMetadata } from '../../../../spec/skill.ts';
import { CliError } from '../../cli-error.ts';
import type { ProposedCase } from './case-finder.ts';

/** The usual file, and the one that is used if the usual file has another format. */
const NAMES = ['triggers.json', 'suggested-triggers.json'] as const;

/** A trigger set to which cases can be added. */
export interface CaseFile {
  readonly path: string;
  /** The text of the file, a JSON array; `undefined` if the file does not exist yet. */
  readonly text?: string;
  /** Why nothing can be added. */
  readonly problem?: string;
}

/**
 * The trigger set of a skill that new cases go to: `evals/triggers.json`, or `evals/suggested-triggers.json` if the
 * former is not a JSON array.
 */
export function caseFileOf({ baseDir }: SkillMetadata): CaseFile {
  const directory = join(baseDir, 'evals');
  const kind = kindOf(directory);
  if (kind !== 'directory' && kind !== 'absent') return { path: directory, problem: 'it is not a directory' };
  for (const name of NAMES) {
    const path = join(directory, name);
    if (kindOf(path) === 'absent') return { path };
    const text = kindOf(path) === 'file' ? readText(path) : undefined;
    if (text !== undefined && isJsonArray(text)) return { path, text };
  }
  return { path: directory, problem: `neither ${NAMES.join(' nor ')} is a file with a JSON array` };
}

/**
 * Throws if nothing can be added. Call this for every skill before the first write, so that a failure writes nothing at
 * all.
 */
export function assertWritable({ path, problem }: CaseFile, { name }: SkillMetadata): void {
  if (problem !== undefined) throw notWritable(name, path, problem);
}

/** Adds cases to the end of the set. Its other lines stay unchanged. */
export function addCases({ path, text }: CaseFile, cases: readonly ProposedCase[], skill: SkillMetadata): void {
  const lines = cases.map(({ query, shouldTrigger }) => `  ${caseLine(query, shouldTrigger)}`).join(',\n');
  const before = text === undefined ? '[' : text.slice(0, text.lastIndexOf(']')).trimEnd();
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, `${before}${before.endsWith('[') ? '' : ','}\n${lines}\n]\n`, { flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw notWritable(skill.name, path, systemReason(error));
  }
}

function caseLine(query: string, shouldTrigger: boolean): string {
  return `{ "query": ${JSON.stringify(query)}, "should_trigger": ${shouldTrigger} }`;
}

/** A link counts as `other`, so that nothing outside of the skill is read or written. */
function kindOf(path: string): 'file' | 'directory' | 'other' | 'absent' {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  if (stats.isDirectory()) return 'directory';
  return stats.isFile() && stats.size <= DEFAULT_LIMITS.maxFileBytes ? 'file' : 'other';
}

function readText(path: string): string | undefined {
  const decoded = decodeUtf8(readFileSync(path));
  return decoded.ok ? decoded.text : undefined;
}

function isJsonArray(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

function notWritable(skill: string, path: string, reason: string): CliError {
  return new CliError('NotWritable', `The cases of ${skill} cannot be written to ${path}: ${reason}.`, {
    hints: ['Without --yes, the command prints the cases.'],
    data: { skill, path },
  });
}
