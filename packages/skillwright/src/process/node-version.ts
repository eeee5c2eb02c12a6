import { SkillwrightError } from '../spec/errors/error.ts';

/** As in `engines` of package.json, and in the command's own check. */
export const NEEDED_NODE = '22.19';

export function isNodeNew(version: string): boolean {
  const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/**
 * Throws `NodeTooOld`. Entry points call it, after what they import: until then nothing may be used that is missing in
 * Node 20, neither names of its modules nor functions.
 */
export function assertNodeVersion(): void {
  const found = process.versions.node;
  if (isNodeNew(found)) return;
  const message = `skillwright needs Node ${NEEDED_NODE} or later, and this is Node ${found} (${process.execPath}).`;
  const hint = 'Install a newer version from nodejs.org or with your version manager.';
  throw new SkillwrightError('NodeTooOld', `${message} ${hint}`, { data: { needed: NEEDED_NODE, found } });
}

/** What runs this program if it is not Node, though it looks like it. */
export function otherRuntime(): 'Bun' | 'Deno' | undefined {
  if (process.versions['bun'] !== undefined) return 'Bun';
  return process.versions['deno'] === undefined ? undefined : 'Deno';
}
