import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Whether the last step of a path is a link. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** The real path as a list of one, empty where there is none. */
export function realPathOf(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}

const MAX_HOPS = 8;

/** What a link names, and what that names if it is a link again: where something may appear that makes it lead somewhere. */
export function linkTargets(path: string): string[] {
  const targets: string[] = [];
  try {
    for (let link = path; targets.length < MAX_HOPS; link = targets.at(-1) ?? link)
      targets.push(resolve(dirname(link), readlinkSync(link)));
  } catch {
    // The last one is no link, or is not there.
  }
  return targets;
}
