import type { Stats } from 'node:fs';
import type { WorkspaceBin } from './workspace-bin.ts';
import { removeEntry, walkWorkspace } from './workspace-walk.ts';

/** The least that a file or directory counts, so that empty ones are not free. */
export const ENTRY_BYTES = 4096;
/** How long one measurement of a workspace may take before it is abandoned. */
export const MEASURE_MS = 5_000;

/** The bytes that a file counts: its size or its disk usage, whichever is larger. */
export function bytesOf({ size, blocks }: Pick<Stats, 'size' | 'blocks'>): number {
  return Math.max(size, blocks * 512, ENTRY_BYTES);
}

export interface MeasureOptions {
  /** Stops measuring above this many bytes. Default: never. */
  readonly enough?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes that a workspace uses: `Infinity` if directories are too deep to measure. Rejects if measuring fails. */
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
  /** Bytes that the workspace uses now. */
  readonly bytes: number;
  /** Directories that were too deep and were moved to the bin. */
  readonly cut: number;
}

/** Moves directories that are too deep to measure out of a workspace, and measures the rest. */
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
 * Removes files that changed after a moment until the workspace fits its quota. Uses the kernel's change times, which
 * programs cannot set. Resolves with the bytes removed.
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
