import { dirname } from 'node:path';
import { readProperties } from 'skills-ref';
import { walk } from '../contenders/walk.ts';

// It reads one skill folder at a time and cannot list folders, so the folders come from W's walk.
export async function discover(dir) {
  const folders = [];
  walk(dir, (file) => folders.push(dirname(file)));
  let found = 0;
  for (const folder of folders) {
    try {
      await readProperties(folder);
      found++;
    } catch {
      // Not YAML, or a field is missing: this loader refuses the skill.
    }
  }
  return found;
}
