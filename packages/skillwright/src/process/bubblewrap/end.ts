import { constants } from 'node:os';
import type { Gate } from './start-shell.ts';
import { endProcess, waitUntilGone } from './init.ts';

/** How long what was ended before it reached the gate may take to be gone. */
const GATE_MS = 1_000;

/** Ends the first process of a sandbox and, by it, every other. */
export function endInit(gate: Gate): void {
  const init = gate.init();
  if (init !== undefined) endProcess(init);
}

/** Waits for a sandbox whose bubblewrap has ended. `sweep` looks for what is left of one that never was ready. */
export async function waitUntilEnded(gate: Gate, sweep: () => Promise<void>): Promise<void> {
  const init = gate.init();
  if (init !== undefined) {
    endProcess(init);
    await waitUntilGone([init]);
  } else if (!(await closesInTime(gate))) await sweep();
}

/**
 * How the program ended. bubblewrap exits with 128 and the number of the signal for a program that a signal ended, as a
 * shell does; so a program that exits with 129 to 159 by itself is taken for one of those. `reached`: whether there was
 * a program to end, or bubblewrap itself has failed.
 */
export function readEnd(
  { exitCode, signal }: { readonly exitCode: number | null; readonly signal: string | null },
  reached: boolean,
): { exitCode: number | null; signal: string | null } {
  if (signal !== null) return { exitCode: null, signal };
  if (exitCode === null || !reached) return { exitCode: null, signal: null };
  const ended = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return ended === undefined ? { exitCode, signal: null } : { exitCode: null, signal: ended };
}

async function closesInTime(gate: Gate): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), GATE_MS);
  });
  try {
    return await Promise.race([gate.closed.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
