import type { IndexCache } from '../../catalog/index-cache/index-cache.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { driveSync } from '../../sources/directory/drive.ts';
import type { Ranker, RankerKind } from '../../spec/ranker.ts';
import { VERSION } from '../../spec/program.ts';
import { decodeKept, encodeKept, type KeptIndex } from './kept-index.ts';
import { createAdditiveRanker } from '../ranking/additive/additive-ranker.ts';
import { createLexicalRanker } from '../ranking/lexical/lexical-ranker.ts';
import { SnapshotIndex, toRankable } from './snapshot-index.ts';

/** Rankers for a catalog's skills, which are identified by name. */
export interface CatalogRanker {
  /** The ranker for a snapshot. It knows every skill at once; bodies are indexed in the background. */
  for(snapshot: Snapshot): Ranker;
  /** Resolves when every body of the snapshot is indexed, or the ranker is closed. Other work continues meanwhile. */
  ready(snapshot: Snapshot): Promise<void>;
  /** Stops background indexing until the ranker is asked again. */
  pause(): void;
  /** Stops indexing. */
  close(): void;
}

export interface CatalogRankerOptions {
  readonly kind?: RankerKind | undefined;
  /** Instructions longer than this are not indexed. */
  readonly maxBytes: number;
  /** Where a built index is stored for the next process. Default: nowhere. */
  readonly cache?: IndexCache | undefined;
}

/** The work for one snapshot, each part in slices, one after another. */
interface Ranking {
  readonly index: SnapshotIndex;
  /** The ranker once it knows every skill; until then, the work that gets it there. */
  ranker: Ranker | Generator<void, Ranker, void>;
  /** Loads a stored index before the ranker is built, so that the ranker can start from it. */
  loading: Generator<void, KeptIndex | undefined, void>;
  readonly reading: Generator<void, void, void>;
  saving: Generator<void, void, void>;
  running: Promise<void> | undefined;
  isDone: boolean;
  /** A caller waits for this ranking: the process is kept alive, and indexing does not pause for long. */
  isAwaited: boolean;
  /** Another ranking is copying this ranking's index, which must not change meanwhile. */
  isCopied: boolean;
}

const SEGMENT = 'ranking';
/** Must increase whenever skills are indexed in another way, so that older stored indexes are not used. */
const INDEX_FORMAT = 2;
/** A stored index is rewritten only if at least one in this many skills has changed. */
const WORTH_SAVING = 50;

/**
 * Keeps one ranker for each snapshot, as long as the snapshot is in use. The index of a new snapshot starts from the
 * previous one, or from what an earlier process stored: only changed skills are indexed again.
 */
