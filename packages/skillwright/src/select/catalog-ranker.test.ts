import { describe, expect, it } from 'vitest';
import { createCatalog } from '../catalog/catalog.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { createMemorySource } from '../sources/memory-source.ts';
import { DEFAULT_LIMITS } from '../spec/limits.ts';
import { silentLogger } from '../spec/logger.ts';
import type { RankedSkill } from '../spec/ranker.ts';
import { createCatalogRanker } from './catalog-ranker.ts';

const MAX_BYTES = DEFAULT_LIMITS.maxSkillBytes;
const COUNT = 1_500;

/** Many skills; only the body of the last one says `xylophone`. */
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

  it.each(['lexical', 'additive'] as const)('knows every skill as soon as it is asked for (%s)', (kind) => {
    const ranking = createCatalogRanker({ kind, maxBytes: MAX_BYTES });
    const ranker = ranking.for(snapshot);
    expect(ranker.size).toBe(COUNT);
    expect(ids(ranker.rank('tunes instrument number1499'))[0]).toBe('skill-1499');
    expect(ranking.for(snapshot)).toBe(ranker);
    ranking.close();
  });

  it('knows the bodies when it is ready', async () => {
    const ranking = createCatalogRanker({ maxBytes: MAX_BYTES });
    await ranking.ready(snapshot);
    const ranker = ranking.for(snapshot);
    expect(ranker.bodiesIndexed).toBe(COUNT);
    expect(ids(ranker.rank('xylophone', { threshold: 0 }))).toEqual(['skill-1499']);
    ranking.close();
  });

  it('lets other work run while it gets ready, from the first skill on', async () => {
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

  it('is ready at once when it is closed, and still answers by what it can read at once', async () => {
    const ranking = createCatalogRanker({ maxBytes: MAX_BYTES });
    const ready = ranking.ready(snapshot);
    ranking.close();
    await ready;
    const ranker = ranking.for(snapshot);
    expect([ranker.size, ranker.bodiesIndexed]).toEqual([COUNT, 0]);
  });
});
