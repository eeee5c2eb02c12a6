import { startWatchSession, type Subscriber, type WatchedCatalog, type WatchSession } from './watch-session.ts';
import { checkWatchOptions, type CatalogWatch, type ChangeListener, type WatchOptions } from './watch-options.ts';

/** One watch over all sources of a catalog, for as many listeners as there are. It lasts while there is one. */
export interface CatalogWatcher {
  readonly isActive: boolean;
  /** Resolves once everything is watched. A discovery that fails then, or a signal that is aborted, rejects. */
  subscribe(options: WatchOptions, listener: ChangeListener): Promise<CatalogWatch>;
  close(): void;
}

export function createCatalogWatcher(watched: WatchedCatalog): CatalogWatcher {
  const subscribers = new Set<Subscriber>();
  let session: WatchSession | undefined;

  const end = (): void => {
    for (const { detach } of subscribers) detach();
    subscribers.clear();
    session?.close();
    session = undefined;
  };

  return {
    get isActive() {
      return subscribers.size > 0;
    },
    async subscribe(wishes, listener) {
      const { signal } = wishes;
      const detach = (): void => signal?.removeEventListener('abort', close);
      const subscriber = { listener, detach, ...checkWatchOptions(wishes, listener) };
      const close = (): void => {
        detach();
        if (subscribers.delete(subscriber) && subscribers.size === 0) end();
      };
      signal?.throwIfAborted();
      signal?.addEventListener('abort', close);
      subscribers.add(subscriber);
      const own = (session ??= startWatchSession(watched, subscribers));
      try {
        await own.ready;
      } catch (error) {
        close();
        throw signal?.aborted === true ? signal.reason : error;
      }
      signal?.throwIfAborted();
      return {
        get diagnostics() {
          return own.diagnostics;
        },
        close,
        [Symbol.dispose]: close,
      };
    },
    close: end,
  };
}
