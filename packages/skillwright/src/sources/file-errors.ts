/** The system's code of a failed file operation (`ENOENT`, `EACCES` …), or `undefined` for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the thing is not there (any more). */
export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** A short reason for people: what the system said, in words. */
export function systemReason(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
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
