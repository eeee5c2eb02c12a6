import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long the asynchronous driver works before it yields to other work. */
const SLICE_MS = 6;

/** Runs a generator to its end without pausing. */
export function driveSync<Result>(work: Generator<unknown, Result, void>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Runs a generator to its end, letting other work run in between. */
export async function drive<Result>(work: Generator<unknown, Result, void>, signal?: AbortSignal): Promise<Result> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    signal?.throwIfAborted();
    sliceEnd = performance.now() + SLICE_MS;
  }
}
