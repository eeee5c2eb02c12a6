import { SkillwrightError } from '../spec/errors/error.ts';

/**
 * The oldest version of Node that works. Keep it equal to `engines` in package.json and to the check in
 * `bin/skillwright.mjs`.
 */
export const NEEDED_NODE = '22.19';

export function isNodeNew(version: string): boolean {
  const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/**
 * Throws `NodeTooOld` if this Node is too old. Entry points call this after their imports, so the imported modules must
 * load without module exports and functions that Node 20 lacks.
 */
export function assertNodeVersion(): void {
  const found = process.versions.node;
  if (isNodeNew(found)) return;
  const message = `skillwright needs Node ${NEEDED_NODE} or later, and this is Node ${found} (${process.execPath}).`;
  const hint = 'Install a newer version from nodejs.org or with your version manager.';
  throw new SkillwrightError('NodeTooOld', `${message} ${hint}`, { data: { needed: NEEDED_NODE, found } });
}

/** The runtime, if it is not Node but pretends to be. */
export function otherRuntime(): 'Bun' | 'Deno' | undefined {
  if (process.versions['bun'] !== undefined) return 'Bun';
  return process.versions['deno'] === undefined ? undefined : 'Deno';
}
