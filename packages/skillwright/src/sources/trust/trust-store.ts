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
   * While the file cannot be read or is gone, directories it blocked stay blocked and those it trusted lose their trust. For
   * programs that run on. Default false.
   */
  readonly keepsBlocks?: boolean | undefined;
}

/**
 * What a person decided to trust or to block, in a file outside any project. It is read again when it changes, so
 * that a withdrawal counts at once. A file that cannot be used is never overwritten, and trusts nothing.
 */
export interface TrustStore {
  readonly file: string;
  /**
   * What is recorded of a directory or of the nearest directory above it; `undefined` where nothing is, and
   * `untrusted` for everything while the file cannot be used. Fits a `DecideTrust`.
   */
  levelOf(realDir: string): TrustLevel | undefined;
  /** Records a directory that exists, by its real path. Throws `TrustNotAllowed` for a directory that cannot be trusted. */
  set(path: string, level: TrustEntry['level']): Promise<TrustEntry>;
  /** Takes back what is recorded of exactly this directory, which need not exist any more; false if there is nothing. */
  remove(path: string): Promise<boolean>;
  /** Sorted by path. */
  entries(): readonly TrustEntry[];
  /** Why the file cannot be used. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The state of a file that is not there. */
const MISSING = 'missing';

interface Loaded {
  /** Tells one state of the file from another. */
  readonly identity: string;
  readonly content: TrustFileContent;
  readonly levels: ReadonlyMap<string, TrustEntry['level']>;
  /** The levels are what an earlier state blocked. */
  readonly isKept: boolean;
}

/** Opens a trust file, given by an absolute path. A file that is not there is empty until something is recorded. */
export function createTrustStore(path: string, options: TrustStoreOptions = {}): TrustStore {
  // A relative path would let the directory a program is started in decide what is trusted.
  if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0'))
    throw new SkillwrightError('InvalidOptions', 'The path of a trust file must be an absolute path.', {
      data: { option: 'path' },
    });
  const file = resolve(path);
  const home = options.home ?? homedir();
  let loaded: Loaded | undefined;
  /** Whether the file has been checked since other work last had its turn: a discovery asks for thousands of skills. */
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

/** Why what was blocked before still is; `undefined` for a file that says something of its own. */
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

/** A path that climbs must not borrow the trust of the directories it only passes through. */
function normal(path: string): string {
  return /[\\/]\.{0,2}(?:[\\/]|$)/.test(path) ? resolve(path) : path;
}

function nearestLevel(levels: ReadonlyMap<string, TrustEntry['level']>, from: string): TrustLevel | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const level = levels.get(directory);
    if (level !== undefined || dirname(directory) === directory) return level;
  }
}

/** Reads, changes and writes the file while nobody else does. `change` answers nothing when there is nothing to write. */
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
