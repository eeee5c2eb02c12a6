import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { SandboxBound, SandboxLimits } from '../../spec/sandbox.ts';
import { isSameProcess, type KnownProcess } from './init.ts';
import { watchRecords, type RecordsCheck } from './records.ts';

/** Measures a sandbox's usage repeatedly. */
export interface UsageWatch {
  /** The exceeded limit, once it has been noticed. */
  exceeded(): SandboxBound | undefined;
  /** Measures less often while a sandbox waits for work. */
  rest(isResting: boolean): void;
  stop(): void;
}

export interface WatchedSandbox {
  readonly init: KnownProcess;
  /** The sandbox's temporary directories. */
  readonly directories: readonly string[];
  /** Whether the sandbox has a network of its own, so that every socket in that network belongs to it. */
  readonly ownNetwork: boolean;
  readonly limits: SandboxLimits;
}

interface FoundProcess {
  /** The process's directory in `/proc`, or the directory of one of its threads. */
  readonly path: string;
  readonly anonymous: number;
  readonly other: number;
  readonly descriptors: number;
}

const INTERVAL_MS = 100;
const RESTING_INTERVAL_MS = 400;
/** The largest share of time spent on measuring, unless the machine is too busy for that. */
const SHARE = 0.2;
const MOST_INTERVAL_MS = 500;
/**
 * How long to wait before measuring again to confirm an exceeded limit. A process that starts another one shares its
 * memory with the new process for a moment, and that memory is counted twice.
 */
const DOUBT_MS = 20;
/** How many processes are measured before other work may run. */
const AT_ONCE = 16;
/** Approximate size of a kernel buffer behind an open socket or pipe. */
const BUFFER_BYTES = 262_144;
/** The number of open files up to which shared sockets and pipes are recognized and counted once. */
const MOST_COMPARED = 1_024;
/** The link of a socket or pipe, which processes may share. */
const SHARED_BUFFER = /^(?:socket|pipe):\[\d+\]$/;
/** The number of sockets up to which their memory is ignored, because they cannot hold much. */
const FEW_SOCKETS = 16;
/**
 * The size of a page. Every file of a temporary directory takes at least a page, and an empty file takes memory that
 * its size does not include.
 */
const PAGE_BYTES = 4_096;
const LEAST_FILES = 1_024;
/** Matches the status of a process whose first thread has ended before the others. */
const HEADLESS = /^State:\s+Z[^]*^Threads:\s+(?:[2-9]|\d{2,})$/m;
/** How often to list a process's threads, which may start others and end while they are listed. */
const THREAD_TRIES = 4;
/** The numbers of outgoing and incoming bytes on a socket's line. */
const QUEUES = / ([0-9A-F]{8}):([0-9A-F]{8}) /g;
/** The most memory of one TCP queue, however few bytes it has: each byte may be in a separate buffer. */
const TCP_QUEUE_BYTES = 4_194_304;

/**
 * Calls `end` as soon as the processes of a sandbox together exceed its limits. Call it before a program runs in the
 * sandbox. `undefined` if this host does not let its own processes inspect a sandbox.
 */
export function watchUsage(sandbox: WatchedSandbox, end: () => void): UsageWatch | undefined {
  const { init, directories, limits } = sandbox;
  // Keep the directories open, because a program may replace a directory above them with a link.
  const held = openInside(init, ['/proc', ...directories]);
  const [processes, ...temporary] = held;
  if (processes === undefined) return undefined;
  const directory = `/proc/self/fd/${processes}`;
  const records = watchRecords(directory, limits.memoryBytes);
  let exceeded: SandboxBound | undefined;
  let intervalMs = INTERVAL_MS;
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const plan = (delayMs: number): void => {
    timer = setTimeout(() => void look(), delayMs).unref();
  };
  const measure = async (): Promise<SandboxBound | undefined> => {
    if (isStopped) return undefined;
    if (hasTooManyFiles(temporary, limits)) return 'files';
    return (await takesTooMuch(directory, sandbox, records)) ? 'memory' : undefined;
  };
  const look = async (): Promise<void> => {
    const startedAt = performance.now();
    const found = (await measure()) && (await pause(DOUBT_MS, undefined, { ref: false }).then(measure));
    if (isStopped) return;
    if (found !== undefined && isSameProcess(init)) {
      exceeded = found;
      end();
    } else plan(Math.max(intervalMs, Math.min((performance.now() - startedAt) / SHARE, MOST_INTERVAL_MS)));
  };
  plan(intervalMs);
  return {
    exceeded: () => exceeded,
    rest(isResting) {
      intervalMs = isResting ? RESTING_INTERVAL_MS : INTERVAL_MS;
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      clearTimeout(timer);
      held.forEach(closeSync);
    },
  };
}

/** Opens all of these paths inside a sandbox, or none. */
function openInside({ pid }: KnownProcess, paths: readonly string[]): number[] {
  const opened: number[] = [];
  try {
    for (const path of paths) opened.push(openSync(`/proc/${pid}/root${path}`, 'r'));
    return opened;
  } catch {
    opened.forEach(closeSync);
    return [];
  }
}

function hasTooManyFiles(directories: readonly number[], { diskBytes }: SandboxLimits): boolean {
  const most = Math.max(LEAST_FILES, diskBytes / PAGE_BYTES);
  return directories.some((descriptor) => {
    const { files, ffree } = statfsSync(`/proc/self/fd/${descriptor}`);
    return files - ffree > most;
  });
}

/**
 * Whether a sandbox exceeds its memory limit. Never rejects. `processes` is the sandbox's own `/proc`, which lists all
 * its processes. Shared memory is not counted: it can only be in files of temporary directories,
 * whose size is limited.
 */
