// Loaded into every measured process with `node --import`: answers what it has used so far.
process.on('message', (message) => {
  const { kind, id } = message as { readonly kind: string; readonly id: number };
  if (kind === 'cpu' || kind === 'heap') process.send?.({ kind: 'answer', id, value: READERS[kind]() });
});
// Nobody is left to measure for.
process.on('disconnect', () => process.exit(0));

const READERS = {
  /** User + system time, in milliseconds. */
  cpu: (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  /** Megabytes of JavaScript after a collection; after two, since finalizers release more. */
  heap: (): number => {
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1024 ** 2;
  },
};
