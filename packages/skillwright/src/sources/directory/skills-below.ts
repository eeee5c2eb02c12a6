import { readdirSync, type Dirent } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import { findSkillFile, OUTPUT_DIRECTORIES, SKIPPED_DIRECTORIES } from './skill-directory-entries.ts';

/** How far to look for skills that discovery does not read. */
interface SearchBounds {
  /** How many levels below the start are searched. */
  readonly maxDepth: number;
  readonly maxDirectories: number;
  /** Directories that were opened, by all searches that share these bounds. */
  readonly budget: { opened: number };
  /** Whether to leave out a directory and everything below it. */
  readonly isLeftOut?: (path: string) => boolean;
}

const MAX_FOUND = 1_000;

/**
 * The directories below `start` that hold a SKILL.md, breadth first, without skills inside other skills. Follows no
 * links and reads no files. Directories that cannot be listed, and hidden ones, are left out.
 */
export function findSkillsBelow(start: string, bounds: SearchBounds): readonly string[] {
  const { maxDepth, maxDirectories, budget } = bounds;
  const found: string[] = [];
  let level = [start];
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth += 1) {
    const below: string[] = [];
    for (const path of level) {
      if (budget.opened >= maxDirectories || found.length >= MAX_FOUND) return found;
      budget.opened += 1;
      const dirents = entriesOf(path);
      if (depth > 0 && findSkillFile(dirents)?.kind === 'file') found.push(path);
      else if (depth === 0 || !OUTPUT_DIRECTORIES.has(basename(path)))
        below.push(...directoriesIn(path, dirents, bounds));
    }
    level = below;
  }
  return found;
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function directoriesIn(path: string, dirents: readonly Dirent[], { isLeftOut }: SearchBounds): string[] {
  return dirents
    .filter((dirent) => dirent.isDirectory() && !dirent.name.startsWith('.') && !SKIPPED_DIRECTORIES.has(dirent.name))
    .map(({ name }) => path + sep + name)
    .filter((directory) => isLeftOut?.(directory) !== true)
    .sort();
}

const MOST_NAMED = 10;

/** Lists directories in the form `a, b/c and 3 more`, relative to `base`. */
export function namePlaces(paths: readonly string[], base: string): string {
  const names = paths.slice(0, MOST_NAMED).map((path) => relative(base, path).replaceAll(sep, '/'));
  const more = paths.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}

/** A number of skills in words: `1 skill`, `2 skills`. */
export function amountOfSkills({ length }: readonly string[]): string {
  return length === 1 ? '1 skill' : `${length} skills`;
}