async function takesTooMuch(
  processes: string,
  { init, ownNetwork, limits }: WatchedSandbox,
  hasTooManyRecords: RecordsCheck,
): Promise<boolean> {
  const { memoryBytes } = limits;
  const network = ownNetwork ? readNetwork(init.pid) : { queuedBytes: 0, sockets: 0 };
  const found: FoundProcess[] = [];
  for (const process of listNumbers(processes)) {
    const { path, status } = readProcess(process);
    found.push({
      path,
      anonymous: sum(status, ['RssAnon', 'VmSwap']),
      other: sum(status, ['VmPTE', 'HugetlbPages']),
      descriptors: countDescriptors(path, status),
    });
    if (found.length % AT_ONCE === 0) await turn();
  }
  const descriptors = found.reduce((count, process) => count + process.descriptors, 0);
  const mostBuffers = memoryBytes / BUFFER_BYTES;
  if (network.sockets > mostBuffers || descriptors > Math.max(MOST_COMPARED, mostBuffers)) return true;
  if (descriptors > mostBuffers && countBuffers(found) > mostBuffers) return true;
  if (await hasTooManyRecords(found.map(({ path }) => path))) return true;
  const most = memoryBytes - network.queuedBytes;
  if (found.reduce((bytes, { anonymous, other }) => bytes + anonymous + other, 0) <= most) return false;
  // The first sum may be too high: it counts memory that forked processes share once for each of them.
  let exact = 0;
  for (const { path, anonymous, other } of found) exact += other + ((await readShare(path)) ?? anonymous);
  return exact > most;
}

/** The numbers of processes or threads. Empty if they have ended. */
function listNumbers(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d+$/.test(name))
      .map((number) => `${directory}/${number}`);
  } catch {
    return [];
  }
}

/**
 * If a process's first thread has ended while others continue, the process's own files in `/proc` show nothing, but the
 * files of each remaining thread show everything that the process holds.
 */
function readProcess(path: string): { readonly path: string; readonly status: string } {
  let status = readText(`${path}/status`);
  for (let tries = 0; tries < THREAD_TRIES && HEADLESS.test(status); tries += 1) {
    for (const thread of listNumbers(`${path}/task`)) {
      const other = readText(`${thread}/status`);
      if (other.includes('VmRSS:')) return { path: thread, status: other };
    }
    status = readText(`${path}/status`);
  }
  return { path, status };
}

/** How many files a process has open. Before Linux 6.2, an upper bound: the size of its table of open files. */
function countDescriptors(path: string, status: string): number {
  let count = 0;
  try {
    count = statSync(`${path}/fd`).size;
  } catch {
    // The process has ended.
  }
  return count > 0 ? count : Number(/^FDSize:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
}

/**
 * Counts the open files that may hold a buffer, each once. If a process's files cannot be listed, counts all of its
 * files.
 */
function countBuffers(processes: readonly FoundProcess[]): number {
  const shared = new Set<string>();
  let others = 0;
  for (const { path, descriptors } of processes) {
    const links = listNumbers(`${path}/fd`);
    if (links.length === 0) others += descriptors;
    for (const target of links.map(readTarget)) {
      if (SHARED_BUFFER.test(target)) shared.add(target);
      else if (target !== '/dev/null') others += 1;
    }
  }
  return shared.size + others;
}

/** The bytes queued in sockets, and the number of sockets, including those that no process has open. */
function readNetwork(pid: number): { readonly queuedBytes: number; readonly sockets: number } {
  const totals = readText(`/proc/${pid}/net/sockstat`);
  const sockets = Number(/^sockets: used (\d+)/.exec(totals)?.[1] ?? 0);
  if (sockets <= FEW_SOCKETS) return { queuedBytes: 0, sockets: 0 };
  const tcp = readQueues(pid, ['tcp', 'tcp6']);
  const udp = readQueues(pid, ['udp', 'udp6']);
  // Add the memory of all sockets of the machine, because only the kernel knows which of them belong to this sandbox.
  const pages = Number(/^TCP: .* mem (\d+)$/m.exec(totals)?.[1] ?? 0);
  const tcpBytes = Math.max(tcp.bytes, Math.min(tcp.filled * TCP_QUEUE_BYTES, pages * statfsSync('/proc').bsize));
  return { queuedBytes: tcpBytes + udp.bytes, sockets };
}

/** The bytes queued in sockets, and the number of queues that are not empty. */
function readQueues(pid: number, protocols: readonly string[]): { readonly bytes: number; readonly filled: number } {
  let bytes = 0;
  let filled = 0;
  for (const protocol of protocols)
    for (const [, ...queues] of readText(`/proc/${pid}/net/${protocol}`).matchAll(QUEUES))
      for (const queued of queues.map((digits) => Number.parseInt(digits, 16))) {
        bytes += queued;
        if (queued > 0) filled += 1;
      }
  return { bytes, filled };
}

/** A process's private memory, plus its share of memory that it shares with others. */
async function readShare(path: string): Promise<number | undefined> {
  const text = await readFile(`${path}/smaps_rollup`, 'latin1').catch(() => '');
  return text.includes('Pss_Anon:') ? sum(text, ['Pss_Anon', 'SwapPss']) : undefined;
}

/** Adds up fields of a text, in bytes. */
function sum(text: string, fields: readonly string[]): number {
  return fields.reduce((bytes, field) => {
    const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0;
    return bytes + Number(kibibytes) * 1_024;
  }, 0);
}

/** The target of a link; empty if the link is gone. */
function readTarget(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

/** The text of a file; empty if the file is gone. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
