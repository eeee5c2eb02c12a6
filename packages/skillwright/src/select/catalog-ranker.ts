import type { SkillRecord } from '../catalog/skill-record.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { parseSkillBody } from '../parse/skill-body.ts';
import type { RankableSkill, Ranker, RankerKind, SkillBody } from '../spec/ranker.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import { createRanker } from './ranking/create-ranker.ts';

/** Rankers for the skills of a catalog, by name. */
export interface CatalogRanker {
  /** The ranker for a snapshot; it knows every skill, and their bodies are indexed in the background. */
  for(snapshot: Snapshot): Ranker;
  /** Settles when every body of the snapshot is indexed, or the ranker is closed. Nothing is held up meanwhile. */
  ready(snapshot: Snapshot): Promise<void>;
  /** Stops indexing. */
  close(): void;
}

export interface CatalogRankerOptions {
  readonly kind?: RankerKind | undefined;
  /** Longer instructions are not indexed. */
  readonly maxBytes: number;
}

interface Ranking {
  readonly ranker: Ranker;
  /** Adds the skills, slice by slice, as far as they are not there yet. */
  readonly heads: Generator<void, void, void>;
  readonly ready: Promise<void>;
  /** Somebody waits for it: the program is kept alive, and time is not left unused. */
  isAwaited: boolean;
}

/** One ranker for each snapshot, as long as somebody holds the snapshot. */
export function createCatalogRanker({ kind, maxBytes }: CatalogRankerOptions): CatalogRanker {
  const rankings = new WeakMap<Snapshot, Ranking>();
  let isClosed = false;
  const rankingOf = (snapshot: Snapshot): Ranking => {
    const known = rankings.get(snapshot);
    if (known !== undefined) return known;
    const ranker = createRanker([], { ranker: kind });
    const heads = addHeads(ranker, snapshot);
    const pace: Pace = { isClosed: () => isClosed, isAwaited: () => rankings.get(snapshot)?.isAwaited ?? false };
    const bodies = ranker.indexBodies(bodiesOf(snapshot, maxBytes), SLICE_MS);
    const ranking = { ranker, heads, ready: indexInBackground([heads, bodies], pace), isAwaited: false };
    rankings.set(snapshot, ranking);
    return ranking;
  };
  return {
    for(snapshot) {
      const { ranker, heads } = rankingOf(snapshot);
      while (heads.next().done !== true);
      return ranker;
    },
    ready(snapshot) {
      const ranking = rankingOf(snapshot);
      ranking.isAwaited = true;
      // Whoever waits is kept alive.
      const hold = setInterval(() => {}, LONG_MS);
      return ranking.ready.finally(() => clearInterval(hold));
    },
    close: () => void (isClosed = true),
  };
}

interface Pace {
  isClosed(): boolean;
  isAwaited(): boolean;
}

/** In slices of a few milliseconds; a program that has nothing else to do is not kept alive for it. */
async function indexInBackground(parts: readonly Iterator<unknown, void>[], pace: Pace): Promise<void> {
  await pause(pace);
  for (const slices of parts) {
    while (!pace.isClosed() && slices.next().done !== true) await pause(pace);
  }
}

function* addHeads(ranker: Ranker, { skills }: Snapshot): Generator<void, void, void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const skill of skills) {
    ranker.add([toRankable(skill)]);
    if (performance.now() < sliceEnd) continue;
    yield;
    sliceEnd = performance.now() + SLICE_MS;
  }
}

function* bodiesOf(snapshot: Snapshot, maxBytes: number): Generator<SkillBody, void, void> {
  for (const skill of snapshot.skills) {
    const record = snapshot.recordOf(skill);
    const text = record === undefined ? undefined : readBody(record, maxBytes);
    if (text !== undefined) yield { id: skill.name, body: text };
  }
}

/** Read past the cache: who ranks a skill has not loaded it. */
function readBody({ files }: SkillRecord, maxBytes: number): string | undefined {
  try {
    const parsed = parseSkillBody(files.readSkillSync(maxBytes));
    return parsed.ok ? parsed.body : undefined;
  } catch {
    // It is ranked by the rest; whoever loads it is told why.
    return undefined;
  }
}

const LONG_MS = 60_000;
const SLICE_MS = 8;
/** Looks up often whether somebody has begun to wait. */
const GLANCE_MS = 2;

function pause(pace: Pace): Promise<void> {
  return new Promise((resolve) => {
    if (pace.isAwaited()) setImmediate(resolve);
    else setTimeout(resolve, GLANCE_MS).unref();
  });
}

function toRankable({ name, description, whenToUse, tags }: SkillMetadata): RankableSkill {
  return { id: name, name, description, whenToUse, tags };
}
