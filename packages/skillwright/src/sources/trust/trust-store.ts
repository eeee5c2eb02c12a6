import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, resolve } from 'node:path';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { SkillwrightError, systemCode } from '../../spec/errors/error.ts';
import type { TrustLevel } from '../../spec/trust.ts';
import { systemReason } from '../file-errors.ts';
import { isHeldLock, withFileLock } from './file-lock.ts';
import { realPathOf } from '../real-path.ts';
import { readTrustFile, writeTrustFile, type TrustEntry, type TrustFileContent } from './trust-file.ts';
import { assertTrustable, realDirectoryOf, realFileOf, unsafePlace } from './unsafe-place.ts';

/** Options of `createTrustStore`. */
export interface TrustStoreOptions {
  /** The user's home directory, which is never trusted as a whole. Default: that of the process. */
  readonly home?: string | undefined;
  /**
   * While the file is missing or cannot be read, directories it blocked stay blocked, and those it trusted lose their
   * trust. For long-running programs. Default false.
   */
  readonly keepsBlocks?: boolean | undefined;
}

/**
 * A user's decisions to trust or block directories, in a file outside any project. The file is read again when it
 * changes, so that withdrawing trust takes effect at once. An invalid file is never overwritten, and trusts nothing.
 */
export interface TrustStore {
  readonly file: string;
  /**
   * The record for a directory or for its nearest recorded parent; `undefined` without a record, and `untrusted` for
   * everything while the file is invalid. Can be used as a `DecideTrust`.
   */
  levelOf(realDir: string): TrustLevel | undefined;
  /**
   * Records an existing directory by its real path. Throws `TrustNotAllowed` for a directory that cannot be trusted.
   */
  set(path: string, level: TrustEntry['level']): Promise<TrustEntry>;
  /** Removes the record of exactly this directory, which need not exist any more; false if there is none. */
  remove(path: string): Promise<boolean>;
  /** All records, sorted by path. */
  entries(): readonly TrustEntry[];
  /** Says why the trust file is invalid; empty for a valid file. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The state of a missing file. */
const MISSING = 'missing';

interface Loaded {
  /** Identifies a state of the file. */
  readonly identity: string;
  readonly content: TrustFileContent;
  readonly levels: ReadonlyMap<string, TrustEntry['level']>;
  /** Whether the levels are blocks from an earlier read, which still apply because the file is now unusable. */
  readonly isKept: boolean;
}

/** Opens a trust file by its absolute path. A missing file is empty until something is recorded. */
export function createTrustStore(path: string, options: TrustStoreOptions = {}): TrustStore {
  // Refuse a relative path: with one, the directory in which a program starts would decide what is trusted.
  if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0'))
    throw new SkillwrightError('InvalidOptions', 'The path of a trust file must be an absolute path.', {
      data: { option: 'path' },
    });
  const file = resolve(path);
  const home = options.home ?? homedir();
  let loaded: Loaded | undefined;
  /** Whether the current synchronous work has already checked the file: a discovery asks about thousands of skills. */
  let isFresh = false;

  const load = (): Loaded => {
    if (loaded !== undefined && isFresh) return loaded;
    const identity = identityOf(file);
    if (loaded?.identity !== identity) {
      const content = readTrustFile(file, home);
      const lost =
        options.keepsBlocks === true && loaded !== undefined ? lostRecords(file, identity, content) : undefined;
      loaded =
        lost === undefined || loaded === undefined
          ? { identity, content, levels: toLevels(content), isKept: false }
          : { identity, content: lost, levels: blocksOf(loaded.levels), isKept: true };
    }
    isFresh = true;
    queueMicrotask(() => {
      isFresh = false;
    });
    return loaded;
  };

  return {
    file,
    levelOf(realDir) {
      const { content, levels, isKept } = load();
      if (!content.ok && !isKept) return 'untrusted';
      return isAbsolute(realDir) && levels.size > 0 ? nearestLevel(levels, normal(realDir)) : undefined;
    },
    async set(given, level) {
      assertLevel(level);
      const entry: TrustEntry = { path: realDirectoryOf(given), level, at: new Date().toISOString() };
      if (level === 'trusted') assertTrustable(entry.path, realFileOf(file), home);
      await update({ file, home }, (entries) => [...entries.filter((other) => other.path !== entry.path), entry]);
      return entry;
    },
    async remove(given) {
      const { content } = load();
      if (content.ok && content.entries.length === 0) return false;
      const paths = new Set([resolve(given), ...realPathOf(given)]);
      let isFound = false;
      await update({ file, home }, (entries) => {
        const kept = entries.filter((entry) => !paths.has(entry.path));
        isFound = kept.length < entries.length;
        return isFound ? kept : undefined;
      });
      return isFound;
    },
    entries() {
      const { content } = load();
      return content.ok ? content.entries.toSorted(byPath) : [];
    },
    get diagnostics() {
      const { content } = load();
      return content.ok ? [] : [content.diagnostic];
    },
  };
}

/** Why earlier blocks still apply; `undefined` for a file with valid records. */
function lostRecords(file: string, identity: string, content: TrustFileContent): TrustFileContent | undefined {
  if (!content.ok) return content;
  if (identity !== MISSING) return undefined;
  const message = `The trust file ${file} was deleted.`;
  return { ok: false, diagnostic: createDiagnostic('trust-file-invalid', { path: file, message }) };
}

/** If a directory has two entries, the stricter one counts. */
function toLevels(content: TrustFileContent): Map<string, TrustEntry['level']> {
  const levels = new Map<string, TrustEntry['level']>();
  if (!content.ok) return levels;
  for (const entry of content.entries) {
    const path = resolve(entry.path);
    if (levels.get(path) !== 'blocked') levels.set(path, entry.level);
  }
  return levels;
}

function blocksOf(levels: ReadonlyMap<string, TrustEntry['level']>): Map<string, TrustEntry['level']> {
  return new Map([...levels].filter(([, level]) => level === 'blocked'));
}

/** Normalizes a path: a path with `..` must not get the trust of a directory that it leaves again. */
function normal(path: string): string {
  return /[\\/]\.{0,2}(?:[\\/]|$)/.test(path) ? resolve(path) : path;
}

function nearestLevel(levels: ReadonlyMap<string, TrustEntry['level']>, from: string): TrustLevel | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const level = levels.get(directory);
    if (level !== undefined || dirname(directory) === directory) return level;
  }
}

