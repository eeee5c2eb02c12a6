import { statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import type { WatchList } from '../../spec/source.ts';
import { isInside } from '../real-path.ts';
import { systemCode } from '../../spec/errors/error.ts';
import { createInterest, type Interest } from './watch-interest.ts';

export interface DirectoryWatchOptions {
  /** Something that matters has changed. Called as often as that happens. */
  readonly onChange: () => void;
  /** Whether one watcher covers all that lies below a directory. Default: where the system itself can do that. */
  readonly recursive?: boolean | undefined;
  /** Default: that of Node. */
  readonly watch?: typeof watch | undefined;
}

/** Watches the directories a discovery looks into. Does not keep the process alive. */
export interface DirectoryWatch {
  /** Collects what is to be watched: it is from the moment it is named, and what is not named again no more after `end`. */
  begin(): WatchRound;
  /** Why not everything could be watched in the last round, as the system says it. */
  readonly shortage: string | undefined;
  /** Whether changes right after a watch has begun may be missed. */
  readonly startsLate: boolean;
  close(): void;
}

export interface WatchRound extends WatchList {
  end(): void;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly isRecursive: boolean;
  interest: Interest;
  round: number;
}

/** The system has no more watches, or no more memory for them, to give. */
const SHORTAGES: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);
const NATIVELY_RECURSIVE = process.platform === 'darwin' || process.platform === 'win32';

export function createDirectoryWatch(options: DirectoryWatchOptions): DirectoryWatch {
  const { onChange, recursive = NATIVELY_RECURSIVE, watch: open = watch } = options;
  const watched = new Map<string, Watched>();
  /** Paths where something else may lie by now than what is watched. */
  let suspects = new Set<string>();
  /** Those that the current round deals with. */
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
      // The name of the directory itself may also be that of an entry.
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

  /** The watcher of a directory, new where there is none or another directory may have taken its place. */
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
      // A round that did not come to its end leaves its suspects to the next.
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

/** Whether what lies at a path, or at one above it, may have been replaced. */
function isSuspect(path: string, suspects: ReadonlySet<string>): boolean {
  if (suspects.size === 0) return false;
  for (let part = path; ; part = dirname(part)) {
    if (suspects.has(part)) return true;
    if (dirname(part) === part) return false;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
