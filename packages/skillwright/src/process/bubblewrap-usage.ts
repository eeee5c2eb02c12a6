import { closeSync, openSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { SandboxBound, SandboxLimits } from '../spec/sandbox.ts';
import { childrenOf, descriptorsOf, isSameProcess, readFileOf, type KnownProcess } from './bubblewrap-init.ts';

/** Looks at what a sandbox takes, again and again. */
export interface UsageWatch {
  /** Whether this host lets it look into the temporary directories. */
  readonly seesFiles: boolean;
  /** What was taken too much of, once that was seen. */
  exceeded(): SandboxBound | undefined;
  /** Looks less often at a sandbox that waits for work. */
  rest(isResting: boolean): void;
  stop(): void;
}

const INTERVAL_MS = 100;
const RESTING_INTERVAL_MS = 400;
/** Looking takes no more than this part of the time, but on a machine that is too busy for that. */
const SHARE = 0.2;
const MOST_INTERVAL_MS = 500;
/** A process that is starting another shares its memory for a moment, which is then seen twice. */
const DOUBT_MS = 20;
/** Processes that are looked at before others may use the event loop. */
const AT_ONCE = 8;
/** A buffer of the kernel's that an open socket or pipe may hold, roughly. */
const BUFFER_BYTES = 262_144;
const LEAST_DESCRIPTORS = 1_024;
/** A file takes a page of a temporary directory; an empty one takes memory as well, which its size does not count. */
const PAGE_BYTES = 4_096;
const LEAST_FILES = 1_024;
/** Of a socket's line: the numbers of bytes on their way out and in. */
const QUEUES = / ([0-9A-F]{8}):([0-9A-F]{8}) /g;

export interface WatchedSandbox {
  readonly init: KnownProcess;
  /** Its temporary directories, which must not have been in the program's hands yet. */
  readonly directories: readonly string[];
  /** It has a network of its own, so every socket in that is its. */
  readonly ownNetwork: boolean;
  readonly limits: SandboxLimits;
}

/** Calls `end` as soon as the processes of a sandbox take more than its limits together. */
export function watchUsage(sandbox: WatchedSandbox, end: () => void): UsageWatch {
  const { init, directories, limits } = sandbox;
  // Held open: a program may put a link to elsewhere above some of them.
  const held = directories.flatMap((path) => openInside(init, path) ?? []);
  let exceeded: SandboxBound | undefined;
  let intervalMs = INTERVAL_MS;
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const plan = (delayMs: number): void => {
    timer = setTimeout(() => void look(), delayMs).unref();
  };
  const measure = async (): Promise<SandboxBound | undefined> =>
    isStopped ? undefined : ((await tooMuchMemory(sandbox)) ?? tooManyFiles(held, limits));
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
    seesFiles: held.length === directories.length,
    exceeded: () => exceeded,
    rest(isResting) {
      intervalMs = isResting ? RESTING_INTERVAL_MS : INTERVAL_MS;
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      clearTimeout(timer);
      for (const descriptor of held) closeSync(descriptor);
    },
  };
}

function openInside(init: KnownProcess, path: string): number | undefined {
  try {
    return openSync(`/proc/${init.pid}/root${path}`, 'r');
  } catch {
    return undefined;
  }
}

/** Never rejects. Shared memory has no part in it: there is none but in files of temporary directories. */
async function tooMuchMemory({ init, ownNetwork, limits }: WatchedSandbox): Promise<'memory' | undefined> {
  const { memoryBytes } = limits;
  const network = ownNetwork ? readNetwork(init.pid) : { queuedBytes: 0, unixSockets: 0 };
  const processes: { readonly pid: number; readonly anonymous: number; readonly other: number }[] = [];
  let descriptors = 0;
  // The list grows while it is gone through.
  const pids = [init.pid];
  for (const pid of pids) {
    const status = readFileOf(pid, 'status');
    const sum = (...fields: readonly string[]): number =>
      fields.reduce((bytes, field) => bytes + kibibytes(status, field) * 1_024, 0);
    processes.push({ pid, anonymous: sum('RssAnon', 'VmSwap'), other: sum('VmPTE', 'HugetlbPages') });
    descriptors += descriptorsOf(pid);
    pids.push(...childrenOf(pid));
    if (pids.length % AT_ONCE === 0) await turn();
  }
  const buffers = Math.max(descriptors, network.unixSockets);
  if (buffers > Math.max(LEAST_DESCRIPTORS, memoryBytes / BUFFER_BYTES)) return 'memory';
  const total = processes.reduce((bytes, { anonymous, other }) => bytes + anonymous + other, network.queuedBytes);
  if (total <= memoryBytes) return undefined;
  // What processes share since they were forked was counted for each of them.
  let exact = network.queuedBytes;
  for (const { pid, anonymous, other } of processes) exact += other + ((await readShare(pid)) ?? anonymous);
  return exact > memoryBytes ? 'memory' : undefined;
}

/** What lies in sockets, and how many there are whose content is not told; also of those that no process has open. */
function readNetwork(pid: number): { readonly queuedBytes: number; readonly unixSockets: number } {
  let queuedBytes = 0;
  for (const protocol of ['tcp', 'tcp6', 'udp', 'udp6'])
    for (const [, sent, received] of readFileOf(pid, `net/${protocol}`).matchAll(QUEUES))
      queuedBytes += Number.parseInt(sent ?? '', 16) + Number.parseInt(received ?? '', 16);
  return { queuedBytes, unixSockets: readFileOf(pid, 'net/unix').split('\n').length };
}

/** The private memory of a process, with its share of what it has in common with others. */
async function readShare(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '');
  return text.includes('Pss_Anon:') ? (kibibytes(text, 'Pss_Anon') + kibibytes(text, 'SwapPss')) * 1_024 : undefined;
}

async function tooManyFiles(held: readonly number[], { diskBytes }: SandboxLimits): Promise<'files' | undefined> {
  const most = Math.max(LEAST_FILES, diskBytes / PAGE_BYTES);
  for (const descriptor of held) {
    const system = await statfs(`/proc/self/fd/${descriptor}`).catch(() => undefined);
    if (system !== undefined && system.files - system.ffree > most) return 'files';
  }
  return undefined;
}

function kibibytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
}
