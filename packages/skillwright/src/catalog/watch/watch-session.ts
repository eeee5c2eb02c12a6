import { isDeepStrictEqual } from 'node:util';
import { createDirectoryWatch } from '../../sources/watch/watch-directories.ts';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { Logger } from '../../spec/events/logger.ts';
import type { WatchList } from '../../spec/source.ts';
import { isEmptyDiff, snapshotDiff } from '../snapshot/snapshot-diff.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { CatalogChange, ChangeListener } from './watch-options.ts';
import { createWatchSchedule } from './watch-schedule.ts';

/** As much of a catalog as it takes to watch it. */
export interface WatchedCatalog {
  /** Discovers again, naming everything it looks at; answers the newest snapshot. */
  readonly refresh: (watchList: WatchList, signal: AbortSignal) => Promise<Snapshot>;
  /** What is watched, for people. */
  readonly location: string;
  readonly logger: Logger;
  /** Default: the directories of this system. */
  readonly watchDirectories?: typeof createDirectoryWatch;
}

/** Who wants to be told of changes, and how soon. */
export interface Subscriber {
  readonly listener: ChangeListener;
  readonly debounceMs: number;
  readonly pollMs: number | undefined;
  /** Lets go of the signal. */
  readonly detach: () => void;
}

/** What goes on while somebody listens. */
export interface WatchSession {
  /** Resolves once everything is watched. */
  readonly ready: Promise<void>;
  /** What cannot be watched. */
  readonly diagnostics: readonly Diagnostic[];
  close(): void;
}

/** How often to look where watching does not do; more seldom where looking takes long. */
const DEFAULT_POLL_MS = 2_000;
const POLL_PAUSE = 10;

export function startWatchSession(catalog: WatchedCatalog, subscribers: ReadonlySet<Subscriber>): WatchSession {
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
    const wished = Array.from(subscribers, ({ pollMs }) => pollMs ?? Infinity);
    const pollMs = Math.min(...wished, directories.shortage === undefined ? Infinity : DEFAULT_POLL_MS);
    if (pollMs < Infinity) schedule.lookIn(Math.max(pollMs, durationMs * POLL_PAUSE));
  };

  const tell = (snapshot: Snapshot): void => {
    const before = told;
    told = snapshot;
    // Watchers of whole trees are late to start: what they missed is found by looking once more.
    if (before === undefined) return directories.startsLate ? schedule.notify() : undefined;
    const diff = snapshotDiff(before, snapshot);
    if (isEmptyDiff(diff) && isDeepStrictEqual(before.diagnostics, snapshot.diagnostics)) return;
    const change = { ...diff, diagnostics: [...snapshot.diagnostics, ...diagnostics], snapshot };
    // One listener may end the watch of another, or begin a new one.
    for (const subscriber of Array.from(subscribers))
      if (subscribers.has(subscriber)) call(subscriber.listener, change, logger);
  };

  const schedule = createWatchSchedule({
    debounceMs: () => Math.min(...Array.from(subscribers, (subscriber) => subscriber.debounceMs)),
    look,
    onError(error) {
      if (!stop.signal.aborted) logger.warn('Watched skills could not be read again.', { error: String(error) });
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
  const failed = (error: unknown): void => logger.warn('A listener of changes threw.', { error: String(error) });
  try {
    const answer = listener(change);
    if (answer instanceof Promise) answer.catch(failed);
  } catch (error) {
    failed(error);
  }
}

function limited(path: string, code: string): Diagnostic {
  const message = `Not every directory of ${path} can be watched (${code}); changes are looked for every few seconds.`;
  return createDiagnostic('watch-limited', { path, message });
}
