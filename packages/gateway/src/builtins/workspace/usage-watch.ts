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
/** The disk is looked at again before a program that writes so fast takes all that it may. */
const FASTEST_BYTES_PER_MS = 1_000_000;
const LEAST_INTERVAL_MS = 5;

export function watchUsage(root: string, limits: WatchLimits): UsageWatch {
  const exceeded = new AbortController();
  const stopping = new AbortController();
  const executionIds = new Set<string>();
  const tell = (shortage: Shortage | undefined): void => {
    if (shortage === undefined) return;
    exceeded.abort(shortage);
    stopping.abort();
  };
  const { signal } = stopping;
  // The disk by itself: how long the rest takes depends on what programs do.
  const watching = [watchDisk(root, signal), watchPrograms(root, limits, executionIds, signal)];
  const ended = Promise.all(watching.map((watch) => watch.then(tell)));
  return {
    executionIds,
    exceeded: exceeded.signal,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Whether a disk has more room than programs must leave. */
export async function hasReserve(path: string): Promise<boolean> {
  return (await roomOf(path)) > 0;
}

/** Bytes that programs may still take of a disk. */
async function roomOf(path: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(path);
  return bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
}

/** Resolves when there is too little left of the disk, or with nothing once it is told to stop. Never rejects. */
async function watchDisk(root: string, signal: AbortSignal): Promise<Shortage | undefined> {
  let delayMs = LEAST_INTERVAL_MS;
  while (await isTime(delayMs, signal)) {
    const room = await roomOf(root).catch(() => Infinity);
    if (room <= 0) return 'disk';
    delayMs = Math.min(Math.max(room / FASTEST_BYTES_PER_MS, LEAST_INTERVAL_MS), INTERVAL_MS);
  }
  return undefined;
}

/** The same for what the programs take together. */
async function watchPrograms(
  root: string,
  { maxBytes, maxMemoryBytes }: WatchLimits,
  executionIds: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Shortage | undefined> {
  let bytes = 0;
  let measureAt = 0;
  let delayMs = INTERVAL_MS;
  while (await isTime(delayMs, signal)) {
    const startedAt = performance.now();
    const { unlinkedBytes, memoryBytes } = await readHeldResources(root, executionIds);
    if (memoryBytes > maxMemoryBytes) return 'memory';
    delayMs = pauseAfter(startedAt);
    if (startedAt >= measureAt) {
      bytes = await measureWorkspace(root, { enough: maxBytes, signal }).catch(() => Infinity);
      // Apart from the rest, which takes less and is needed sooner.
      measureAt = performance.now() + pauseAfter(startedAt);
    }
    if (!signal.aborted && bytes + unlinkedBytes > maxBytes) return 'workspace';
  }
  return undefined;
}

/** Waits. False as soon as it is told to stop. */
async function isTime(delayMs: number, signal: AbortSignal): Promise<boolean> {
  await pause(delayMs, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

function pauseAfter(startedAt: number): number {
  return Math.max(INTERVAL_MS, (performance.now() - startedAt) / SHARE);
}
