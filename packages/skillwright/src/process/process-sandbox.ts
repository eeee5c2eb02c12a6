import { spawn, type ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { EXECUTION_ID_VARIABLE, killTree } from './process-tree.ts';
import type { Sandbox, SandboxLaunch, SandboxProcess } from '../spec/sandbox.ts';

/**
 * Runs programs as ordinary processes of this user: no shell, a process group of their own, the given environment and
 * nothing else. It keeps honest programs in order; it does not keep hostile ones from anything.
 */
export function createProcessSandbox(): Sandbox {
  return {
    tier: 'process',
    async probe() {
      const capabilities = {
        killsTree: process.platform === 'linux',
        hidesNetwork: false,
        hidesFiles: false,
        protectsSkill: false,
        boundsMemory: false,
      };
      return { available: true, capabilities, detail: 'ordinary processes of this user' };
    },
    launch: (launch) => start(launch),
  };
}

async function start(launch: SandboxLaunch): Promise<SandboxProcess> {
  const child = spawn(launch.program, launch.args, {
    cwd: launch.cwd,
    env: { ...launch.env, [EXECUTION_ID_VARIABLE]: launch.executionId },
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: launch.channel ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
  });
  const exited = exitOf(child);
  await spawned(child);
  const [stdin, stdout, stderr] = child.stdio;
  // A program that does not read its input is no error.
  stdin.on('error', () => {});
  const channel = child.stdio[3];
  return {
    stdin,
    stdout,
    stderr,
    ...(channel instanceof Readable ? { channel } : {}),
    exited,
    kill: () => killTree(child.pid, launch.executionId, child.exitCode === null && child.signalCode === null),
  };
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
    child.once('error', () => resolve({ exitCode: null, signal: null }));
  });
}
