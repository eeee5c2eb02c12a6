import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve, posix, sep, win32 } from 'node:path';

/** Whether the last step of a path is a link. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Whether a path leads to a directory. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The real path in an array; empty if the path does not exist. */
export function realPathOf(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}

const MAX_HOPS = 8;

/** The targets of a link, step by step if a target is a link too: the places where a missing target may appear. */
export function linkTargets(path: string): string[] {
  const targets: string[] = [];
  try {
    for (let link = path; targets.length < MAX_HOPS; link = targets.at(-1) ?? link)
      targets.push(resolve(dirname(link), readlinkSync(link)));
  } catch {
    // The last target is not a link, or does not exist.
  }
  return targets;
}

/** A path with every symbolic link on the way resolved. */
export interface FollowedPath {
  /** Every link on the way, as the real path of its directory and its name. */
  readonly links: readonly string[];
  /** The real path at the end. A part that does not exist is assumed not to be a link. */
  readonly real: string;
}

/** The most links on the way to a path, as in Linux. */
const MAX_LINKS = 40;

/**
 * Resolves a path step by step, like the system, and lists every symbolic link on the way. For a loop, it stops at one
 * of its links.
 */
export function followPath(path: string): FollowedPath {
  const absolute = resolve(path);
  const links: string[] = [];
  let real = parse(absolute).root;
  const steps = stepsOf(absolute.slice(real.length));
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const next = join(real, step);
    const target = links.length < MAX_LINKS ? targetOf(next) : undefined;
    if (target === undefined) real = next;
    else {
      links.push(next);
      const { root } = parse(target);
      if (isAbsolute(target)) real = root;
      steps.unshift(...stepsOf(target.slice(root.length)));
    }
  }
  return { links, real };
}

function stepsOf(path: string): string[] {
  return path.split(process.platform === 'win32' ? /[\\/]/ : '/').filter(Boolean);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** A normalized relative path with `/`, or why it is refused. */
type ContainedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** Checks a path only by its text: relative, inside, without NUL. The code that opens it must check links. */
export function containPath(path: string): ContainedPath {
  if (typeof path !== 'string') return { ok: false, reason: 'it is not text' };
  if (path === '') return { ok: false, reason: 'it is empty' };
  if (path.includes('\0')) return { ok: false, reason: 'it holds a NUL byte' };
  if (posix.isAbsolute(path) || win32.isAbsolute(path) || /^[A-Za-z]:/.test(path))
    return { ok: false, reason: 'it is absolute' };
  const normal = posix.normalize(sep === '\\' ? path.replaceAll('\\', '/') : path);
  if (normal === '..' || normal.startsWith('../'))
    return { ok: false, reason: 'it points to a place outside the skill' };
  return { ok: true, path: normal };
}

/** Whether `path` is `root` or below it. Both must be real, absolute paths. */
export function isInside(path: string, root: string): boolean {
  if (path === root) return true;
  const prefix = root.endsWith(sep) ? root : root + sep;
  return isAbsolute(path) && path.startsWith(prefix);
}
