import type { Stats } from 'node:fs';
import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { bytesOf, measureWorkspace } from './workspace-usage.ts';

/** Resources that programs hold without any entry in a directory. */
interface HeldResources {
  /** Bytes of open files on a disk that have been deleted. */
  readonly unlinkedBytes: number;
  /** Memory of all processes together, as far as the system reports it. */
  readonly memoryBytes: number;
}

/**
 * The process that the gateway starts for an execution has the execution's id in this variable. Programs in the sandbox
 * cannot change that process's environment.
 */
const EXECUTION_ID_VARIABLE = 'SKILL_EXECUTION_ID';
/** At most this many descriptors are checked. A program that opens more is over the limit. */
const MAX_DESCRIPTORS = 4096;
/** The type of file systems in memory: `tmpfs`, and files of `memfd_create`. */
const TMPFS = 0x01021994;
const NOTHING: HeldResources = { unlinkedBytes: 0, memoryBytes: 0 };

/** The resource that ran out. */
export type Shortage = 'workspace' | 'disk' | 'memory';

/** Watches a workspace, and the programs that run in it, until stopped. */
export interface UsageWatch {
  /** The executions that run in the workspace; each start adds one. */
  readonly executionIds: Set<string>;
  /** Aborts with a `Shortage` as soon as a limit is exceeded, or if usage cannot be measured. */
  readonly exceeded: AbortSignal;
  /** Resolves once the watch has stopped, which is soon. Safe to call twice. */
  stop(): Promise<void>;
}

export interface WatchLimits {
  /** The quota of the workspace. */
  readonly maxBytes: number;
  /** The limit for all processes together. */
  readonly maxMemoryBytes: number;
}

const INTERVAL_MS = 100;
/** Measuring takes at most this share of the time. */
const SHARE = 0.2;
/** Disk space that programs must leave for others, such as the gateway's own database. */
const RESERVE_BYTES = 512 * 1024 ** 2;
const RESERVE_SHARE = 0.05;
/** The disk is measured again before a program that writes at this rate can exceed its quota. */
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
  // The disk is watched in its own loop, because programs can make the other measurements slow.
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

/** Whether a disk has more free space than the reserve. */
export async function hasReserve(path: string): Promise<boolean> {
  return (await roomOf(path)) > 0;
}

/** How many bytes of a disk programs may still use. */
async function roomOf(path: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(path);
  return bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
}

/** Resolves when the disk runs low, or with nothing once the signal aborts. Never rejects. */
async function watchDisk(root: string, signal: AbortSignal): Promise<Shortage | undefined> {
  let delayMs = LEAST_INTERVAL_MS;
  while (await isTime(delayMs, signal)) {
    const room = await roomOf(root).catch(() => Infinity);
    if (room <= 0) return 'disk';
    delayMs = Math.min(Math.max(room / FASTEST_BYTES_PER_MS, LEAST_INTERVAL_MS), INTERVAL_MS);
  }
  return undefined;
}

/** Like `watchDisk`, but watches the memory and the disk space that all programs use together. */
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
      // Measuring the workspace has its own schedule, because the memory check above is faster and must run more often.
      measureAt = performance.now() + pauseAfter(startedAt);
    }
    if (!signal.aborted && bytes + unlinkedBytes > maxBytes) return 'workspace';
  }
  return undefined;
}

/** Waits. Resolves to false as soon as the signal aborts. */
async function isTime(delayMs: number, signal: AbortSignal): Promise<boolean> {
  await pause(delayMs, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

function pauseAfter(startedAt: number): number {
  return Math.max(INTERVAL_MS, (performance.now() - startedAt) / SHARE);
}

/**
 * Looks at the processes of executions in a workspace. Works on Linux for children of this process, but not for
 * children of a container engine. Misses files that are only mapped or in transit through a socket. Never rejects.
 */
async function readHeldResources(root: string, executionIds: ReadonlySet<string>): Promise<HeldResources> {
  if (process.platform !== 'linux') return NOTHING;
  const pids = await findProcesses(executionIds);
  const [files, memory] = await Promise.all([readUnlinked(root, pids), readMemory(pids)]);
  return {
    unlinkedBytes: files.diskBytes,
    // Mapped files in memory appear in both numbers but count once.
    memoryBytes: memory.anonymous + Math.max(memory.shared, files.memoryBytes),
  };
}

async function findProcesses(executionIds: ReadonlySet<string>): Promise<readonly number[]> {
  const found: number[] = [];
  for (const pid of await childrenOf('self')) if (executionIds.has(await executionOf(pid))) found.push(pid);
  // The loop appends to the list that it walks.
  for (const pid of found) found.push(...(await childrenOf(pid)));
  return found;
}

async function childrenOf(pid: number | 'self'): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = threads.map((thread) => readText(`/proc/${pid}/task/${thread}/children`));
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').map(Number)).filter((child) => child > 0);
}

async function executionOf(pid: number): Promise<string> {
  const start = `${EXECUTION_ID_VARIABLE}=`;
  const variables = (await readText(`/proc/${pid}/environ`)).split('\0');
  return variables.find((variable) => variable.startsWith(start))?.slice(start.length) ?? '';
}

async function readUnlinked(
  root: string,
  pids: readonly number[],
): Promise<{ diskBytes: number; memoryBytes: number }> {
  const paths: string[] = [];
  for (const pid of pids) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    paths.push(...names.map((name) => `/proc/${pid}/fd/${name}`));
    if (paths.length > MAX_DESCRIPTORS) return { diskBytes: Infinity, memoryBytes: 0 };
  }
  const files = new Map<string, { readonly path: string; readonly stats: Stats }>();
  const looks = paths.map(async (path) => {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile() === true && stats.nlink === 0) files.set(`${stats.dev}:${stats.ino}`, { path, stats });
  });
  await Promise.all(looks);
  const workspace = await stat(root).catch(() => undefined);
  const bytes = { diskBytes: 0, memoryBytes: 0 };
  for (const { path, stats } of files.values()) {
    const system = await statfs(path).catch(() => undefined);
    if (system === undefined) continue;
    // If the workspace itself is on a file system in memory, its files count as disk usage, not as memory.
    if (system.type === TMPFS && stats.dev !== workspace?.dev) bytes.memoryBytes += stats.blocks * 512;
    else bytes.diskBytes += bytesOf(stats);
  }
  return bytes;
}

async function readMemory(pids: readonly number[]): Promise<{ anonymous: number; shared: number }> {
  const parts = await Promise.all(pids.map((pid) => readText(`/proc/${pid}/smaps_rollup`)));
  const sum = (field: string): number => parts.reduce((bytes, text) => bytes + kibibytes(text, field) * 1024, 0);
  return { anonymous: sum('Pss_Anon'), shared: sum('Pss_Shmem') };
}

function kibibytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
}

/** Returns an empty text for a process that has ended or belongs to another user. */
function readText(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '');
}
