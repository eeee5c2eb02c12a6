import { createHash } from 'node:crypto';
import { isGone } from '../bubblewrap/orphans.ts';
import type { ContainerEngine } from './engine.ts';

/** By which containers tell whose they are. */
const HOST_LABEL = 'skillwright.host';
const EXECUTION_LABEL = 'skillwright.execution';

export function containerLabels(mark: string, executionId: string): Record<string, string> {
  return { [HOST_LABEL]: mark, [EXECUTION_LABEL]: executionId };
}

/** The same for the same run of the same host, and for no other: by it a container is found and ended. */
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

/** Removes every container of a host; answers how many there were. */
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
  // One that is gone by now makes it a failure; the others are told all the same.
  const { stdout } = await engine.call(['container', 'inspect', '--format', format, ...ids]);
  return stdout
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([id = '', mark = '']) => (id === '' ? [] : [{ id, mark }]));
}

async function remove(engine: ContainerEngine, containers: readonly { readonly id: string }[]): Promise<void> {
  if (containers.length > 0) await engine.call(['rm', '-f', ...containers.map(({ id }) => id)]);
}
