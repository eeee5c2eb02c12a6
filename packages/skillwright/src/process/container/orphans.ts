import { createHash } from 'node:crypto';
import { isGone } from '../bubblewrap/orphans.ts';
import type { ContainerEngine } from './engine.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The label that names a container's host. */
const HOST_LABEL = 'skillwright.host';
const EXECUTION_LABEL = 'skillwright.execution';

export function containerLabels(mark: string, executionId: string): Record<string, string> {
  return { [HOST_LABEL]: mark, [EXECUTION_LABEL]: executionId };
}

/** The name of a run's container, by which it can be found and ended. Different for every run and host. */
export function containerName(mark: string, executionId: string): string {
  const readable = /^[\w.-]{1,64}$/.test(executionId) ? executionId : 'run';
  const digest = createHash('sha256').update(`${mark}\0${executionId}`).digest('hex');
  return `skillwright-${readable}-${digest.slice(0, 12)}`;
}

/** Removes containers of hosts that are gone. */
export async function removeOrphans(engine: ContainerEngine): Promise<void> {
  const marks = await marksOf(engine, HOST_LABEL);
  await remove(
    engine,
    marks.filter(({ mark }) => isGone(mark)),
  );
}

/** Removes every container of a host; returns how many there were. */
export async function removeAllOf(engine: ContainerEngine, mark: string): Promise<number> {
  const own = await marksOf(engine, `${HOST_LABEL}=${mark}`);
  await remove(engine, own);
  return own.length;
}

async function marksOf(engine: ContainerEngine, label: string): Promise<{ id: string; mark: string }[]> {
  const listed = await engine.call(['ps', '--all', '--quiet', '--no-trunc', '--filter', `label=${label}`]);
  const ids = listed.stdout.split('\n').filter((id) => id !== '');
  if (!listed.ok || ids.length === 0) return [];
  const format = `{{.Id}} {{index .Config.Labels "${HOST_LABEL}"}}`;
  // If a container is gone by now, the command fails, but it still lists the others.
  const { stdout } = await engine.call(['container', 'inspect', '--format', format, ...ids]);
  return stdout
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([id = '', mark = '']) => (id === '' ? [] : [{ id, mark }]));
}

async function remove(engine: ContainerEngine, containers: readonly { readonly id: string }[]): Promise<void> {
  if (containers.length > 0) await engine.call(['rm', '-f', ...containers.map(({ id }) => id)]);
}

/** Removes a container when this process is gone, because a container continues when the CLI that started it ends. */
export interface Warden {
  /** Tells the warden that its work is done. Resolves when it is gone. */
  dismiss(): Promise<void>;
  keepAlive(kept: boolean): void;
}

/**
 * A shell script that waits at a pipe, which closes when this process ends, and then removes the container. It tries
 * more than once, because the engine may still be carrying out this process's last request.
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
