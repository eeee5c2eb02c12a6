import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Contender } from './contenders/contender.ts';
import type { SpeedNumbers, SpeedRow } from './results.ts';

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
const TIMEOUT_MS = 600_000;

/** Measures a contender in a fresh process of this same Node. */
export async function measureSpeed({ label, module }: Contender, size: number): Promise<SpeedRow> {
  const child = fork(CHILD, [JSON.stringify({ module, size })], {
    execArgv: ['--expose-gc', '--no-warnings'],
    timeout: TIMEOUT_MS,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let numbers: SpeedNumbers | undefined;
  let complaint = '';
  child.once('message', (message) => {
    numbers = message as SpeedNumbers;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (numbers !== undefined) return { label, numbers };
  return { label, reason: `${signal ?? `exit code ${code}`} ${complaint.trim().split('\n').at(-1) ?? ''}`.trim() };
}
