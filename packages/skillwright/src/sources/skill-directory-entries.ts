import type { Dirent } from 'node:fs';

export interface SkillFileEntry {
  readonly name: string;
  readonly kind: 'file' | 'link' | 'directory' | 'special';
}

/** What matters about a directory's entries, from one listing. */
export interface SkillDirectoryEntries {
  /** Every spelling of SKILL.md, the exact one first. */
  readonly skillFiles: SkillFileEntry[];
  readonly directories: string[];
  /** Links that may lead to directories. */
  readonly links: string[];
  readonly hasToolsFile: boolean;
  /** Something that looks runnable beside SKILL.md, or a `scripts` directory. */
  readonly hasScripts: boolean;
}

export function scanEntries(dirents: readonly Dirent[]): SkillDirectoryEntries {
  const skillFiles: SkillFileEntry[] = [];
  const directories: string[] = [];
  const links: string[] = [];
  let hasToolsFile = false;
  let hasScripts = false;
  for (const dirent of dirents) {
    const { name } = dirent;
    if (name.length === 8 && (name === 'SKILL.md' || name.toLowerCase() === 'skill.md')) {
      skillFiles.push({ name, kind: kindOf(dirent) });
    } else if (dirent.isDirectory()) {
      directories.push(name);
      if (name === 'scripts') hasScripts = true;
    } else {
      if (dirent.isSymbolicLink()) links.push(name);
      if (name === 'tools.json') hasToolsFile = true;
      else if (!hasScripts && isScriptName(name)) hasScripts = true;
    }
  }
  if (skillFiles.length > 1) skillFiles.sort(bestFirst);
  return { skillFiles, directories, links, hasToolsFile, hasScripts };
}

const SCRIPT_NAME = /\.(?:[mc]?[jt]s|py|sh|bash|rb|php|pl|ps1)$/;

/** Whether a file's name is that of a script. */
export function isScriptName(name: string): boolean {
  return SCRIPT_NAME.test(name) && !name.endsWith('.d.ts');
}

function kindOf(dirent: Dirent): SkillFileEntry['kind'] {
  if (dirent.isFile()) return 'file';
  if (dirent.isSymbolicLink()) return 'link';
  return dirent.isDirectory() ? 'directory' : 'special';
}

/** Files before directories, the exact spelling before others, then by name. */
function bestFirst(a: SkillFileEntry, b: SkillFileEntry): number {
  return score(a) - score(b) || (a.name < b.name ? -1 : 1);
}

function score(entry: SkillFileEntry): number {
  return (entry.kind === 'file' || entry.kind === 'link' ? 0 : 2) + (entry.name === 'SKILL.md' ? 0 : 1);
}
