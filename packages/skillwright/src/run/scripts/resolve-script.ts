import { basename, join, relative } from 'node:path';
import { isRunnable } from '../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { closestName } from '../../parse/closest-name.ts';
import type { Interpreter, Interpreters } from '../../process/interpreters.ts';
import { SkillInvocationError } from '../../spec/errors/error.ts';
import type { Refusal } from '../admission/admission.ts';
import { isInMemory } from '../admission/skill-content.ts';

const MAX_LISTED = 1_000;
const MAX_SHOWN = 10;

/** The real path of a script, or why it is not run: it is not there, or it leads out of the skill. */
export function resolveScript(
  record: SkillRecord,
  script: string,
): { readonly ok: true; readonly path: string } | Refusal {
  try {
    return { ok: true, path: record.files.resolve(script) };
  } catch (error) {
    if (!SkillInvocationError.isInstance(error)) throw error;
    if (error.code === 'PathNotAllowed') return { ok: false, code: 'ScriptNotAllowed', sentence: error.message };
    return { ok: false, code: 'ScriptNotFound', sentence: `${error.message}${suggestScript(record, script)}` };
  }
}

/** Names the nearest existing script, or all of them. */
function suggestScript(record: SkillRecord, script: string): string {
  const scripts = record.files.list(MAX_LISTED).files.filter(isRunnable);
  const paths = scripts.map(({ path }) => path);
  if (paths.length === 0) return ' The skill has no scripts.';
  const guess = paths.find((path) => basename(path) === basename(script)) ?? closestName(script, paths);
  const shown = paths.slice(0, MAX_SHOWN).map((path) => `'${path}'`);
  const more = paths.length > MAX_SHOWN ? ', …' : '';
  return `${guess === undefined ? '' : ` Did you mean '${guess}'?`} Scripts: [${shown.join(', ')}${more}]`;
}

/** Where a resolved script lies for what runs: a skill in memory has files only in its copy. */
export function locateScript(record: SkillRecord, path: string, skillDir: string): string {
  return isInMemory(record) ? join(skillDir, relative(record.metadata.baseDir, path)) : path;
}

export async function findInterpreter(
  interpreters: Interpreters,
  path: string,
  what: string,
): Promise<Extract<Interpreter, { ok: true }> | Refusal> {
  const found = await interpreters.forScript(path);
  if (found.ok) return found;
  const sentence = found.isKnown
    ? `${what} needs ${found.name}, which was not found. ${found.remedy}`
    : `${what} is not possible: nothing is known to run ${found.name} with. ${found.remedy}`;
  return { ok: false, code: 'RequirementsMissing', sentence };
}
