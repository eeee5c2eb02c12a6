import { setTimeout as pause } from 'node:timers/promises';
import type { StartedChild } from '../child-process.ts';
import type { ContainerEngine } from './engine.ts';
import { signalGroup } from '../process-tree.ts';

/** Seconds that a program has between being asked to end and being ended. */
const GRACE_SECONDS = '1';
const CALL_MS = 10_000;
const TRIES = 20;
const TRY_MS = 100;

/**
 * Ends a container by its name: SIGTERM, then SIGKILL. One that is only about to start has nothing to be ended yet, so it
 * is asked again until its command line has ended, which it does when the container is gone. Never rejects.
 */
export async function endContainer(engine: ContainerEngine, name: string, child: StartedChild): Promise<void> {
  const ask = (args: readonly string[]): Promise<unknown> =>
    engine.call([...args, name], { timeoutMs: CALL_MS }).catch(() => undefined);
  for (let attempt = 0; attempt < TRIES && child.isRunning(); attempt += 1) {
    await ask(['stop', '-t', GRACE_SECONDS]);
    await Promise.race([child.exited, pause(TRY_MS, undefined, { ref: false })]);
  }
  if (!child.isRunning()) return;
  // The engine does not answer, or lost track of it.
  await ask(['rm', '-f']);
  await Promise.race([child.exited, pause(TRY_MS)]);
  if (child.isRunning()) signalGroup(child.pid);
  await child.exited;
}
