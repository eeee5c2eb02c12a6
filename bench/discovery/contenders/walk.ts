import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

/**
 * Calls `visit` with the path of every SKILL.md below `dir`. A directory that holds one is a leaf. This is the walk
 * of contenders that have none of their own.
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

/**
 * W: a synchronous walk of the whole tree plus the first 4 KB of each SKILL.md into one buffer, nothing else. It knows
 * nothing about skills, so unlike loaders it does not stop at a directory that holds one.
 */
export function discover(dir: string): number {
  return walkTree(dir, Buffer.allocUnsafe(4096));
}

function walkTree(dir: string, head: Buffer): number {
  let found = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory()) found += walkTree(path, head);
    else if (entry.name === 'SKILL.md') {
      const descriptor = openSync(path, 'r');
      readSync(descriptor, head, 0, 4096, 0);
      closeSync(descriptor);
      found += 1;
    }
  }
  return found;
}
