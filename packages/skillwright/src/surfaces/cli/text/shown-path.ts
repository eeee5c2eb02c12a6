import { isAbsolute, relative, sep } from 'node:path';

/** Shortens paths for display. */
export interface ShownPaths {
  /** Shortens a path: relative inside the working directory, with `~` inside the home directory, otherwise absolute. */
  path(path: string): string;
  /** Shortens the paths within a sentence. */
  text(text: string): string;
}

export function createShownPaths(cwd: string, home: string): ShownPaths {
  return {
    path(path) {
      if (path === cwd) return '.';
      const inside = insideOf(path, cwd);
      if (inside !== undefined) return inside;
      const inHomeDirectory = insideOf(path, home);
      return inHomeDirectory === undefined ? path : `~${sep}${inHomeDirectory}`;
    },
    text: (text) => shortenPaths(shortenPaths(text, cwd, ''), home, `~${sep}`),
  };
}

/** The path relative to a directory, with `..` if it is outside the directory; absolute on another drive. */
export function relativePath(path: string, directory: string): string {
  if (!isAbsolute(path)) return path;
  return relative(directory, path) || '.';
}

/** The part of a path below a directory; `undefined` if the path is not below it. */
export function insideOf(path: string, directory: string): string | undefined {
  const start = directory.endsWith(sep) ? directory : directory + sep;
  return path.length > start.length && path.startsWith(start) ? path.slice(start.length) : undefined;
}

/**
 * Shortens paths that begin with a directory. Leaves the root directory alone, because every absolute path begins with
 * it.
 */
function shortenPaths(text: string, directory: string, replacement: string): string {
  if (directory.length < 2 || directory.endsWith(sep)) return text;
  const prefix = directory + sep;
  return text.split(prefix).reduce((shown, part) => shown + (/[\w./\\~-]$/.test(shown) ? prefix : replacement) + part);
}
