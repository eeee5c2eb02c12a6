import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findMisplaced } from '../bubblewrap/places.ts';
import type { ContainerEngine } from './engine.ts';
import { SHARED_DIRECTORY } from '../sandbox-launcher.ts';
import type { StartedChild } from '../child-process.ts';
import { signalGroup } from '../process-tree.ts';

const GATE = 'gate';
/** The exit code of a program that was not started. */
const REFUSED = 125;
const LOOKS = 200;
const LOOK_MS = 50;

/**
 * Waits for a file from the host. An empty file lets the program start. Any other content says why it may not start.
 */
const SCRIPT = [
  `while [ ! -e ${SHARED_DIRECTORY}/${GATE} ]; do sleep 0.02; done`,
  `read -r skillwright_gate < ${SHARED_DIRECTORY}/${GATE}`,
  `[ -z "$skillwright_gate" ] || { printf '%s\\n' "$skillwright_gate" >&2; exit ${REFUSED}; }`,
  'exec "$@"',
].join('; ');

/** A command that waits at the gate before it becomes the program. `shell` is the image's own shell. */
export function containerGateCommand(shell: string, command: readonly string[]): string[] {
  return [shell, '-c', SCRIPT, 'sandbox', ...command];
}

/**
 * Opens the gate after comparing the mounts in a container with the paths outside. A user who can write above a path
 * could put a link there at the moment that the engine, often running as root, follows the path. Never rejects.
 */
export async function openContainerGate(
  engine: ContainerEngine,
  name: string,
  shared: string,
  held: readonly string[],
): Promise<void> {
  try {
    const pid = await firstProcess(engine, name);
    const path = pid === undefined ? held[0] : findMisplaced(pid, held);
    const refusal =
      path === undefined
        ? ''
        : `${JSON.stringify(path)} was changed while the container was being created. Nothing ran.`;
    // Write the file completely and then rename it, because the program reads it as soon as it exists.
    writeFileSync(join(shared, `${GATE}.new`), `${refusal}\n`);
    renameSync(join(shared, `${GATE}.new`), join(shared, GATE));
  } catch {
    // The container has ended, and its files are gone.
  }
}

async function firstProcess(engine: ContainerEngine, name: string): Promise<number | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    const answer = await engine.call(['container', 'inspect', '--format', '{{.State.Pid}}', name]);
    if (!answer.ok) return undefined;
    const pid = Number(answer.stdout.trim());
    if (pid > 0) return pid;
    await pause(LOOK_MS, undefined, { ref: false });
  }
  return undefined;
}

/** Seconds between asking a program to end and killing it. */
const GRACE_SECONDS = '1';
const CALL_MS = 10_000;
const TRIES = 20;
const TRY_MS = 100;

/**
 * Ends a container by its name: SIGTERM, then SIGKILL. A container that is about to start cannot be ended yet, so this
 * repeats until the engine's CLI has exited, which happens once the container is gone. Never rejects.
 */
export async function endContainer(engine: ContainerEngine, name: string, child: StartedChild): Promise<void> {
  const ask = (args: readonly string[]): Promise<unknown> =>
    engine.call([...args, name], { timeoutMs: CALL_MS }).catch(() => undefined);
  for (let attempt = 0; attempt < TRIES && child.isRunning(); attempt += 1) {
    await ask(['stop', '-t', GRACE_SECONDS]);
    await Promise.race([child.exited, pause(TRY_MS, undefined, { ref: false })]);
  }
  if (!child.isRunning()) return;
  // The engine does not answer, or has lost track of the container.
  await ask(['rm', '-f']);
  await Promise.race([child.exited, pause(TRY_MS)]);
  if (child.isRunning()) signalGroup(child.pid);
  await child.exited;
}
