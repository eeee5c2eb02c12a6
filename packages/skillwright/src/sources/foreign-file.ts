import { statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from './real-path.ts';

/** The owner and permissions of a file or directory. */
type Access = Pick<Stats, 'uid' | 'gid' | 'mode'>;
type FileAccess = Access & Pick<Stats, 'nlink'>;

/**
 * Whether a file may be another user's secret, added to a skill with a hard link by a user who cannot read it. A file
 * that everyone can read is not a secret. `directories` are the skill's directory and every directory between it and
 * the file. A link count of one proves nothing: the file's first name may be gone.
 */
export function isForeign(file: FileAccess, directories: Iterable<Access>): boolean {
  if ((file.mode & 0o004) !== 0) return false;
  for (const directory of directories) if (!canWritersRead(directory, file)) return true;
  return false;
}

/**
 * Whether everyone who can add a name to the directory can read the file anyway. Everyone can add names to a sticky
 * directory.
 */
function canWritersRead(directory: Access, file: FileAccess): boolean {
  if (directory.uid !== file.uid || (directory.mode & 0o002) !== 0) return false;
  if ((directory.mode & 0o020) === 0) return true;
  // By convention, a group with its user's own number has no other members. Do not rely on that for a file with several
  // names.
  const isOwnGroup = directory.gid === directory.uid && file.nlink === 1;
  return isOwnGroup || (directory.gid === file.gid && (file.mode & 0o040) !== 0);
}

/**
 * The skill's directory and all directories between it and a file, as real paths. If SKILL.md is a link that leads out
 * of the skill, only the skill's directory and the one that contains the file.
 */
export function* directoriesTo(file: string, skillDirectory: string): Generator<Stats> {
  yield statSync(skillDirectory);
  for (let path = dirname(file); path !== skillDirectory; path = dirname(path)) {
    yield statSync(path);
    if (!isInside(path, skillDirectory)) return;
  }
}
