import { messageOf, systemCode } from '../spec/errors/error.ts';

/** Whether the error means that the file does not exist (any more). */
export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The system's reason in words, for people. */
export function systemReason(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return messageOf(error);
  return REASONS.get(code) ?? code;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOENT', 'it does not exist'],
  ['ENOTDIR', 'it is not a directory'],
  ['EISDIR', 'it is a directory'],
  ['ELOOP', 'too many links'],
  ['EMFILE', 'too many open files'],
  ['ENAMETOOLONG', 'the path is too long'],
]);
