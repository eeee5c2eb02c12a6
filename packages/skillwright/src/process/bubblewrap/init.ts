import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

/** A process, and when it began: its number alone may be another's by now. */
export interface KnownProcess {
  readonly pid: number;
  /** In ticks since the machine started. */
  readonly startedAt: string;
}

/** Looks that cost nothing but a turn of the event loop, before those that wait. */
const QUICK_CHECKS = 20;
const SLOW_CHECKS = 1_000;
const PAUSE_MS = 5;

/**
 * The first process of a sandbox, seen from outside: the only child of bubblewrap. When it ends, the kernel ends every
 * process of the sandbox before it, so it stands for all of them.
 */
export function findInit(bubblewrap: number): KnownProcess | undefined {
  const pid = childrenOf(bubblewrap)[0];
  const startedAt = pid === undefined ? undefined : startOf(pid);
  return pid === undefined || startedAt === undefined ? undefined : { pid, startedAt };
}

export function isSameProcess({ pid, startedAt }: KnownProcess): boolean {
  return startOf(pid) === startedAt;
}

/** Ends a process, and nobody who has its number now. */
export function endProcess(known: KnownProcess): void {
  if (!isSameProcess(known)) return;
  try {
    process.kill(known.pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted; or another user's, which it then is not for us to end.
  }
}

/** Waits for processes to be gone. Gives up on what the kernel does not let go of. */
export async function waitUntilGone(processes: readonly KnownProcess[]): Promise<void> {
  for (let check = 0; check < QUICK_CHECKS + SLOW_CHECKS; check += 1) {
    if (!processes.some((known) => isSameProcess(known))) return;
    await (check < QUICK_CHECKS ? turn() : pause(PAUSE_MS));
  }
}

/** Whether a process is under a filter of system calls: bubblewrap's first process binds its life to ours before that. */
export function isFiltered(pid: number): boolean {
  return /^Seccomp:\s*2$/m.test(readFileOf(pid, 'status'));
}

/** When a process began, in ticks since the machine started; `undefined` when it is gone or a zombie. */
export function startOf(pid: number): string | undefined {
  const fields = fieldsOf(pid);
  return /^[ZX]/.test(fields[0] ?? 'X') ? undefined : fields[19];
}

function childrenOf(pid: number): number[] {
  const told = readFileOf(pid, `task/${pid}/children`).trim();
  if (told !== '') return told.split(' ').map(Number);
  // Not every kernel keeps that file.
  return listProcesses().filter((other) => fieldsOf(other)[1] === String(pid));
}

/** The numbers of all processes that can be seen. */
export function listProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** What follows the name in a process's line: its state first, then its parent. */
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
