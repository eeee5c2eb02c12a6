import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Answer, Task } from './measurement.ts';

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
const TIMEOUT_MS = 300_000;

/** Runs tasks one at a time, each in a fresh process of this same Node. */
export interface ProcessRunner {
  run(task: Task): Promise<Answer>;
  /** Kills the running child, if any. */
  stop(): void;
}

/** `home` becomes the children's home and working directory. It is empty, so that no loader finds the user's own skills. */
export function createProcessRunner(home: string): ProcessRunner {
  mkdirSync(home, { recursive: true });
  const env = { ...process.env, HOME: home, USERPROFILE: home, NODE_OPTIONS: '' };
  let current: ChildProcess | undefined;

  async function run(task: Task): Promise<Answer> {
    const child = spawn(process.execPath, ['--expose-gc', CHILD, JSON.stringify(task)], {
      cwd: home,
      env,
      timeout: TIMEOUT_MS,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    current = child;
    let reply: Answer | undefined;
    let complaint = '';
    child.once('message', (message) => {
      reply = message as Answer;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-2000);
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    current = undefined;
    if (reply !== undefined) return reply;
    const ending = signal === null ? `exit code ${code}` : `${signal} (limit ${TIMEOUT_MS / 1000} s)`;
    return { status: 'failed', reason: `${ending} ${complaint.trim().split('\n').at(-1) ?? ''}`.trim() };
  }

  return { run, stop: () => current?.kill('SIGKILL') };
}
