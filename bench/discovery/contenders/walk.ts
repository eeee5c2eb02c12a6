import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

/**
 * Calls `visit` with the path of every SKILL.md below `dir`. A directory that holds one is a leaf. This is the walk of W
 * and of the contenders that have none of their own.
 */
export function walk(dir: string, visit: (file: string) => void): void {
  const entries = readdirSync(dir, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.name === 'SKILL.md' && entry.isFile()) {
      visit(`${dir}/SKILL.md`);
      return;
    }
  }
  for (const entry of entries) {
    if (entry.isDirectory()) walk(`${dir}/${entry.name}`, visit);
  }
}

/** W: the walk plus the first 4 KB of each file into one buffer, nothing else. What any loader at least has to do. */
export function discover(dir: string): number {
  const head = Buffer.allocUnsafe(4096);
  let found = 0;
  walk(dir, (file) => {
    const descriptor = openSync(file, 'r');
    readSync(descriptor, head, 0, 4096, 0);
    closeSync(descriptor);
    found++;
  });
  return found;
}