/** Reads, changes and writes the file under its lock. `change` returns `undefined` if there is nothing to write. */
async function update(
  { file, home }: { readonly file: string; readonly home: string },
  change: (entries: readonly TrustEntry[]) => readonly TrustEntry[] | undefined,
): Promise<void> {
  const target = realFileOf(file);
  const work = (): void => {
    const content = readTrustFile(file, home);
    const problem = content.ok ? unsafePlace(file, home) : content.diagnostic;
    if (problem !== undefined || !content.ok) throw unusable(target, problem?.message ?? '', problem?.hint);
    const entries = change(content.entries);
    if (entries !== undefined) writeTrustFile(target, entries.toSorted(byPath));
  };
  const done = await withFileLock(target, work).catch((error: unknown) => {
    if (SkillwrightError.isInstance(error)) throw error;
    const message = `The trust file ${target} cannot be written: ${systemReason(error)}.`;
    throw unusable(target, message, 'Check the permissions of its directory.', error);
  });
  if (!isHeldLock(done)) return;
  const message = `The trust file ${target} is being changed by another process (${done.owner}).`;
  throw unusable(target, message, `Try again. If that process no longer runs, delete ${done.lock}.`);
}

function unusable(file: string, message: string, hint: string | undefined, cause?: unknown): SkillwrightError {
  const text = hint === undefined ? message : `${message} ${hint}`;
  return new SkillwrightError('TrustFileUnusable', text, { data: { path: file }, cause });
}

function assertLevel(level: unknown): void {
  if (level === 'trusted' || level === 'blocked') return;
  const message = "The level must be 'trusted' or 'blocked'. To record neither, remove the entry.";
  throw new SkillwrightError('InvalidOptions', message, { data: { option: 'level' } });
}

function identityOf(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return MISSING;
    return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  } catch (error) {
    return systemCode(error) ?? 'unreadable';
  }
}

function byPath(a: TrustEntry, b: TrustEntry): number {
  return a.path < b.path ? -1 : 1;
}
