import { extname } from 'node:path';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';

/** Looked at for a function named handler. */
const MAX_SOURCE_BYTES = 4_194_304;
/** What reads its input or prints is meant to be run as it is. */
const IS_PROGRAM = /__main__|\bsys\b|\bprint\s*\(|\binput\s*\(|^#!/m;
const DEFINES_HANDLER = /^(?:async\s+)?def\s+handler\b|^handler\s*[:=]|^from\s.*\bimport\b.*\bhandler\b/m;

/**
 * In which language a tool's script is called as a function; `undefined`: it is run, and what it prints is the answer.
 * A Python file that is neither is called, to be told that it has no handler.
 */
export function handlerLanguage(record: SkillRecord, script: string): 'javascript' | 'python' | undefined {
  if (isJavaScript(script)) return 'javascript';
  return extname(script).toLowerCase() === '.py' && isCalled(record, script) ? 'python' : undefined;
}

/** Whether a script is JavaScript or TypeScript, by its name. */
export function isJavaScript(script: string): boolean {
  return /^\.[mc]?[jt]s$/.test(extname(script).toLowerCase());
}

function isCalled(record: SkillRecord, script: string): boolean {
  try {
    const text = Buffer.from(record.files.readSync(script, MAX_SOURCE_BYTES)).toString('utf8');
    return DEFINES_HANDLER.test(text) || !IS_PROGRAM.test(text);
  } catch {
    // Resolving the script reports what is wrong with it.
    return false;
  }
}
