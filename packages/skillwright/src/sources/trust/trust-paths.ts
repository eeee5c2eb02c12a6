import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SkillwrightError } from '../../spec/errors/error.ts';
import { isInside } from '../contained-path.ts';
import { systemReason } from '../file-errors.ts';
import { realPathOf } from '../real-path.ts';

/** The real path of a directory that something is to be recorded of; throws `TrustNotAllowed` where there is none. */
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

/** Refuses what is too wide to be trusted, or would let skills change what is trusted. All paths but `home` are real. */
export function assertTrustable(path: string, file: string, home: string): void {
  const [realHome = home] = realPathOf(home);
  const reason =
    dirname(path) === path
      ? 'it is the root of a file system, and everything would be trusted'
      : isInside(realHome, path)
        ? 'it holds your whole home directory'
        : isInside(file, path)
          ? `it holds the trust file ${file} itself`
          : undefined;
  if (reason === undefined) return;
  const message = `${path} cannot be trusted: ${reason}. Name the directory that holds the skills.`;
  throw new SkillwrightError('TrustNotAllowed', message, { data: { path } });
}

/** Where the file is, or will be, once links are resolved. */
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
