import { extname } from 'node:path';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';

/** The most bytes that are searched for a function named handler. */
const MAX_SOURCE_BYTES = 4_194_304;
/** Matches Python code that is meant to run as a program, because it reads its input or prints. */
const IS_PROGRAM = /__main__|\bsys\b|\bprint\s*\(|\binput\s*\(|^#!/m;
const DEFINES_HANDLER = /^(?:async\s+)?def\s+handler\b|^handler\s*[:=]|^from\s.*\bimport\b.*\bhandler\b/m;

/**
 * The language in which a tool's script is called as a function. `undefined` if it runs as a program whose output is
 * the result. A Python file that looks like neither a handler nor a program is called, and the call reports that it has
 * no handler.
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
    // Resolving the script later reports what is wrong with it.
    return false;
  }
}
