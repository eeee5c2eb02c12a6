import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { SkillInvocationError, systemCode } from '../../spec/errors/error.ts';
import type { SkillFile } from '../../spec/skill.ts';
import type { SkillFiles } from '../../spec/source.ts';
import { containPath, isInside } from '../real-path.ts';
import { isMissing, systemReason } from '../file-errors.ts';
import { directoriesTo, isForeign } from '../foreign-file.ts';
import { PRIVATE_DIRECTORIES, SKIPPED_DIRECTORIES } from './skill-directory-entries.ts';

const MAX_LISTING_DEPTH = 16;

/** The files of a skill in a directory. */
export class DirectoryFiles implements SkillFiles {
  readonly #baseDir: string;
  readonly #skill: string;
  readonly #skillFile: string;
  readonly #realBase: string;

  /** `skillFile` and `realBase` are the real paths of SKILL.md and its directory at the time of the scan. */
  constructor(baseDir: string, skill: string, skillFile: string, realBase: string) {
    this.#baseDir = baseDir;
    this.#skill = skill;
    this.#skillFile = skillFile;
    this.#realBase = realBase;
  }

  readSkillSync(maxBytes: number): Uint8Array {
    this.#assertUnmoved();
    return this.#readSync('SKILL.md', this.#skillFile, maxBytes);
  }

