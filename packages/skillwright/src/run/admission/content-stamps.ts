import { createHash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { isInMemory, realDirectory } from './skill-content.ts';

const MAX_DEPTH = 32;
const MAX_STAMPED = 2_000;
const UNSTAMPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.venv']);
/** For so long a look at every file of a skill is good. */
const STAMP_MS = 100;

/** Tells whether a skill's files have changed, without reading one. Installed packages are taken as they are. */
export interface ContentStamps {
  /** Changes at once with the file that is run, and within a tenth of a second with any other. */
  of(record: SkillRecord, file: string): string;
}

export function createContentStamps(): ContentStamps {
  const stamps = new WeakMap<SkillRecord, { readonly stamp: string; readonly at: number }>();
  return {
    of(record, file) {
      if (isInMemory(record)) return 'memory';
      const now = performance.now();
      let known = stamps.get(record);
      if (known === undefined || now - known.at > STAMP_MS)
        stamps.set(record, (known = { stamp: stampOf(realDirectory(record)), at: now }));
      return `${known.stamp} ${describeFile(file)}`;
    },
  };
}

function stampOf(root: string): string {
  const hash = createHash('sha256');
  let left = MAX_STAMPED;
  const visit = (directory: string, depth: number): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (UNSTAMPED.has(entry.name) || left <= 0) continue;
      left -= 1;
      const path = join(directory, entry.name);
      hash.update(`${entry.name}\0${describeFile(path)}\0`);
      if (entry.isDirectory() && depth < MAX_DEPTH) visit(path, depth + 1);
    }
  };
  try {
    visit(root, 0);
  } catch {
    // What cannot be listed has changed.
    hash.update(String(performance.now()));
  }
  return hash.digest('base64');
}

function describeFile(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.mode}`;
}
