import type { IndexCache } from '../../catalog/index-cache/index-cache.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { driveSync } from '../../sources/directory/drive.ts';
import type { Ranker, RankerKind } from '../../spec/ranker.ts';
import { VERSION } from '../../spec/program.ts';
import { decodeKept, encodeKept, type KeptIndex } from './kept-index.ts';
import { createAdditiveRanker } from '../ranking/additive/additive-ranker.ts';
import { createLexicalRanker } from '../ranking/lexical/lexical-ranker.ts';
import { SnapshotIndex, toRankable } from './snapshot-index.ts';

/** Rankers for the skills of a catalog, by name. */
export interface CatalogRanker {
  /** The ranker for a snapshot; it knows every skill, and their bodies are indexed in the background. */
  for(snapshot: Snapshot): Ranker;
  /** Settles when every body of the snapshot is indexed, or the ranker is closed. Nothing is held up meanwhile. */
  ready(snapshot: Snapshot): Promise<void>;
  /** Stops indexing that nobody waits for, until the ranker is asked again. */
  pause(): void;
  /** Stops indexing. */
  close(): void;
}

export interface CatalogRankerOptions {
  readonly kind?: RankerKind | undefined;
  /** Longer instructions are not indexed. */
  readonly maxBytes: number;
  /** Where a built index is kept for the next process. Default: nowhere. */
  readonly cache?: IndexCache | undefined;
}

/** What is done for one snapshot, each part in slices, one after the other. */
interface Ranking {
  readonly index: SnapshotIndex;
  /** Once it knows every skill; until then, what gets it there. */
  ranker: Ranker | Generator<void, Ranker, void>;
  /** Gets hold of an index to begin with, on the way to the ranker. */
  loading: Generator<void, KeptIndex | undefined, void>;
  readonly reading: Generator<void, void, void>;
  saving: Generator<void, void, void>;
  running: Promise<void> | undefined;
  isDone: boolean;
  /** Somebody waits for it: the program is kept alive, and time is not left unused. */
  isAwaited: boolean;
  /** Another begins with its index, which must not change meanwhile. */
  isCopied: boolean;
}

const SEGMENT = 'ranking';
/** Goes up whenever a skill is indexed in another way. */
const INDEX_FORMAT = 1;
/** A kept index in which fewer than one skill of so many has changed is left as it is. */
const WORTH_SAVING = 50;

/**
 * One ranker for each snapshot, as long as somebody holds the snapshot. The index of a new snapshot begins with that of
 * the one before, or with what an earlier process has kept: only what changed is indexed again.
 */
export function createCatalogRanker({ kind, maxBytes, cache }: CatalogRankerOptions): CatalogRanker {
  const rankings = new WeakMap<Snapshot, Ranking>();
  const running = new Set<Ranking>();
  const key = JSON.stringify([VERSION, INDEX_FORMAT, maxBytes]);
  /** The ranking that was requested last. The indexing of others continues only if a caller waits for them. */
  let latest: Ranking | undefined;
  let isClosed = false;
  let isPaused = false;
  /** Skills that have changed since the index was kept; so many are worth it. */
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

  /** In slices of a few milliseconds; a program that has nothing else to do is not kept alive for it. */
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

  /** A requested ranking goes first: those that build on its index then have less to do. */
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

/** Keeps the ranker, and drops the loading that still holds the index image. */
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
/** Looks up often whether somebody has begun to wait. */
const GLANCE_MS = 2;

function pause({ isAwaited }: Ranking): Promise<void> {
  return new Promise((resolve) => {
    if (isAwaited) setImmediate(resolve);
    else setTimeout(resolve, GLANCE_MS).unref();
  });
}