  readHeadSync(maxBytes: number): Uint8Array {
    const descriptor = openSync(this.#skillFile, OPEN_FLAGS);
    try {
      this.#assertOwn('SKILL.md', this.#skillFile, fstatSync(descriptor));
      const bytes = Buffer.allocUnsafe(maxBytes);
      let filled = 0;
      for (let count = -1; count !== 0 && filled < maxBytes; filled += count) {
        count = readSync(descriptor, bytes, filled, maxBytes - filled, filled);
      }
      return bytes.subarray(0, filled);
    } finally {
      closeSync(descriptor);
    }
  }

  async readSkill(maxBytes: number): Promise<Uint8Array> {
    this.#assertUnmoved();
    return this.#read('SKILL.md', this.#skillFile, maxBytes);
  }

  has(path: string): boolean {
    const contained = containPath(path);
    try {
      if (!contained.ok || isPrivate(contained.path)) return false;
      return statSync(join(this.#baseDir, contained.path)).isFile();
    } catch {
      return false;
    }
  }

  resolve(path: string): string {
    const contained = containPath(path);
    if (!contained.ok) throw this.#refused(path, contained.reason);
    try {
      const real = realpathSync.native(join(this.#baseDir, contained.path));
      if (!isInside(real, this.#realBase)) throw this.#refused(path, 'it contains a link to a place outside the skill');
      if (isPrivate(relative(this.#realBase, real))) throw this.#refused(path, PRIVATE, 'Choose another file.');
      if (!statSync(real).isFile()) throw this.#notRegular(path);
      return real;
    } catch (error) {
      throw this.#failed(path, error);
    }
  }

  readSync(path: string, maxBytes: number): Uint8Array {
    return this.#readSync(path, this.resolve(path), maxBytes);
  }

  readTopSync(name: string, maxBytes: number): Uint8Array {
    // An entry directly in the skill's directory can lead out of it only if it is a link, and links are resolved and
    // checked.
    try {
      return this.#readSync(name, join(this.#realBase, name), maxBytes, NO_LINKS);
    } catch (error) {
      if (!(error instanceof Error) || systemCode(error.cause) !== 'ELOOP') throw error;
      return this.readSync(name, maxBytes);
    }
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array> {
    return this.#read(path, this.resolve(path), maxBytes);
  }

  list(limit: number): { files: SkillFile[]; more: boolean } {
    const files: SkillFile[] = [];
    const more = isUnmoved(this.#realBase) && !listInto(files, this.#realBase, '', limit, 0);
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files, more };
  }

  #readSync(path: string, real: string, maxBytes: number, flags = OPEN_FLAGS): Uint8Array {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(real, flags);
      this.#assertReadable(path, real, fstatSync(descriptor), maxBytes);
      return readFileSync(descriptor);
    } catch (error) {
      throw this.#failed(path, error);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  async #read(path: string, real: string, maxBytes: number): Promise<Uint8Array> {
    try {
      const handle = await open(real, OPEN_FLAGS);
      try {
        this.#assertReadable(path, real, await handle.stat(), maxBytes);
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw this.#failed(path, error);
    }
  }

  /**
   * Checks an opened file: not another user's secret, still at its real path, a regular file, and within its size
   * limit.
   */
  #assertReadable(path: string, real: string, stats: Stats, maxBytes: number): void {
    this.#assertOwn(path, real, stats);
    if (!isSameFile(real, stats)) throw this.#refused(path, 'it was replaced while Skillwright opened it');
    if (!stats.isFile()) throw this.#notRegular(path);
    if (stats.size > maxBytes) {
      throw new SkillInvocationError(
        'FileTooLarge',
        `Cannot read '${path}' of skill '${this.#skill}': it has ${stats.size} bytes, the limit is ${maxBytes}.`,
        { data: { skill: this.#skill, path, bytes: stats.size, limit: maxBytes } },
      );
    }
  }

  #assertOwn(path: string, real: string, stats: Stats): void {
    if (isForeign(stats, directoriesTo(real, this.#realBase)))
      throw this.#refused(path, 'it may be a private file of another user', OWN_OR_PUBLIC);
  }

  /** Checks that nothing has become a link to another place since discovery. */
  #assertUnmoved(): void {
    try {
      if (realpathSync.native(this.#skillFile) === this.#skillFile) return;
    } catch (error) {
      throw this.#failed('SKILL.md', error);
    }
    throw this.#refused('SKILL.md', 'it has become a link since discovery');
  }

  #notRegular(path: string): SkillInvocationError {
    return new SkillInvocationError(
      'FileUnreadable',
      `Cannot read '${path}' of skill '${this.#skill}': it is not a regular file.`,
      {
        data: { skill: this.#skill, path },
      },
    );
  }

  #refused(path: string, reason: string, advice = 'Use a path relative to the skill directory.'): SkillInvocationError {
    const shown = path.replaceAll('\0', '\\0');
    return new SkillInvocationError(
      'PathNotAllowed',
      `Path '${shown}' is not allowed in skill '${this.#skill}': ${reason}. ${advice}`,
      {
        data: { skill: this.#skill, path: shown, reason },
      },
    );
  }

  #failed(path: string, error: unknown): unknown {
    if (SkillInvocationError.isInstance(error)) return error;
    const code = isMissing(error) ? 'FileNotFound' : 'FileUnreadable';
    const message = isMissing(error)
      ? `Skill '${this.#skill}' has no file '${path}' (looked in ${this.#baseDir}).`
      : `Cannot read '${path}' of skill '${this.#skill}': ${systemReason(error)}.`;
    return new SkillInvocationError(code, message, {
      cause: error,
      data: { skill: this.#skill, path, system: systemCode(error) ?? null },
    });
  }
}

/** Flags for opening a file without waiting, because a pipe may have taken the file's place. */
const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const NO_LINKS: number = OPEN_FLAGS | (constants.O_NOFOLLOW ?? 0);

const PRIVATE = `the files in ${[...PRIVATE_DIRECTORIES].join(' and ')} may hold keys, so they are not files of the skill`;

/** Whether a path relative to the skill's directory leads into a private directory. */
function isPrivate(path: string): boolean {
  return path.split(/[\\/]/).some((step) => PRIVATE_DIRECTORIES.has(step));
}

const OWN_OR_PUBLIC =
  "Make it readable by everyone, or make its owner the only user who owns and can write to the skill's directories.";

/** Whether the opened file is the one at this path, and no part of the path has become a link. */
function isSameFile(real: string, opened: Stats): boolean {
  const now = lstatSync(real, { throwIfNoEntry: false });
  return now !== undefined && now.ino === opened.ino && now.dev === opened.dev && isUnmoved(real);
}

/** Whether a real path is still real: no part of it has become a link. */
function isUnmoved(realPath: string): boolean {
  try {
    return realpathSync.native(realPath) === realPath;
  } catch {
    return false;
  }
}

/** Adds files below `prefix`; false once the limit is reached. Skips unreadable entries. */
function listInto(files: SkillFile[], baseDir: string, prefix: string, limit: number, depth: number): boolean {
  const directory = join(baseDir, prefix);
  for (const entry of readEntries(directory)) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) {
      if (SKIPPED_DIRECTORIES.has(entry.name) || depth >= MAX_LISTING_DEPTH) continue;
      if (!listInto(files, baseDir, path, limit, depth + 1)) return false;
      continue;
    }
    const file = describeFile(baseDir, path, entry.isSymbolicLink());
    if (file === undefined) continue;
    if (files.length >= limit) return false;
    files.push(file);
  }
  return true;
}

function readEntries(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Whether the target of a link, a real path, is a file of the skill: inside its directory and not private. */
function isShown(target: string, realBase: string): boolean {
  return isInside(target, realBase) && !isPrivate(relative(realBase, target));
}

/** Describes a bundled file. `undefined` if it is not a regular file, or is a link to a file that is not the skill's. */
function describeFile(baseDir: string, path: string, isLink: boolean): SkillFile | undefined {
  try {
    const full = join(baseDir, path);
    if (isLink && !isShown(realpathSync.native(full), realpathSync.native(baseDir))) return undefined;
    const stats = statSync(full);
    if (!stats.isFile()) return undefined;
    return { path, bytes: stats.size, executable: process.platform !== 'win32' && (stats.mode & 0o111) !== 0 };
  } catch {
    return undefined;
  }
}
