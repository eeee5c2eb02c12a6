import type { EventListener } from '../spec/events/events.ts';
import { SkillDiscoveryError, SkillwrightError, messageOf } from '../spec/errors/error.ts';
import type { ReadingLimits } from '../spec/limits.ts';
import type { Logger } from '../spec/events/logger.ts';
import type { SkillFiles, SkillSource, WatchList } from '../spec/source.ts';
import type { DecideTrust } from '../spec/trust.ts';
import { drive, driveSync } from '../sources/directory/drive.ts';
import { logDiscovery, logFailures } from './discovery-log.ts';
import type { IndexCache } from './index-cache/index-cache.ts';
import { createKnownSkills, readingKey } from './snapshot/known-skills.ts';
import { createSkillBodies } from './bodies/skill-bodies.ts';
import type { SkillRecord } from './snapshot/skill-record.ts';
import { assertTrust } from './snapshot/skill-trust.ts';
import { buildSnapshot } from './snapshot/snapshot-builder.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { createCatalogWatcher } from './watch/watch-session.ts';
import type { CatalogWatch, ChangeListener, WatchOptions } from './watch/watch-options.ts';

export interface CatalogOptions {
  /** The sources of skills, highest precedence first. */
  readonly sources: readonly SkillSource[];
  readonly limits: ReadingLimits;
  readonly strict: boolean;
  readonly thorough: boolean;
  /** The host's decision on trust. Default: the trust that the sources declare. */
  readonly decideTrust?: DecideTrust | undefined;
  /** Keeps what discovery read, for the next process. Default: nothing is kept. */
  readonly indexCache?: IndexCache | undefined;
  readonly logger: Logger;
  /** Receives events. Never throws. */
  readonly emit: EventListener;
  /** Called at the start of each discovery. Must not throw. */
  readonly onRefresh?: (() => void) | undefined;
  /** Called with each snapshot that becomes the newest. Must not throw. */
  readonly onSnapshot?: ((snapshot: Snapshot) => void) | undefined;
}

/** Holds the newest snapshot of some sources, and the bodies of loaded skills. */
export interface Catalog {
  /** The newest snapshot, `undefined` before the first refresh. */
  readonly snapshot: Snapshot | undefined;
  readonly sources: readonly SkillSource[];
  /** Scans again. If refreshes overlap, the result of the refresh that started last is kept. */
  refresh(signal?: AbortSignal): Promise<Snapshot>;
  refreshSync(): Snapshot;
  /** The instructions of a skill, read on first use and kept until the next refresh. */
  body(record: SkillRecord): Promise<string>;
  bodySync(record: SkillRecord): string;
  /** The files of a skill, with refusals and failures logged. */
  files(record: SkillRecord): Pick<SkillFiles, 'resolve' | 'read' | 'readSync' | 'list'>;
  /** Forgets loaded bodies. */
  forget(): void;
  /**
   * Keeps the snapshot up to date, and reports changes to the listener. Resolves once everything is watched. While the
   * watch lasts, a skill that an edit breaks keeps its last valid version.
   */
  watch(options: WatchOptions, listener: ChangeListener): Promise<CatalogWatch>;
  /** Ends every watch. */
  close(): void;
}

/** How to run a discovery. */
interface DiscoveryMode {
  readonly interruptible: boolean;
  /**
   * Records which files and directories the discovery depends on. Set by a watch. A watch also delays the write of the
   * index cache.
   */
  readonly watchList?: WatchList;
}

export function createCatalog(options: CatalogOptions): Catalog {
  const { sources, limits, strict, logger, decideTrust } = options;
  assertTrust(sources, decideTrust);
  const thorough = strict || options.thorough;
  const bodies = createSkillBodies(options);
  const known = createKnownSkills(options.indexCache, readingKey(strict, limits));
  let snapshot: Snapshot | undefined;
  let started = 0;
  let kept = 0;
  const { emit } = options;

  const begin = (isWatch = false): { finish(found: Snapshot): Snapshot; giveUp(error: unknown): unknown } => {
    const before = isWatch ? snapshot : undefined;
    started += 1;
    const turn = started;
    const startedAt = performance.now();
    options.onRefresh?.();
    emit({ type: 'discovery-start', sources: sources.map((source) => source.location) });
    return {
      finish(found) {
        const durationMs = performance.now() - startedAt;
        if (turn > kept) {
          kept = turn;
          snapshot = found;
          bodies.forget(found.outdated);
          options.onSnapshot?.(found);
        }
        logDiscovery(logger, sources, { before, found, durationMs });
        emit({ type: 'discovery-end', skills: found.skills.length, diagnostics: found.diagnostics, durationMs });
        return found;
      },
      giveUp(error) {
        const durationMs = performance.now() - startedAt;
        emit({ type: 'discovery-end', skills: 0, diagnostics: [], durationMs, incomplete: true });
        return error;
      },
    };
  };

  function* discover({ interruptible, watchList }: DiscoveryMode): Generator<void, Snapshot, void> {
    const lastGood = watcher.isActive ? snapshot : undefined;
    const memory = options.indexCache !== undefined || watcher.isActive ? yield* known.begin() : undefined;
    const build = { limits, strict, interruptible, thorough, decideTrust, memory, watchList, lastGood };
    const found = yield* buildSnapshot(sources, build);
    if (memory !== undefined) yield* known.commit(memory, { save: watchList === undefined });
    return found;
  }

  const refresh = async (signal?: AbortSignal, watchList?: WatchList): Promise<Snapshot> => {
    signal?.throwIfAborted();
    const discovery = begin(watchList !== undefined);
    const mode = { interruptible: true, ...(watchList === undefined ? {} : { watchList }) };
    try {
      return discovery.finish(await drive(discover(mode), signal));
    } catch (error) {
      throw discovery.giveUp(signal?.aborted === true ? signal.reason : asDiscoveryError(error));
    }
  };

  const watcher = createCatalogWatcher({
    location: sources.map((source) => source.location).join(', '),
    logger,
    async refresh(watchList, signal) {
      const found = await refresh(signal, watchList);
      return snapshot ?? found;
    },
  });

  return {
    sources,
    get snapshot() {
      return snapshot;
    },
    refresh: (signal) => refresh(signal),
    refreshSync() {
      const discovery = begin();
      try {
        return discovery.finish(driveSync(discover({ interruptible: false })));
      } catch (error) {
        throw discovery.giveUp(asDiscoveryError(error));
      }
    },
    body: (record) => bodies.read(record),
    bodySync: (record) => bodies.readSync(record),
    files: (record) => logFailures(record, logger),
    forget: () => bodies.forget(),
    watch: (watchOptions, listener) => watcher.subscribe(watchOptions, listener),
    close: () => watcher.close(),
  };
}

/** Wraps errors of discovery, which only a defect in a source can cause: skills' content never throws. */
function asDiscoveryError(error: unknown): unknown {
  if (SkillwrightError.isInstance(error)) return error;
  const reason = messageOf(error);
  return new SkillDiscoveryError('DiscoveryFailed', `Discovery failed: ${reason}`, { cause: error });
}
