import { isAbsolute, posix, sep, win32 } from 'node:path';

/** A relative path in normal form with `/`, or why it is refused. */
export type ContainedPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

/** Checks a path by its text alone: relative, inside, without NUL. The code that opens it checks links. */
export function containPath(path: string): ContainedPath {
  if (typeof path !== 'string') return { ok: false, reason: 'it is not text' };
  if (path === '') return { ok: false, reason: 'it is empty' };
  if (path.includes('\0')) return { ok: false, reason: 'it holds a NUL byte' };
  if (posix.isAbsolute(path) || win32.isAbsolute(path) || /^[A-Za-z]:/.test(path))
    return { ok: false, reason: 'it is absolute' };
  const normal = posix.normalize(sep === '\\' ? path.replaceAll('\\', '/') : path);
  if (normal === '..' || normal.startsWith('../')) return { ok: false, reason: 'it leads out of the skill' };
  return { ok: true, path: normal };
}

/** Whether `path` is `root` or lies below it. Both must be real, absolute paths. */
export function isInside(path: string, root: string): boolean {
  if (path === root) return true;
  const prefix = root.endsWith(sep) ? root : root + sep;
  return isAbsolute(path) && path.startsWith(prefix);
}
