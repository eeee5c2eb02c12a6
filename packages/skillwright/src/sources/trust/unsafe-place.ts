import { lstatSync, statSync, type Stats, realpathSync } from 'node:fs';
import { dirname, basename, join } from 'node:path';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { followPath, realPathOf, isInside } from '../real-path.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import { systemReason } from '../file-errors.ts';

/** The effect of an invalid trust file. */
export const EFFECT = 'nothing is trusted, and its blocks are unknown.';

/** Reports an opened trust file that other users could have written. */
export function unsafeFile(file: string, stats: Stats): Diagnostic | undefined {
  if (isWritableByOthers(stats))
    return unsafe(
      file,
      `The trust file ${file} can be changed by other users (mode ${modeOf(stats)})`,
      `chmod 600 '${file}'`,
    );
  if (!isForeign(stats)) return undefined;
  const what = `The trust file ${file} belongs to another user (uid ${stats.uid})`;
  return unsafe(file, what, 'Move it away, and trust your directories again.');
}

/**
 * Reports an unsafe path to a trust file. The path is unsafe if another user can write to any directory on the way to
 * the file, or to a link on the way, up to the home directory: that user could replace the file.
 */
export function unsafePlace(file: string, home: string): Diagnostic | undefined {
  const [realHome] = realPathOf(home);
  const { links, real } = followPath(file);
  for (const place of [...links, real]) {
    const link = place === real ? undefined : lstatSync(place, { throwIfNoEntry: false });
    if (link !== undefined && isForeign(link))
      return unsafe(file, `The link ${place} to the trust file belongs to another user`, 'Remove it.');
    const holder = dirname(place);
    for (let directory = holder; dirname(directory) !== directory; directory = dirname(directory)) {
      const problem = unsafeDirectory(file, directory, directory === holder);
      if (problem !== undefined) return problem;
      if (directory === realHome) break;
    }
  }
  return undefined;
}

function unsafeDirectory(file: string, directory: string, isHolder: boolean): Diagnostic | undefined {
  const stats = statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (isForeign(stats)) {
    const what = `The directory ${directory} of the trust file belongs to another user`;
    return unsafe(file, what, 'chown it, or use another directory.');
  }
  const isSticky = (stats.mode & 0o1000) !== 0;
  // By convention, a group with its user's own number has no other members.
  const isPrivate = !isHolder && stats.gid === stats.uid && (stats.mode & 0o002) === 0;
  if (isSticky || isPrivate || !isWritableByOthers(stats)) return undefined;
  const what = `The directory ${directory} of the trust file can be changed by other users (mode ${modeOf(stats)})`;
  return unsafe(file, what, `chmod go-w '${directory}'`);
}

function unsafe(file: string, what: string, hint: string): Diagnostic {
  return createDiagnostic('trust-file-unsafe', {
    path: file,
    message: `${what}, so it is ignored: ${EFFECT}`,
    hint,
  });
}

/** Whether a file belongs to a user other than this one and root. */
function isForeign({ uid }: Stats): boolean {
  const user = process.getuid?.();
  return user !== undefined && uid !== user && uid !== 0;
}

/** On Windows, the mode says nothing useful. */
function isWritableByOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & 0o022) !== 0;
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

/** The real path of a directory to record; throws `TrustNotAllowed` if it does not exist. */
export function realDirectoryOf(path: string): string {
  const refused = (reason: string): SkillwrightError =>
    new SkillwrightError('TrustNotAllowed', `${path} cannot be recorded: ${reason}.`, { data: { path } });
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw refused(systemReason(error));
  }
  throw refused('it is not a directory');
}

/**
 * Rejects a directory that is too broad to trust, or that would let skills change what is trusted. All paths but `home`
 * are real.
 */
export function assertTrustable(path: string, file: string, home: string): void {
  const [realHome = home] = realPathOf(home);
  const reason =
    dirname(path) === path
      ? 'it is the root of a file system, and everything would be trusted'
      : isInside(realHome, path)
        ? 'it contains your whole home directory'
        : isInside(file, path)
          ? `it contains the trust file ${file}`
          : undefined;
  if (reason === undefined) return;
  const message = `${path} cannot be trusted: ${reason}. Give the path of the directory that contains the skills.`;
  throw new SkillwrightError('TrustNotAllowed', message, { data: { path } });
}

/** The current or future path of the file with links resolved. */
export function realFileOf(file: string): string {
  const [real] = realPathOf(file);
  if (real !== undefined) return real;
  for (let directory = dirname(file), rest = basename(file); ; directory = dirname(directory)) {
    const [realDirectory] = realPathOf(directory);
    if (realDirectory !== undefined) return join(realDirectory, rest);
    if (dirname(directory) === directory) return file;
    rest = join(basename(directory), rest);
  }
}
