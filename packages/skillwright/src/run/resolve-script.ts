import { join, relative } from 'node:path';
import type { SkillRecord } from '../catalog/skill-record.ts';
import type { Interpreter, Interpreters } from '../process/interpreters.ts';
import { SkillInvocationError } from '../spec/error.ts';
import type { Refusal } from './admission.ts';
import { isInMemory } from './skill-content.ts';

/** The real path of a script, or why it is not run: it is not there, or it leads out of the skill. */
export function resolveScript(
  record: SkillRecord,
  script: string,
): { readonly ok: true; readonly path: string } | Refusal {
  try {
    return { ok: true, path: record.files.resolve(script) };
  } catch (error) {
    if (!SkillInvocationError.isInstance(error)) throw error;
    const code = error.code === 'PathNotAllowed' ? 'ScriptNotAllowed' : 'ScriptNotFound';
    return { ok: false, code, sentence: error.message };
  }
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
  const sentence = `${what} needs ${found.name}, which was not found. ${found.remedy}`;
  return { ok: false, code: 'RequirementsMissing', sentence };
}
