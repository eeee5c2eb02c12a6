import { describe, expect, it } from 'vitest';
import { createRanker } from '../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { Embed, RankableSkill } from '../../packages/skillwright/src/spec/ranker.ts';

const SKILLS: readonly RankableSkill[] = [
  { id: 'dogs', name: 'dog-report', description: 'Write a report about dogs.' },
  { id: 'cats', name: 'cat-report', description: 'Write a report about cats.' },
  { id: 'cars', name: 'car-report', description: 'Write a report about cars.' },
];

/** Knows that kittens are cats: one dimension for each kind of thing. */
function createToyEmbedder(): { embed: Embed; asked: string[][] } {
  const asked: string[][] = [];
  const kinds = [/dog|puppy/i, /cat|kitten/i, /car\b|cars|engine/i];
  const embed: Embed = (texts) => {
    asked.push(texts);
    return Promise.resolve(texts.map((text) => kinds.map((kind) => (kind.test(text) ? 1 : 0.1))));
  };
  return { embed, asked };
}

const TASK = 'write a report about kittens';

describe('ranking with an embedder', () => {
  it('puts the skill first that means the same', async () => {
    const ranker = createRanker(SKILLS);
    const { embed } = createToyEmbedder();
    const ranked = await ranker.rankAsync(TASK, { embed, threshold: 0 });
    expect(ranked[0]?.id).toBe('cats');
    expect(ranked[0]?.reasons.map(({ rule }) => rule)).toContain('embedding');
    expect(ranked).toHaveLength(3);
  });

  it('asks once for what it has asked before, and again for what has changed', async () => {
    const ranker = createRanker(SKILLS);
    const { embed, asked } = createToyEmbedder();
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    ranker.add([{ id: 'cars', name: 'car-report', description: 'Write a report about engines.' }]);
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    expect(asked.map((texts) => texts.length)).toEqual([4, 1, 2]);
  });

  it('never compares what one embedder answered with what another did', async () => {
    const ranker = createRanker(SKILLS);
    const { embed } = createToyEmbedder();
    const asked: number[] = [];
    const reversed: Embed = async (texts) => {
      asked.push(texts.length);
      return (await embed(texts)).map((vector) => [...vector].reverse());
    };
    const alone = await createRanker(SKILLS).rankAsync(TASK, { embed: reversed, threshold: 0 });
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    expect(await ranker.rankAsync(TASK, { embed: reversed, threshold: 0 })).toEqual(alone);
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    await ranker.rankAsync(TASK, { embed: reversed, threshold: 0 });
    expect(asked).toEqual([4, 4, 1]);
  });

  it('does not ask when nothing fits', async () => {
    const { embed, asked } = createToyEmbedder();
    expect(await createRanker(SKILLS).rankAsync('quantum gravity', { embed })).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('answers what rank does without one', async () => {
    const ranker = createRanker(SKILLS);
    expect(await ranker.rankAsync('cat report', { limit: 1 })).toEqual(ranker.rank('cat report', { limit: 1 }));
  });

  it.each<[string, Embed]>([
    ['throws', () => Promise.reject(new Error('no quota'))],
    [
      'throws at once',
      () => {
        throw new Error('no quota');
      },
    ],
    ['answers too few', () => Promise.resolve([[1, 2]])],
    ['answers no numbers', (texts) => Promise.resolve(texts.map(() => [Number.NaN]))],
    [
      'answers different lengths',
      (texts) => Promise.resolve(texts.map((_, at) => Array.from({ length: at }, () => 1))),
    ],
    ['answers nonsense', () => Promise.resolve('vectors' as unknown as number[][])],
  ])('goes by words alone, and says so, when it %s', async (_, embed) => {
    const ranker = createRanker(SKILLS);
    const ranked = await ranker.rankAsync('report about dogs', { embed, limit: 2, threshold: 0 });
    expect(ranked.map(({ id }) => id)).toEqual(
      ranker.rank('report about dogs', { limit: 2, threshold: 0 }).map(({ id }) => id),
    );
    expect(ranked[0]?.reasons.at(-1)?.rule).toBe('embedding-failed');
  });
});
