/** The outcome of `untilAborted`: the work's value, or that the signal aborted first. */
export type UntilAborted<T> = { readonly isAborted: false; readonly value: T } | { readonly isAborted: true };

/**
 * Waits for work, but not after the signal aborts: work that ignores the signal goes on, and its result is dropped.
 * Work does not start if the signal has already aborted. Rejects when the work does.
 */
export async function untilAborted<T>(
  work: () => T | Promise<T>,
  signal: AbortSignal | undefined,
): Promise<UntilAborted<T>> {
  if (signal?.aborted === true) return { isAborted: true };
  const { promise: aborted, resolve } = Promise.withResolvers<UntilAborted<T>>();
  const end = (): void => resolve({ isAborted: true });
  signal?.addEventListener('abort', end, { once: true });
  try {
    const done = (async () => ({ isAborted: false as const, value: await work() }))();
    return await Promise.race([done, aborted]);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}
