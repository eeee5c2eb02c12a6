import type { Dirent } from 'node:fs';

/** The file that makes a directory a skill, and other spellings beside it. */
export interface SkillFileEntry {
  readonly name: string;
  readonly kind: 'file' | 'link' | 'directory' | 'special';
  /** Names that were ignored in favor of this one. */
  readonly ignored: readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/** Finds SKILL.md in any case: files before directories, the exact spelling before others, then by name. */
export function findSkillFile(dirents: readonly Dirent[]): SkillFileEntry | undefined {
  let found: Dirent | undefined;
  let several = false;
  for (const dirent of dirents) {
    const { name } = dirent;
    if (name.length !== 8 || (name !== 'SKILL.md' && name.toLowerCase() !== 'skill.md')) continue;
    several = found !== undefined;
    if (several) break;
    found = dirent;
  }
  if (found === undefined) return undefined;
  return several ? bestOf(dirents) : { name: found.name, kind: kindOf(found), ignored: NONE };
}

function bestOf(dirents: readonly Dirent[]): SkillFileEntry | undefined {
  const spellings = dirents.filter((dirent) => dirent.name.toLowerCase() === 'skill.md');
  const [best, ...others] = spellings.sort((a, b) => score(a) - score(b) || (a.name < b.name ? -1 : 1));
  return best === undefined
    ? undefined
    : { name: best.name, kind: kindOf(best), ignored: others.map((other) => other.name) };
}

function score(dirent: Dirent): number {
  const isFile = dirent.isFile() || dirent.isSymbolicLink();
  return (isFile ? 0 : 2) + (dirent.name === 'SKILL.md' ? 0 : 1);
}

function kindOf(dirent: Dirent): SkillFileEntry['kind'] {
  if (dirent.isFile()) return 'file';
  if (dirent.isSymbolicLink()) return 'link';
  return dirent.isDirectory() ? 'directory' : 'special';
}

export function hasToolsFile(dirents: readonly Dirent[]): boolean {
  for (const dirent of dirents) if (dirent.name === 'tools.json' && !dirent.isDirectory()) return true;
  return false;
}

const SCRIPT_NAME = /\.(?:[mc]?[jt]s|py|sh|bash|rb|php|pl|ps1)$/;

/** Whether a file name is a script's. */
export function isScriptName(name: string): boolean {
  return SCRIPT_NAME.test(name) && !name.endsWith('.d.ts');
}

/** Directories whose files nobody may read as files of a skill: they hold keys and credentials. */
export const PRIVATE_DIRECTORIES: ReadonlySet<string> = new Set(['.git', '.skillwright']);

/** Directories that never contain skills or their content. */
export const SKIPPED_DIRECTORIES: ReadonlySet<string> = new Set([
  ...PRIVATE_DIRECTORIES,
  'node_modules',
  '__pycache__',
  '.venv',
]);

/**
 * Directories that are not searched for skills. A skill may have such a name, so a SKILL.md directly inside still
 * counts.
 */
export const OUTPUT_DIRECTORIES: ReadonlySet<string> = new Set(['dist', 'build']);
