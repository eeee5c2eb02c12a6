import { closeSync, constants, openSync, readlinkSync, statSync } from 'node:fs';
import { followPath } from '../sources/real-path.ts';

/** A skill's directory, held on to while something of the skill runs, because the skill may move it. */
export interface RunningDirectory {
  /**
   * Where it was at the beginning, what its path leads to now, and, on Linux, where it is now. A block of any of them is meant
   * for it.
   */
  places(): readonly string[];
  /** Whether its path still leads to it, and to no other directory. */
  isInPlace(): boolean;
  /** Lets go of it. From then on it is not known where it is. */
  close(): void;
}

const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);

export function openRunningDirectory(path: string): RunningDirectory {
  const before = followPath(path).real;
  const identity = identityOf(path);
  let descriptor = process.platform === 'linux' ? open(path) : undefined;
  return {
    places() {
      const now = descriptor === undefined ? undefined : pathOf(descriptor);
      return [before, followPath(path).real, ...(now === undefined ? [] : [now])];
    },
    isInPlace: () => identityOf(path) === identity,
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, OPEN_FLAGS);
  } catch {
    return undefined;
  }
}

function pathOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}
