// Loaded into every measured process with `node --import`: answers what it has used so far.
import type { CpuTime } from './measured-process.ts';

process.on('message', (message) => {
  const { kind, id } = message as { readonly kind: string; readonly id: number };
  if (kind === 'cpu' || kind === 'heap') process.send?.({ kind: 'answer', id, value: READERS[kind]() });
});
// Nobody is left to measure for.
process.on('disconnect', () => process.exit(0));

const READERS = {
  cpu: (): CpuTime => {
    const { user, system } = process.cpuUsage();
    return { userMs: user / 1000, systemMs: system / 1000 };
  },
  /** Megabytes of JavaScript after a collection; after two, since finalizers release more. */
  heap: (): number => {
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1024 ** 2;
  },
};
