import type { Stats } from 'node:fs';
import type { WorkspaceBin } from './workspace-bin.ts';
import { removeEntry, walkWorkspace } from './workspace-walk.ts';

/** What every file and directory takes at least, so that empty ones are not for nothing. */
export const ENTRY_BYTES = 4096;
/** How long one look at a workspace may take before it is given up. */
export const MEASURE_MS = 5_000;

/** What a file takes of its workspace: its size, or what it takes of the disk, whichever is more. */
export function bytesOf({ size, blocks }: Pick<Stats, 'size' | 'blocks'>): number {
  return Math.max(size, blocks * 512, ENTRY_BYTES);
}

export interface MeasureOptions {
  /** Ends early once there is more. Default: never. */
  readonly enough?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes that a workspace takes: `Infinity` where directories are too deep to tell. Rejects if it cannot tell. */
export async function measureWorkspace(root: string, options: MeasureOptions = {}): Promise<number> {
  const { enough = Infinity } = options;
  let bytes = 0;
  await walkWorkspace(root, {
    visit({ stats }) {
      bytes += bytesOf(stats);
      return bytes <= enough;
    },
    onDeep() {
      bytes = Infinity;
      return false;
    },
    signal: within(options.signal),
  });
  return bytes;
}

export interface Levelled {
  /** Bytes that the workspace takes now. */
  readonly bytes: number;
  /** Directories that were too deep, and are in the bin. */
  readonly cut: number;
}

/** Takes from a workspace what is too deep to be measured, and measures the rest. */
export async function levelWorkspace(
  root: string,
  bin: Pick<WorkspaceBin, 'take'>,
  signal?: AbortSignal,
): Promise<Levelled> {
  let [bytes, cut] = [0, 0];
  await walkWorkspace(root, {
    visit({ stats }) {
      bytes += bytesOf(stats);
      return true;
    },
    async onDeep(entry) {
      await bin.take(entry);
      cut += 1;
      return true;
    },
    signal,
  });
  return { bytes, cut };
}

/**
 * Removes what changed after a moment, until the workspace takes no more than it may. The times are those that the kernel
 * keeps, which no program can set. Resolves with what was removed, in bytes.
 */
export async function trimWorkspace(
  root: string,
  { excess, sinceMs, signal }: { readonly excess: number; readonly sinceMs: number; readonly signal?: AbortSignal },
): Promise<number> {
  let removed = 0;
  if (excess <= 0) return 0;
  await walkWorkspace(root, {
    async visit(entry) {
      if (entry.stats.ctimeMs > sinceMs && (await removeEntry(entry))) removed += bytesOf(entry.stats);
      return removed < excess;
    },
    onDeep: () => true,
    signal,
  });
  return removed;
}

function within(signal: AbortSignal | undefined): AbortSignal {
  const late = AbortSignal.timeout(MEASURE_MS);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}
