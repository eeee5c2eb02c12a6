import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { systemCode } from '../../spec/errors/error.ts';

interface MountPoint {
  readonly id: string;
  readonly parent: string;
  /** The device number of the mounted file system. */
  readonly device: string;
  /** The path within the file system that is mounted. */
  readonly root: string;
  readonly path: string;
}

/**
 * The directories between a workspace and a skill inside it, outermost first. A program that may rename such a
 * directory could put another skill in the skill's place. A directory that is a mount itself cannot be renamed.
 */
export function directoriesBetween(workspace: string, skill: string): string[] {
  const found: string[] = [];
  if (!isWithin(skill, workspace)) return found;
  for (let path = dirname(skill); path !== workspace && isWithin(path, workspace); path = dirname(path))
    found.push(path);
  return found.reverse();
}

/**
 * The first path that leads to different files inside a sandbox and outside. A user who can write above a path can put
 * a link there while bubblewrap mounts it. Call this after mounting, because a mount does not change afterward.
 */
export function findMisplaced(init: number, paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  const outside = readMounts('self');
  const inside = readMounts(String(init));
  return paths.find((path) => {
    const mounted = mountAt(inside, path);
    return mounted?.path !== path || placeOf(mounted, path) !== placeOf(mountAt(outside, path), path);
  });
}

/** A path's location in its file system, whatever links point to it now. */
function placeOf(mount: MountPoint | undefined, path: string): string | undefined {
  if (mount === undefined) return undefined;
  const rest = path.slice(mount.path === '/' ? 0 : mount.path.length);
  return `${mount.device} ${mount.root === '/' ? '' : mount.root}${rest}`;
}

/** The mount that contains a path; the innermost one if several do. */
function mountAt(mounts: readonly MountPoint[], path: string): MountPoint | undefined {
  const ids = new Set(mounts.map(({ id }) => id));
  let found = mounts.find((mount) => mount.path === '/' && (mount.parent === mount.id || !ids.has(mount.parent)));
  for (let next = found; next !== undefined;) {
    found = next;
    const { id } = next;
    next = mounts
      .filter((mount) => mount.parent === id && mount.id !== id && isWithin(path, mount.path))
      .sort((a, b) => a.path.length - b.path.length)[0];
  }
  return found;
}

function readMounts(pid: string): MountPoint[] {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/mountinfo`, 'latin1');
  } catch {
    // The process has ended: then nothing is found, and no program starts.
    return [];
  }
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([id = '', parent = '', device = '', root = '', path = '']) => ({
      id,
      parent,
      device,
      root: plain(root),
      path: plain(path),
    }));
}

/** Decodes a path from the kernel, which writes spaces and similar characters as `\040`. */
function plain(path: string): string {
  const bytes = path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A symbolic link: its path and its target. */
export interface Link {
  readonly path: string;
  readonly target: string;
}

const MAX_LINKS = 40;

/** The real path of an absolute path, and every link on the way. Throws the system's error if a link is broken. */
export function followLinks(path: string): { readonly real: string; readonly links: readonly Link[] } {
  const links: Link[] = [];
  const rest = path.split('/').reverse();
  let current = '/';
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      current = dirname(current);
      continue;
    }
    const next = join(current, part);
    const target = readLink(next);
    if (target === undefined) {
      current = next;
      continue;
    }
    links.push({ path: next, target });
    // The links form a circle: let the system report it.
    if (links.length > MAX_LINKS) return { real: realpathSync.native(path), links: [] };
    if (isAbsolute(target)) current = '/';
    rest.push(...target.split('/').reverse());
  }
  return { real: current, links };
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    // The path exists, but is not a link.
    if (systemCode(error) === 'EINVAL') return undefined;
    throw error;
  }
}

/** Whether a path is a directory or inside it. Both must be absolute, without `..`. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
