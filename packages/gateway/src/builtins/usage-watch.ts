import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { readHeldResources } from './sandbox-processes.ts';
import { measureWorkspace } from './workspace-usage.ts';

/** What there was too little of. */
export type Shortage = 'workspace' | 'disk' | 'memory';

/** Looks at a workspace, and at the programs that run in it, again and again. */
export interface UsageWatch {
  /** Of those that run in the workspace; whoever starts one adds it. */
  readonly executionIds: Set<string>;
  /** Aborts with a `Shortage` as soon as too much is seen to be taken, or cannot be measured. */
  readonly exceeded: AbortSignal;
  /** Resolves soon, when nothing is looked at any more. Twice is fine. */
  stop(): Promise<void>;
}

export interface WatchLimits {
  /** Of the workspace. */
  readonly maxBytes: number;
  /** Of all processes together. */
  readonly maxMemoryBytes: number;
}

const INTERVAL_MS = 100;
/** Looking takes no more than this part of the time. */
const SHARE = 0.2;
/** What programs must leave of the disk to others, the gateway's own database among them. */
const RESERVE_BYTES = 512 * 1024 ** 2;
const RESERVE_SHARE = 0.05;

export function watchUsage(root: string, limits: WatchLimits): UsageWatch {
  const exceeded = new AbortController();
  const stopping = new AbortController();
  const executionIds = new Set<string>();
  const watching = watch(root, limits, executionIds, stopping.signal).then(
    (shortage) => shortage !== undefined && exceeded.abort(shortage),
  );
  return {
    executionIds,
    exceeded: exceeded.signal,
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

/** Whether a disk has more room than programs must leave. */
export async function hasReserve(path: string): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(path);
  return bavail * bsize > Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
}

/** Resolves with what there is too little of, or with nothing once it is told to stop. Never rejects. */
async function watch(
  root: string,
  { maxBytes, maxMemoryBytes }: WatchLimits,
  executionIds: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Shortage | undefined> {
  let bytes = 0;
  let measureAt = 0;
  let delayMs = INTERVAL_MS;
  for (;;) {
    await pause(delayMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return undefined;
    const startedAt = performance.now();
    if (!(await hasReserve(root).catch(() => true))) return 'disk';
    const { unlinkedBytes, memoryBytes } = await readHeldResources(root, executionIds);
    if (memoryBytes > maxMemoryBytes) return 'memory';
    delayMs = pauseAfter(startedAt);
    if (startedAt >= measureAt) {
      bytes = await measureWorkspace(root, { enough: maxBytes, signal }).catch(() => Infinity);
      // Apart from the rest, which takes less and is needed sooner.
      measureAt = performance.now() + pauseAfter(startedAt);
    }
    if (signal.aborted) return undefined;
    if (bytes + unlinkedBytes > maxBytes) return 'workspace';
  }
}

function pauseAfter(startedAt: number): number {
  return Math.max(INTERVAL_MS, (performance.now() - startedAt) / SHARE);
}
