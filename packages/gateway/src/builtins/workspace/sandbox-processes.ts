import type { Stats } from 'node:fs';
import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { bytesOf } from './workspace-usage.ts';

/** What programs hold that no directory shows. */
export interface HeldResources {
  /** Of files on a disk that have no name any more. */
  readonly unlinkedBytes: number;
  /** Of all processes together, as far as the system tells. */
  readonly memoryBytes: number;
}

/** By this variable of the process that the gateway starts, which no program in it can change. */
const EXECUTION_ID_VARIABLE = 'SKILL_EXECUTION_ID';
/** More are not looked at: whoever opens as many holds too much. */
const MAX_DESCRIPTORS = 4096;
/** Of file systems that are memory: `tmpfs`, and what `memfd_create` makes. */
const TMPFS = 0x01021994;
const NOTHING: HeldResources = { unlinkedBytes: 0, memoryBytes: 0 };

/**
 * Looks at the processes of executions in a workspace, on Linux, where they are children of this process: not those of a container engine.
 * Files that are only mapped, or on their way in a socket, are not seen. Never rejects.
 */
export async function readHeldResources(root: string, executionIds: ReadonlySet<string>): Promise<HeldResources> {
  if (process.platform !== 'linux') return NOTHING;
  const pids = await findProcesses(executionIds);
  const [files, memory] = await Promise.all([readUnlinked(root, pids), readMemory(pids)]);
  return {
    unlinkedBytes: files.diskBytes,
    // What is mapped of files in memory is seen twice, and counts once.
    memoryBytes: memory.anonymous + Math.max(memory.shared, files.memoryBytes),
  };
}

async function findProcesses(executionIds: ReadonlySet<string>): Promise<readonly number[]> {
  const found: number[] = [];
  for (const pid of await childrenOf('self')) if (executionIds.has(await executionOf(pid))) found.push(pid);
  // The list grows while it is gone through.
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
    // A workspace may be in memory, too.
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

/** Empty for what is gone by now, or another's. */
function readText(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '');
}