export function createCatalogRanker({ kind, maxBytes, cache }: CatalogRankerOptions): CatalogRanker {
  const rankings = new WeakMap<Snapshot, Ranking>();
  const running = new Set<Ranking>();
  const key = JSON.stringify([VERSION, INDEX_FORMAT, maxBytes]);
  /** The ranking that was requested last. The indexing of other rankings continues only if a caller waits for them. */
  let latest: Ranking | undefined;
  let isClosed = false;
  let isPaused = false;
  /** How many skills have changed since the index was stored. */
  let unsaved = 0;

  const create = (snapshot: Snapshot, before: Ranking | undefined): Ranking => {
    const index = new SnapshotIndex(snapshot, maxBytes);
    const ranking: Ranking = {
      index,
      ranker: open(),
      loading: load(before),
      reading: kind === 'additive' ? nothing() : index.readBodies(),
      saving: save(),
      running: undefined,
      isDone: false,
      isAwaited: false,
      isCopied: false,
    };
    function* open(): Generator<void, Ranker, void> {
      if (kind === 'additive') return createAdditiveRanker(snapshot.skills.map(toRankable));
      return createLexicalRanker([], yield* index.open(yield* ranking.loading));
    }
    function* save(): Generator<void, void, void> {
      unsaved += index.changes;
      if (cache === undefined || unsaved === 0 || unsaved * WORTH_SAVING < snapshot.skills.length) return;
      unsaved = 0;
      yield* cache.writeLarge(SEGMENT, key, encodeKept(yield* index.keep()));
    }
    return ranking;
  };

  function* load(before: Ranking | undefined): Generator<void, KeptIndex | undefined, void> {
    if (before !== undefined && isRanker(before.ranker)) {
      before.isCopied = true;
      try {
        return yield* before.index.keep();
      } finally {
        before.isCopied = false;
      }
    }
    const bytes = cache === undefined ? undefined : yield* cache.readLarge(SEGMENT, key);
    return bytes === undefined ? undefined : decodeKept(bytes);
  }

  const rankingOf = (snapshot: Snapshot): Ranking => {
    const ranking = rankings.get(snapshot) ?? create(snapshot, latest);
    rankings.set(snapshot, ranking);
    latest = ranking;
    isPaused = false;
    return ranking;
  };

  const isWanted = (ranking: Ranking): boolean => ranking.isAwaited || (ranking === latest && !isPaused);

  /** Works in slices of a few milliseconds; does not keep an otherwise idle process alive. */
  const run = async (ranking: Ranking): Promise<void> => {
    await pause(ranking);
    while (!isClosed && !isRanker(ranking.ranker)) {
      const step = ranking.ranker.next();
      if (step.done === true) opened(ranking, step.value);
      await pause(ranking);
    }
    while (!isClosed) {
      if (!isWanted(ranking)) return;
      if (!ranking.isCopied && ranking.reading.next().done === true) break;
      await pause(ranking);
    }
    ranking.isDone = !isClosed;
    while (!isClosed && ranking.saving.next().done !== true) await pause(ranking);
    ranking.saving = nothing();
  };

  const start = (ranking: Ranking, before?: Promise<void>): void => {
    if (ranking.running !== undefined || ranking.isDone || isClosed) return;
    running.add(ranking);
    ranking.running = Promise.resolve(before)
      .then(() => run(ranking))
      .finally(() => {
        running.delete(ranking);
        ranking.running = undefined;
      });
  };

  /**
   * Requests a snapshot's ranking. It starts after the previous ranking if a caller waits for that one, so that it can
   * start from a finished index.
   */
  const ask = (snapshot: Snapshot): Ranking => {
    const before = latest;
    const ranking = rankingOf(snapshot);
    start(ranking, before !== ranking && before?.isAwaited === true ? before.running : undefined);
    return ranking;
  };

  return {
    for(snapshot) {
      const ranking = ask(snapshot);
      const { ranker } = ranking;
      return isRanker(ranker) ? ranker : opened(ranking, driveSync(ranker));
    },
    async ready(snapshot) {
      const ranking = ask(snapshot);
      ranking.isAwaited = true;
      // Keeps the process alive while a caller waits.
      const hold = setInterval(() => {}, LONG_MS);
      try {
        while (!ranking.isDone && !isClosed) {
          start(ranking);
          await ranking.running;
        }
      } finally {
        clearInterval(hold);
      }
    },
    pause: () => void (isPaused = true),
    close() {
      isClosed = true;
      // Closes open files, and removes half-written ones.
      for (const { loading, saving } of running) {
        loading.return(undefined);
        saving.return();
      }
    },
  };
}

/** Stores the finished ranker in its ranking, and releases the index image that was loaded. */
function opened(ranking: Ranking, ranker: Ranker): Ranker {
  ranking.ranker = ranker;
  ranking.loading = nothing();
  return ranker;
}

function isRanker(ranker: Ranking['ranker']): ranker is Ranker {
  return 'rank' in ranker;
}

function* nothing(): Generator<void, undefined, void> {}

const LONG_MS = 60_000;
/** How often to check whether a caller has begun to wait. */
const GLANCE_MS = 2;

function pause({ isAwaited }: Ranking): Promise<void> {
  return new Promise((resolve) => {
    if (isAwaited) setImmediate(resolve);
    else setTimeout(resolve, GLANCE_MS).unref();
  });
}
