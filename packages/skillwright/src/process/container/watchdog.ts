import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ContainerEngine } from './engine.ts';

/** Removes a container when this process is gone: ending a command line does not end what it has started. */
export interface Warden {
  /** It has nothing more to see to. Resolves when it is gone. */
  dismiss(): Promise<void>;
  keepAlive(kept: boolean): void;
}

/**
 * Waits at a pipe that closes with this process. It tries more than once: the engine may carry out
 * the last request a little later.
 */
const SCRIPT = 'read -r word && exit 0; for try in 1 2 3 4 5 6; do "$@" >/dev/null 2>&1 </dev/null; sleep 0.5; done';

export async function postWarden(engine: ContainerEngine, container: string): Promise<Warden> {
  const args = ['-c', SCRIPT, 'skillwright-warden', engine.program, 'rm', '-f', container];
  const child = spawn('/bin/sh', args, {
    cwd: '/',
    env: { ...engine.env },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.stdin.on('error', () => {});
  await once(child, 'spawn');
  return {
    dismiss() {
      child.stdin.end('done\n');
      return exited;
    },
    keepAlive(kept) {
      const pipe: unknown = child.stdin;
      for (const held of [child, pipe]) if (isHeld(held)) held[kept ? 'ref' : 'unref']();
    },
  };
}

function isHeld(value: unknown): value is { ref(): void; unref(): void } {
  return typeof value === 'object' && value !== null && 'ref' in value && 'unref' in value;
}
