import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const METER = new URL('meter.ts', import.meta.url).href;

/** The resources that a process has used so far, in all its threads. */
export interface CpuTime {
  readonly userMs: number;
  /** Time in the kernel. */
  readonly systemMs: number;
}

/** A process that reports its resource usage. */
export interface MeasuredProcess {
  /** Waits for a message of this kind. */
  message<T>(kind: string): Promise<T>;
  ask<T>(kind: string, value?: unknown): Promise<T>;
  cpu(): Promise<CpuTime>;
  /** The heap in megabytes after a garbage collection, which takes a while. */
  heapMb(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a program with this same Node. */
export function startProcess(file: URL | string, args: readonly string[] = []): MeasuredProcess {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  const child = spawn(process.execPath, ['--expose-gc', '--import', METER, path, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  let last = 0;
  const message = async <T>(kind: string, id?: number): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const settle = (): void => void child.off('message', onMessage).off('exit', onExit);
      const onMessage = (received: unknown): void => {
        const answer = received as { readonly kind: string; readonly id?: number; readonly value: T };
        if (answer.kind !== kind || (id !== undefined && answer.id !== id)) return;
        settle();
        resolve(answer.value);
      };
      const onExit = (code: number | null): void => {
        settle();
        reject(new Error(`${path} ended with code ${code}: ${complaint.trim().split('\n').slice(-5).join(' | ')}`));
      };
      child.on('message', onMessage).on('exit', onExit);
    });
  const ask = async <T>(kind: string, value?: unknown): Promise<T> => {
    const id = ++last;
    const answer = message<T>('answer', id);
    child.send({ kind, id, value });
    return answer;
  };
  return { message, ask, cpu: () => ask('cpu'), heapMb: () => ask('heap'), stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
