import { isDeepStrictEqual } from 'node:util';
import { createDirectoryWatch } from '../../sources/watch/watch-directories.ts';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { Logger } from '../../spec/events/logger.ts';
import type { WatchList } from '../../spec/source.ts';
import { isEmptyDiff, snapshotDiff } from '../snapshot/snapshot-diff.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import {
  type CatalogChange,
  type ChangeListener,
  checkWatchOptions,
  type CatalogWatch,
  type WatchOptions,
} from './watch-options.ts';
import { createWatchSchedule } from './watch-schedule.ts';

/** The parts of a catalog that a watch needs. */
interface WatchedCatalog {
  /** Runs a discovery that adds everything it reads to the watch list; returns the newest snapshot. */
  readonly refresh: (watchList: WatchList, signal: AbortSignal) => Promise<Snapshot>;
  /** The watched location, for messages. */
  readonly location: string;
  readonly logger: Logger;
  /** Watches directories. Default: with the operating system's watches. */
  readonly watchDirectories?: typeof createDirectoryWatch;
}

/** A listener for changes, and its options. */
interface Subscriber {
  readonly listener: ChangeListener;
  readonly debounceMs: number;
  readonly pollMs: number | undefined;
  /** Removes its listener from the signal. */
  readonly detach: () => void;
}

/** The state of a watch that has listeners. */
interface WatchSession {
  /** Resolves once everything is watched. */
  readonly ready: Promise<void>;
  /** What cannot be watched. */
  readonly diagnostics: readonly Diagnostic[];
  close(): void;
}

/** The polling interval if watches are not enough; longer if a discovery takes long. */
const DEFAULT_POLL_MS = 2_000;
const POLL_PAUSE = 10;

function startWatchSession(catalog: WatchedCatalog, subscribers: ReadonlySet<Subscriber>): WatchSession {
  const { logger, location, watchDirectories = createDirectoryWatch } = catalog;
  const stop = new AbortController();
  let told: Snapshot | undefined;
  let diagnostics: readonly Diagnostic[] = [];

  const directories = watchDirectories({ onChange: () => schedule.notify() });

  const look = async (): Promise<void> => {
    const startedAt = performance.now();
    const round = directories.begin();
    try {
      const snapshot = await catalog.refresh(round, stop.signal);
      if (stop.signal.aborted) return;
      round.end();
      diagnostics = directories.shortage === undefined ? [] : [limited(location, directories.shortage)];
      tell(snapshot);
    } finally {
      planPoll(performance.now() - startedAt);
    }
  };

  const planPoll = (durationMs: number): void => {
    const intervals = Array.from(subscribers, ({ pollMs }) => pollMs ?? Infinity);
    const pollMs = Math.min(...intervals, directories.shortage === undefined ? Infinity : DEFAULT_POLL_MS);
    if (pollMs < Infinity) schedule.lookIn(Math.max(pollMs, durationMs * POLL_PAUSE));
  };

  const tell = (snapshot: Snapshot): void => {
    const before = told;
    told = snapshot;
    // Watchers of whole trees start late. Another refresh finds the changes that they missed.
    if (before === undefined) return directories.startsLate ? schedule.notify() : undefined;
    const diff = snapshotDiff(before, snapshot);
    if (isEmptyDiff(diff) && isDeepStrictEqual(before.diagnostics, snapshot.diagnostics)) return;
    const change = { ...diff, diagnostics: [...snapshot.diagnostics, ...diagnostics], snapshot };
    // Iterate over a copy, because a listener may end another listener's watch or begin a new one.
    for (const subscriber of Array.from(subscribers))
      if (subscribers.has(subscriber)) call(subscriber.listener, change, logger);
  };

  const schedule = createWatchSchedule({
    debounceMs: () => Math.min(...Array.from(subscribers, (subscriber) => subscriber.debounceMs)),
    look,
    onError(error) {
      if (!stop.signal.aborted) logger.warn('Reading the changed skills failed.', { error: String(error) });
    },
  });

  return {
    ready: schedule.lookNow(),
    get diagnostics() {
      return diagnostics;
    },
    close() {
      schedule.close();
      directories.close();
      stop.abort();
    },
  };
}

function call(listener: ChangeListener, change: CatalogChange, logger: Logger): void {
  const failed = (error: unknown): void => logger.warn('A change listener threw an error.', { error: String(error) });
  try {
    const answer = listener(change);
    if (answer instanceof Promise) answer.catch(failed);
  } catch (error) {
    failed(error);
  }
}

function limited(path: string, code: string): Diagnostic {
  const message = `Not every directory of ${path} can be watched (${code}), so Skillwright checks for changes every few seconds.`;
  return createDiagnostic('watch-limited', { path, message });
}

/** One watch over all sources of a catalog, shared by all listeners. It ends when the last listener ends its watch. */
interface CatalogWatcher {
  readonly isActive: boolean;
  /** Resolves once everything is watched. Rejects if that discovery fails or the signal aborts. */
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
    async subscribe(options, listener) {
      const { signal } = options;
      const detach = (): void => signal?.removeEventListener('abort', close);
      const subscriber = { listener, detach, ...checkWatchOptions(options, listener) };
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
