import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCatalog, type Catalog } from '../../catalog/catalog.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { createMemorySource } from '../../sources/memory-source.ts';
import { DEFAULT_LIMITS } from '../../spec/limits.ts';
import { silentLogger } from '../../spec/events/logger.ts';
import type { RankedSkill } from '../../spec/ranker.ts';
import type { SkillSource } from '../../spec/source.ts';
import { createCatalogRanker } from './catalog-ranker.ts';

const MAX_BYTES = DEFAULT_LIMITS.maxSkillBytes;
const COUNT = 1_500;

/** Many skills; only the body of the last one contains `xylophone`. */
function snapshotOfMany(): Snapshot {
  const list = Array.from({ length: COUNT }, (_, at) => ({
    directory: `skill-${at}`,
    files: {
      'SKILL.md': `---\nname: skill-${at}\ndescription: Tunes instrument number${at} of the orchestra.\n---\n${
        at === COUNT - 1 ? 'Mind the xylophone.' : 'Mind the strings.'
      }\n`,
    },
  }));
  const sources = [createMemorySource(list)];
  const emit = (): void => {};
  const options = { sources, limits: DEFAULT_LIMITS, strict: false, thorough: false, logger: silentLogger, emit };
  return createCatalog(options).refreshSync();
}

const ids = (ranked: readonly RankedSkill[]): string[] => ranked.map(({ id }) => id);

describe('the ranker of a catalog', () => {
  const snapshot = snapshotOfMany();

  it.each(['lexical', 'additive'] as const)('knows every skill at the first query (%s)', (kind) => {
    const ranking = createCatalogRanker({ kind, maxBytes: MAX_BYTES });
    const ranker = ranking.for(snapshot);
    expect(ranker.size).toBe(COUNT);
    expect(ids(ranker.rank('tunes instrument number1499'))[0]).toBe('skill-1499');
    expect(ranking.for(snapshot)).toBe(ranker);
    ranking.close();
  });

  it('knows the bodies once it is ready', async () => {
    const ranking = createCatalogRanker({ maxBytes: MAX_BYTES });
    await ranking.ready(snapshot);
    const ranker = ranking.for(snapshot);
    expect(ranker.bodiesIndexed).toBe(COUNT);
    expect(ids(ranker.rank('xylophone', { threshold: 0 }))).toEqual(['skill-1499']);
    ranking.close();
  });

  it('lets other work run while it indexes, from the first skill on', async () => {
    const ranking = createCatalogRanker({ maxBytes: MAX_BYTES });
    let turns = 0;
    let isReady = false;
    const count = (): void => {
      turns += 1;
      if (!isReady) setImmediate(count);
    };
    setImmediate(count);
    await ranking.ready(snapshot);
    isReady = true;
    expect(turns).toBeGreaterThan(2);
    ranking.close();
  });

  it('is ready at once when it is closed, and still answers from what it knows', async () => {
    const ranking = createCatalogRanker({ maxBytes: MAX_BYTES });
    const ready = ranking.ready(snapshot);
    ranking.close();
    await ready;
    const ranker = ranking.for(snapshot);
    expect([ranker.size, ranker.bodiesIndexed]).toEqual([COUNT, 0]);
  });
});

/** Skills that count how often their instructions are read. */
function countedCatalog(count: number): { catalog: Catalog; bodies: string[]; reads: () => number } {
  const bodies = Array.from({ length: count }, (_, at) => `Mind the strings of ${at}.`);
  let read = 0;
  const list = bodies.map((_, at) => ({
    directory: `skill-${at}`,
    files: {
      get 'SKILL.md'() {
        return `---\nname: skill-${at}\ndescription: Tunes number${at}.\n---\n${bodies[at]}\n`;
      },
    },
  }));
  const source = createMemorySource(list);
  const counting: SkillSource = {
    ...source,
    *scan(context) {
      for (const step of createMemorySource(list).scan(context)) {
        if (step.type !== 'candidates') yield step;
        else
          yield {
            ...step,
            candidates: step.candidates.map((candidate) => ({
              ...candidate,
              files: {
                ...candidate.files,
                readSkillSync(maxBytes: number) {
                  read += 1;
                  return candidate.files.readSkillSync(maxBytes);
                },
              },
            })),
          };
      }
    },
  };
  const emit = (): void => {};
  const options = { limits: DEFAULT_LIMITS, strict: false, thorough: false, logger: silentLogger, emit };
  return { catalog: createCatalog({ sources: [counting], ...options }), bodies, reads: () => read };
}

describe('the ranker of a catalog that is discovered again', () => {
  it('reuses the existing index, and reindexes only changed skills', async () => {
    const { catalog, bodies } = countedCatalog(50);
    const ranking = createCatalogRanker({ maxBytes: MAX_BYTES });
    const first = catalog.refreshSync();
    await ranking.ready(first);
    bodies[7] = 'Mind the xylophone.';
    const second = catalog.refreshSync();
    const ranker = ranking.for(second);
    expect(ranker.bodiesIndexed).toBe(50);
    await ranking.ready(second);
    expect(ids(ranker.rank('xylophone', { threshold: 0 }))).toEqual(['skill-7']);
    expect(ids(ranking.for(first).rank('xylophone', { threshold: 0 }))).toEqual([]);
    const fresh = createCatalogRanker({ maxBytes: MAX_BYTES });
    await fresh.ready(second);
    const task = 'mind the strings of number7';
    expect(ranker.rank(task, { limit: 50 })).toEqual(fresh.for(second).rank(task, { limit: 50 }));
    ranking.close();
    fresh.close();
  });

  it('does not go on indexing an outdated snapshot unless a caller waits for it', async () => {
    const { catalog, reads } = countedCatalog(200);
    const ranking = createCatalogRanker({ maxBytes: MAX_BYTES });
    const first = catalog.refreshSync();
    const second = catalog.refreshSync();
    const old = ranking.for(first);
    await ranking.ready(second);
    expect(reads()).toBe(200);
    expect(old.bodiesIndexed).toBe(0);
    await ranking.ready(first);
    expect([old.bodiesIndexed, reads()]).toEqual([200, 400]);
    ranking.close();
  });

  it('stops when paused, and continues when asked again', async () => {
    const { catalog, reads } = countedCatalog(200);
    const ranking = createCatalogRanker({ maxBytes: MAX_BYTES });
    const snapshot = catalog.refreshSync();
    ranking.for(snapshot);
    ranking.pause();
    // Timers fire in order, and the ranker's was set earlier.
    await setTimeout(5);
    expect(reads()).toBe(0);
    await ranking.ready(snapshot);
    expect(ranking.for(snapshot).bodiesIndexed).toBe(200);
    ranking.close();
  });
});
