import type { SkillRecord } from '../catalog/skill-record.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { parseSkillBody } from '../parse/skill-body.ts';
import type { RankableSkill, Ranker, RankerKind, SkillBody } from '../spec/ranker.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import { createRanker } from './ranking/create-ranker.ts';

/** Rankers for the skills of a catalog, by name. */
export interface CatalogRanker {
  /** The ranker for a snapshot; its bodies are indexed in the background. */
  for(snapshot: Snapshot): Ranker;
  /** Settles when every body of the snapshot is indexed, or the ranker is closed. */
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
    const ranker = createRanker(snapshot.skills.map(toRankable), { ranker: kind });
    const pace: Pace = { isClosed: () => isClosed, isAwaited: () => rankings.get(snapshot)?.isAwaited ?? false };
    const ready = kind === 'additive' ? Promise.resolve() : indexBodies(ranker, snapshot, maxBytes, pace);
    const ranking = { ranker, ready, isAwaited: false };
    rankings.set(snapshot, ranking);
    return ranking;
  };
  return {
    for: (snapshot) => rankingOf(snapshot).ranker,
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
async function indexBodies(ranker: Ranker, snapshot: Snapshot, maxBytes: number, pace: Pace): Promise<void> {
  await pause(pace);
  const slices = ranker.indexBodies(bodiesOf(snapshot, maxBytes));
  while (!pace.isClosed() && slices.next().done !== true) await pause(pace);
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
