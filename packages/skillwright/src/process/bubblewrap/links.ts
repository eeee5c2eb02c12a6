import { readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { systemCode } from '../../spec/errors/caught-error.ts';

/** A symbolic link: where it is, and what it says. */
export interface Link {
  readonly path: string;
  readonly target: string;
}

const MAX_LINKS = 40;

/** Where an absolute path ends, and every link on the way there. Throws the system's error when it leads nowhere. */
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
    // Links in a circle: the system has the words for it.
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
    // What is there, but no link.
    if (systemCode(error) === 'EINVAL') return undefined;
    throw error;
  }
}

/** Whether a path is a directory or lies in it. Both absolute, without `..`. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
