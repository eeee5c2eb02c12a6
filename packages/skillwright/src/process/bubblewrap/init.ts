import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

/** A process and its start time, because another process may get the same number later. */
export interface KnownProcess {
  readonly pid: number;
  /** The start time, in clock ticks since the machine started. */
  readonly startedAt: string;
}

/** How many checks are only a turn of the event loop apart, before the slower checks begin. */
const QUICK_CHECKS = 20;
const SLOW_CHECKS = 1_000;
const PAUSE_MS = 5;

/**
 * The first process of a sandbox, seen from outside: the only child of bubblewrap. The kernel ends every other process
 * of the sandbox before this one, so waiting for it is enough.
 */
export function findInit(bubblewrap: number): KnownProcess | undefined {
  const pid = childrenOf(bubblewrap)[0];
  const startedAt = pid === undefined ? undefined : startOf(pid);
  return pid === undefined || startedAt === undefined ? undefined : { pid, startedAt };
}

export function isSameProcess({ pid, startedAt }: KnownProcess): boolean {
  return startOf(pid) === startedAt;
}

/** Ends exactly this process, and never another process that got its number. */
export function endProcess(known: KnownProcess): void {
  if (!isSameProcess(known)) return;
  try {
    process.kill(known.pid, 'SIGKILL');
  } catch {
    // The process has ended, or its number now belongs to another user's process, which must not be ended.
  }
}

/** Waits until processes are gone. Gives up on those that the kernel does not release. */
export async function waitUntilGone(processes: readonly KnownProcess[]): Promise<void> {
  for (let check = 0; check < QUICK_CHECKS + SLOW_CHECKS; check += 1) {
    if (!processes.some((known) => isSameProcess(known))) return;
    await (check < QUICK_CHECKS ? turn() : pause(PAUSE_MS));
  }
}

/**
 * Whether a process has a filter of system calls. Bubblewrap's first process gets its filter only after it is set to
 * end together with this process.
 */
export function isFiltered(pid: number): boolean {
  return /^Seccomp:\s*2$/m.test(readFileOf(pid, 'status'));
}

/** A process's start time in clock ticks since the machine started; `undefined` if it is gone or a zombie. */
export function startOf(pid: number): string | undefined {
  const fields = fieldsOf(pid);
  return /^[ZX]/.test(fields[0] ?? 'X') ? undefined : fields[19];
}

function childrenOf(pid: number): number[] {
  const told = readFileOf(pid, `task/${pid}/children`).trim();
  if (told !== '') return told.split(' ').map(Number);
  // Some kernels do not have the file `children`.
  return listProcesses().filter((other) => fieldsOf(other)[1] === String(pid));
}

/** The numbers of all visible processes. */
export function listProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The fields after the name in a process's `/proc/<pid>/stat`: first the state, then the parent's number. */
function fieldsOf(pid: number): string[] {
  return readFileOf(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
}

function readFileOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
