/** What work came to, or that nobody waited for it. */
export type UntilAborted<T> = { readonly isAborted: false; readonly value: T } | { readonly isAborted: true };

/**
 * Waits for work, but no longer than until the signal aborts: work that heeds no signal ends as it likes, unheard. It is
 * not begun when the signal has aborted before. Rejects as the work does.
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
