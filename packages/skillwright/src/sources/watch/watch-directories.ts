import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import type { WatchList } from '../../spec/source.ts';
import { isInside, isDirectory } from '../real-path.ts';
import { systemCode } from '../../spec/errors/error.ts';
import { SKIPPED_DIRECTORIES } from '../directory/skill-directory-entries.ts';

export interface DirectoryWatchOptions {
  /** Called for every relevant change. */
  readonly onChange: () => void;
  /** Whether one watcher covers everything below a directory. Default: if the system supports it. */
  readonly recursive?: boolean | undefined;
  /** Starts a watcher. Default: Node's `watch`. */
  readonly watch?: typeof watch | undefined;
}

/** Watches the directories that a discovery reads. Does not keep the process alive. */
export interface DirectoryWatch {
  /**
   * Starts a round that collects directories: each is watched from the moment it is named. Directories that the round
   * does not name are dropped at its `end`.
   */
  begin(): WatchRound;
  /** Why some directories could not be watched in the last round, in the system's words. */
  readonly shortage: string | undefined;
  /** Whether changes directly after the start of a watch may be missed. */
  readonly startsLate: boolean;
  close(): void;
}

interface WatchRound extends WatchList {
  end(): void;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly isRecursive: boolean;
  interest: Interest;
  round: number;
}

/** Errors that mean that the system has no watches or memory left. */
const SHORTAGES: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);
const NATIVELY_RECURSIVE = process.platform === 'darwin' || process.platform === 'win32';

export function createDirectoryWatch(options: DirectoryWatchOptions): DirectoryWatch {
  const { onChange, recursive = NATIVELY_RECURSIVE, watch: open = watch } = options;
  const watched = new Map<string, Watched>();
  /** Paths whose watched directory may have been replaced by another. */
  let suspects = new Set<string>();
  /** The suspects that the current round checks. */
  let settling = new Set<string>();
  let round = 0;
  let shortage: string | undefined;
  let isClosed = false;

  const drop = (path: string): void => {
    watched.get(path)?.watcher.close();
    watched.delete(path);
  };

  const receive = (path: string, type: string, name: string | null): void => {
    const self = basename(path);
    if (watched.get(path)?.interest.matters(type, name, self) !== true) return;
    if (type === 'rename') {
      // An event with the directory's own name may mean the directory, or an entry of the same name.
      if (name === null || name === self) suspects.add(path);
      if (name !== null) suspects.add(path + sep + name);
    }
    onChange();
  };

  const start = (path: string, isRecursive: boolean): Watched | undefined => {
    if (shortage !== undefined || isClosed) return undefined;
    try {
      const watcher = open(path, { persistent: false, recursive: isRecursive }, (type, name) =>
        receive(path, type, name),
      );
      watcher.on('error', () => {
        if (watched.get(path)?.watcher === watcher) drop(path);
        else watcher.close();
        onChange();
      });
      const entry = { watcher, isRecursive, interest: createInterest(isRecursive), round };
      watched.set(path, entry);
      return entry;
    } catch (error) {
      const code = systemCode(error) ?? '';
      if (SHORTAGES.has(code)) shortage = code;
      return undefined;
    }
  };

  /**
   * Returns the interest in a directory. Starts a new watcher if there is none, or if another directory may have
   * replaced the watched one.
   */
  const mention = (path: string, isRecursive: boolean): Interest | undefined => {
    const known = watched.get(path);
    if (known !== undefined && (known.isRecursive || !isRecursive)) {
      if (known.round === round) return known.interest;
      if (!isSuspect(path, settling)) {
        known.round = round;
        known.interest = createInterest(known.isRecursive);
        return known.interest;
      }
    }
    if (known !== undefined) drop(path);
    return start(path, isRecursive)?.interest;
  };

  const isCovered = (path: string): boolean => {
    if (!recursive) return false;
    for (const [root, entry] of watched)
      if (entry.isRecursive && entry.round === round && root !== path && isInside(path, root)) return true;
    return false;
  };

  return {
    startsLate: recursive,
    get shortage() {
      return shortage;
    },
    begin() {
      round += 1;
      shortage = undefined;
      // An incomplete round leaves its suspects to the next round.
      for (const path of suspects) settling.add(path);
      suspects = new Set();
      const mine = round;
      return {
        directory(path, { skillOnly = false } = {}) {
          if (mine !== round || isCovered(path)) return;
          mention(path, recursive)?.add(skillOnly ? 'skill' : 'entries');
        },
        path(path) {
          if (mine !== round || isCovered(path)) return;
          for (let [directory, name] = [dirname(path), basename(path)]; name !== '';) {
            const interest = isDirectory(directory) ? mention(directory, false) : undefined;
            if (interest !== undefined || shortage !== undefined) return interest?.addName(name);
            [directory, name] = [dirname(directory), basename(directory)];
          }
        },
        end() {
          if (mine !== round) return;
          settling = new Set();
          for (const [path, entry] of watched) if (entry.round !== round) drop(path);
        },
      };
    },
    close() {
      isClosed = true;
      round += 1;
      for (const path of watched.keys()) drop(path);
    },
  };
}

/** Whether the entry at a path, or at one above it, may have been replaced. */
function isSuspect(path: string, suspects: ReadonlySet<string>): boolean {
  if (suspects.size === 0) return false;
  for (let part = path; ; part = dirname(part)) {
    if (suspects.has(part)) return true;
    if (dirname(part) === part) return false;
  }
}

/** Which events of a watched directory matter. */
export interface Interest {
  /**
   * `skill`: changes of SKILL.md and tools.json in the directory. `entries`: also entries that are added, removed or
   * renamed.
   */
  add(what: 'skill' | 'entries'): void;
  /** Changes of the entry with this name matter. */
  addName(name: string): void;
  /** `type` and `name` are those of the event; `self` is the name of the directory. */
  matters(type: string, name: string | null, self: string): boolean;
}

const READ_FILES: ReadonlySet<string> = new Set(['skill.md', 'tools.json']);
const MANIFESTS: ReadonlySet<string> = new Set([...READ_FILES, 'plugin.json', 'marketplace.json']);

/**
 * Collects which changes of a directory matter. With `deep`, names are paths relative to the directory, and the same
 * changes matter everywhere below it.
 * @internal Exported for its tests.
 */
export function createInterest(deep: boolean): Interest {
  const names = new Set<string>();
  let isSkill = false;
  let isAll = false;
  return {
    add(what) {
      if (what === 'skill') isSkill = true;
      else isAll = true;
    },
    addName: (name) => void names.add(name),
    matters(type, name, self) {
      // Without a name, anything may have changed. The directory's own name means the directory itself.
      if (name === null || name === self || names.has(name)) return true;
      if (deep) return isDeepMatter(type, name);
      if (READ_FILES.has(name.toLowerCase())) return isSkill || isAll;
      return isAll && type === 'rename' && !SKIPPED_DIRECTORIES.has(name);
    },
  };
}

function isDeepMatter(type: string, path: string): boolean {
  const steps = path.split(/[\\/]/);
  if (steps.some((step) => SKIPPED_DIRECTORIES.has(step))) return false;
  return type === 'rename' || MANIFESTS.has((steps.at(-1) ?? '').toLowerCase());
}
