import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createProgress } from '../progress.ts';
import type { HostMessage, HostTask } from './host-message.ts';
import { endMarked, MARK_VARIABLE } from './marked-processes.ts';
import type { Measurements, Outcome, ScenarioName } from './results.ts';

const HOST = fileURLToPath(new URL('host.ts', import.meta.url));
const TIMEOUT_MS = 120_000;
const FULL_TIMEOUT_MS = 600_000;

/** Measures scenarios one at a time, each in a fresh process of this same Node. */
export interface HostRunner {
  run(task: HostTask): Promise<Outcome<Measurements[ScenarioName]>>;
  /** Ends the measured process, if any, and everything that it started. */
  stop(): void;
}

/** `home` becomes the home and the working directory. It is empty, so that none of the user's own files are found. */
export function createHostRunner(home: string, mark: string): HostRunner {
  const env = { ...process.env, HOME: home, USERPROFILE: home, NODE_OPTIONS: '', [MARK_VARIABLE]: mark };
  let current: ChildProcess | undefined;

  async function run(task: HostTask): Promise<Outcome<Measurements[ScenarioName]>> {
    const timeout = task.isFull ? FULL_TIMEOUT_MS : TIMEOUT_MS;
    const child = spawn(process.execPath, ['--expose-gc', HOST, JSON.stringify(task)], {
      cwd: home,
      env,
      timeout,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    current = child;
    let progress = createProgress(1, true);
    let outcome: Outcome<Measurements[ScenarioName]> | undefined;
    let complaint = '';
    child.on('message', (received) => {
      const message = received as HostMessage;
      if (message.kind === 'steps') progress = createProgress(message.count, false);
      else if (message.kind === 'step') progress.step(`${task.scenario}: ${message.label}`);
      else ({ outcome } = message);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-2000);
    });
    // Not `close`: processes that the host left behind may hold its pipes.
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    progress.done();
    stop();
    if (outcome !== undefined) return outcome;
    const ending = signal === null ? `exit code ${code}` : `${signal} (limit ${timeout / 1000} s)`;
    return { status: 'failed', reason: `${ending} ${complaint.trim().split('\n').at(-1) ?? ''}`.trim() };
  }

  function stop(): void {
    current?.kill('SIGKILL');
    current?.stderr?.destroy();
    current = undefined;
    endMarked([`${MARK_VARIABLE}=${mark}`]);
  }

  return { run, stop };
}
