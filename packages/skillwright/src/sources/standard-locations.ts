import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * `start` and the directories above it, nearest first, up to and including the repository root (the first that holds
 * `.git`). Outside a repository: `start` alone, so that nothing above a project is ever taken for part of it.
 */
export function directoriesUpToRepository(start: string): string[] {
  const directories: string[] = [];
  for (let directory = resolve(start); ; directory = dirname(directory)) {
    directories.push(directory);
    if (existsSync(join(directory, '.git'))) return directories;
    if (dirname(directory) === directory) return [resolve(start)];
  }
}
