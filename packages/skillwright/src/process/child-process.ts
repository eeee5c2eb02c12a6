import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { SkillwrightError } from '../spec/errors/error.ts';
import type { SandboxLaunch, SandboxProcess } from '../spec/sandbox.ts';
import { otherRuntime } from './node-version.ts';

export interface ChildOptions extends Pick<SandboxLaunch, 'program' | 'args' | 'cwd' | 'env' | 'channel'> {
  /** How many more pipes to open, starting at descriptor 4. */
  readonly pipes?: number | undefined;
  /** Inherited descriptors that the child must not be able to use: see `inheritableDescriptors`. */
  readonly covered: readonly number[];
}

export interface StartedChild extends Omit<SandboxProcess, 'kill'> {
  readonly pid: number;
  /** The requested pipes, starting with descriptor 4. */
  readonly pipes: readonly Socket[];
  /** While this is true, the process number and its group's number cannot belong to another process. */
  readonly isRunning: () => boolean;
}

const CHANNEL = 3;
const FIRST_PIPE = 4;
/** `O_CLOEXEC` on Linux, in the form of `/proc/self/fdinfo`. */
const CLOSE_ON_EXEC = 0o2000000;

/** Starts a program in its own process group, without a shell. Rejects with a system error if it cannot start. */
export async function startChild(options: ChildOptions): Promise<StartedChild> {
  const nowhere = options.covered.length === 0 || coversByPipes() ? undefined : openSync('/dev/null', 'r');
  let child: ChildProcess;
  try {
    child = spawn(options.program, options.args, {
      cwd: options.cwd,
      env: { ...options.env },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: descriptors(options, nowhere),
    });
  } finally {
    if (nowhere !== undefined) closeSync(nowhere);
  }
  const exited = exitOf(child);
  await spawned(child);
  const stdio: readonly unknown[] = child.stdio;
  const sockets = stdio.filter((stream) => stream instanceof Socket);
  const { pid, stdin, stdout, stderr } = child;
  if (coversByPipes()) for (const descriptor of coveredOnly(options)) (stdio[descriptor] as Socket).destroy();
  if (pid === undefined || stdin === null || stdout === null || stderr === null)
    throw new SkillwrightError('LaunchFailed', `${options.program} was started without pipes.`);
  // It is not an error if a program does not read its input, or ends early.
  stdin.on('error', () => {});
  for (const socket of sockets) socket.on('error', () => {});
  const channel = stdio[CHANNEL];
  return {
    pid,
    stdin,
    stdout,
    stderr,
    ...(options.channel && channel instanceof Socket ? { channel } : {}),
    pipes: stdio.slice(FIRST_PIPE, FIRST_PIPE + (options.pipes ?? 0)).filter((stream) => stream instanceof Socket),
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    keepAlive: (kept) => {
      for (const held of [child, ...sockets])
        if (kept) held.ref();
        else held.unref();
    },
  };
}

function descriptors(options: ChildOptions, nowhere: number | undefined): ('pipe' | 'ignore' | number)[] {
  const stdio: ('pipe' | 'ignore' | number)[] = ['pipe', 'pipe', 'pipe', options.channel ? 'pipe' : 'ignore'];
  for (let count = options.pipes ?? 0; count > 0; count -= 1) stdio.push('pipe');
  for (const descriptor of coveredOnly(options)) {
    while (stdio.length <= descriptor) stdio.push('ignore');
    stdio[descriptor] = nowhere ?? 'pipe';
  }
  return stdio;
}

/** The covered descriptors that are not used for the channel or a requested pipe. */
function coveredOnly({ covered, channel, pipes = 0 }: ChildOptions): readonly number[] {
  return covered.filter((descriptor) => descriptor >= FIRST_PIPE + pipes || (descriptor === CHANNEL && !channel));
}

/** Whether pipes cover descriptors: Deno loses a descriptor that is passed on under several numbers. */
function coversByPipes(): boolean {
  return otherRuntime() === 'Deno';
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

function exitOf(child: ChildProcess): Promise<{ exitCode: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    child.on('error', () => resolve({ exitCode: null, signal: null }));
  });
}

/**
 * Descriptors that this process inherited and would pass on to a child. Node closes those that it opened itself and the
 * first few that it inherited, but no others. Empty except on Linux, where they can be listed.
 */
export function inheritableDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1] ?? '';
    return flags !== '' && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor was closed after the directory was read.
    return false;
  }
}
