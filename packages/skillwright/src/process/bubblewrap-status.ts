import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What bubblewrap tells about a launch while it runs. */
export interface LaunchStatus {
  /** Settles when bubblewrap has no more to tell. */
  readonly closed: Promise<void>;
  /** The program's exit code as bubblewrap reports it; `undefined` when the program was never started. */
  exitCode(): number | undefined;
  /** Whether the first process of the namespace, and so any in it, may be alive. */
  isAlive(): boolean;
  /** Ends the namespace. */
  end(): void;
}

const MAX_STATUS_BYTES = 4_096;
const GONE_CHECKS = 1_000;
const GONE_PAUSE_MS = 5;

export function followStatus(stream: Socket): LaunchStatus {
  let text = '';
  let first: { pid: number; startedAt: string | undefined } | undefined;
  stream.on('data', (chunk: Buffer) => {
    if (text.length < MAX_STATUS_BYTES) text += chunk.toString('latin1');
    const pid = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1]);
    if (first === undefined && pid > 1) first = { pid, startedAt: startOf(pid) };
  });
  // A number may be another's by now; one that began at another time is.
  const isAlive = (): boolean => first?.startedAt !== undefined && startOf(first.pid) === first.startedAt;
  return {
    closed: new Promise((resolve) => {
      stream.once('close', () => resolve());
    }),
    exitCode() {
      const code = /"exit-code":\s*(\d+)/.exec(text)?.[1];
      return code === undefined ? undefined : Number(code);
    },
    isAlive,
    end() {
      if (first === undefined || !isAlive()) return;
      try {
        process.kill(first.pid, 'SIGKILL');
      } catch {
        // Gone already, which is what was wanted.
      }
    },
  };
}

/** Waits for the namespace to be empty: its first process ends last. Gives up on what the kernel does not let go of. */
export async function waitUntilGone(status: LaunchStatus): Promise<void> {
  for (let check = 0; check < GONE_CHECKS && status.isAlive(); check += 1) await pause(GONE_PAUSE_MS);
}

/** When a process began, in ticks since boot; `undefined` when it is gone or a zombie. */
function startOf(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return /^[ZX]/.test(fields[0] ?? 'X') ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/**
 * How the program ended. bubblewrap exits with 128 and the number of the signal for a program that a signal ended, as a
 * shell does; so a program that exits with 129 to 159 by itself is taken for one of those.
 */
export function readEnd(
  exit: { readonly exitCode: number | null; readonly signal: string | null },
  status: LaunchStatus,
): { exitCode: number | null; signal: string | null } {
  if (exit.signal !== null) return { exitCode: null, signal: exit.signal };
  const code = status.exitCode();
  if (code === undefined) return { exitCode: null, signal: null };
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return signal === undefined ? { exitCode: code, signal: null } : { exitCode: null, signal };
}
