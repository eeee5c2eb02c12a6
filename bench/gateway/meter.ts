// Loaded into every measured process with `node --import`; reports the process's resource usage.
import type { CpuTime } from './measured-process.ts';

process.on('message', (message) => {
  const { kind, id } = message as { readonly kind: string; readonly id: number };
  if (kind === 'cpu' || kind === 'heap') process.send?.({ kind: 'answer', id, value: READERS[kind]() });
});
// End this process when the measuring process is gone.
process.on('disconnect', () => process.exit(0));

const READERS = {
  cpu: (): CpuTime => {
    const { user, system } = process.cpuUsage();
    return { userMs: user / 1000, systemMs: system / 1000 };
  },
  /** Megabytes of JavaScript after two collections, since finalizers release more after the first. */
  heap: (): number => {
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1024 ** 2;
  },
};
