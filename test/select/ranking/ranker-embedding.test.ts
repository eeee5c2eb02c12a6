import { describe, expect, it } from 'vitest';
import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { Embed, RankableSkill } from '../../../packages/skillwright/src/spec/ranker.ts';

const SKILLS: readonly RankableSkill[] = [
  { id: 'dogs', name: 'dog-report', description: 'Write a report about dogs.' },
  { id: 'cats', name: 'cat-report', description: 'Write a report about cats.' },
  { id: 'cars', name: 'car-report', description: 'Write a report about cars.' },
];

/** Knows that kittens are cats: it has one dimension per subject. */
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
  it('ranks the skill with the same meaning first', async () => {
    const ranker = createRanker(SKILLS);
    const { embed } = createToyEmbedder();
    const ranked = await ranker.rankAsync(TASK, { embed, threshold: 0 });
    expect(ranked[0]?.id).toBe('cats');
    expect(ranked[0]?.reasons.map(({ rule }) => rule)).toContain('embedding');
    expect(ranked).toHaveLength(3);
  });

  it('embeds each text once, and again after it changed', async () => {
    const ranker = createRanker(SKILLS);
    const { embed, asked } = createToyEmbedder();
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    ranker.add([{ id: 'cars', name: 'car-report', description: 'Write a report about engines.' }]);
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    expect(asked.map((texts) => texts.length)).toEqual([4, 1, 2]);
  });

  it('never compares vectors of two different embedders', async () => {
    const ranker = createRanker(SKILLS);
    const { embed } = createToyEmbedder();
    const asked: number[] = [];
    const reversed: Embed = async (texts, options) => {
      asked.push(texts.length);
      return (await embed(texts, options)).map((vector) => Array.from(vector).reverse());
    };
    const alone = await createRanker(SKILLS).rankAsync(TASK, { embed: reversed, threshold: 0 });
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    expect(await ranker.rankAsync(TASK, { embed: reversed, threshold: 0 })).toEqual(alone);
    await ranker.rankAsync(TASK, { embed, threshold: 0 });
    await ranker.rankAsync(TASK, { embed: reversed, threshold: 0 });
    expect(asked).toEqual([4, 4, 1]);
  });

  it('finds skills by meaning without a shared word, and nothing for an unrelated task', async () => {
    const ranker = createRanker(SKILLS);
    const { embed } = createToyEmbedder();
    expect(ranker.rank('my kitten')).toEqual([]);
    const ranked = await ranker.rankAsync('my kitten', { embed });
    expect(ranked.map(({ id }) => id)).toEqual(['cats']);
    expect(ranked[0]).toMatchObject({ score: 0, reasons: [{ rule: 'embedding' }] });
    expect(ranked[0]?.confidence).toBeGreaterThan(0.5);
    expect(await ranker.rankAsync('quantum gravity', { embed })).toEqual([]);
  });

  it('adds skills by meaning that words alone leave below the threshold', async () => {
    const ranker = createRanker(SKILLS);
    const { embed } = createToyEmbedder();
    const task =
      'the engine of my neighbour, her garden and the long way home through the forest in the rain, a report';
    expect(ranker.rank(task, { threshold: 0.2 })).toEqual([]);
    expect((await ranker.rankAsync(task, { embed, threshold: 0.2 })).map(({ id }) => id)).toEqual(['cars']);
  });

  it('does not add a skill that excludes the task or is not allowed', async () => {
    const { embed } = createToyEmbedder();
    const picky = { id: 'picky', name: 'animal-report', description: 'About cats, the musical. Not for kittens.' };
    const ranker = createRanker([...SKILLS, picky]);
    expect((await ranker.rankAsync('kittens', { embed })).map(({ id }) => id)).toEqual(['cats']);
    expect(await ranker.rankAsync('kittens', { embed, isCandidate: (id) => id === 'dogs' })).toEqual([]);
  });

  it('embeds when_to_use and the tags', async () => {
    const { embed, asked } = createToyEmbedder();
    const skill = {
      id: 'a',
      name: 'walks',
      description: 'Plan walks.',
      whenToUse: 'With a dog.',
      tags: ['puppy', 'park'],
    };
    await createRanker([skill]).rankAsync('x', { embed });
    expect(asked[0]).toEqual(['x', 'walks: Plan walks.\nWith a dog.\npuppy, park']);
  });

  it('compares all of a few skills, or the nearest of many', async () => {
    const many = Array.from({ length: 201 }, (_, at) => ({
      id: `s${at}`,
      name: `s${at}`,
      description: 'Write reports.',
    }));
    const { embed, asked } = createToyEmbedder();
    await createRanker(many.slice(1)).rankAsync('kitten', { embed });
    await createRanker(many).rankAsync('kitten', { embed });
    await createRanker(many).rankAsync('write reports', { embed });
    expect(asked.map(({ length }) => length)).toEqual([201, 51]);
  });

  it('returns the same as rank without an embedder', async () => {
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
    ['returns too few vectors', () => Promise.resolve([[1, 2]])],
    ['returns values that are not numbers', (texts) => Promise.resolve(texts.map(() => [Number.NaN]))],
    [
      'returns vectors of different lengths',
      (texts) => Promise.resolve(texts.map((_, at) => Array.from({ length: at }, () => 1))),
    ],
    ['returns nonsense', () => Promise.resolve('vectors' as unknown as number[][])],
    ['returns null', () => Promise.resolve(null as unknown as number[][])],
    ['returns empty vectors', (texts) => Promise.resolve(texts.map(() => []))],
    ['returns lists with holes', (texts) => Promise.resolve(texts.map(() => Array<number>(3)))],
    ['returns numbers that are too large', (texts) => Promise.resolve(texts.map((_, at) => [1e200 * (at + 1), 1e200]))],
    ['returns BigInts', (texts) => Promise.resolve(texts.map(() => BigInt64Array.of(1n) as unknown as number[]))],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a host may throw anything
    ['rejects with nothing', () => Promise.reject(null)],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a host may throw anything
    ['rejects with an object that cannot be converted to text', () => Promise.reject(Object.create(null))],
    ['fails with a long message', () => Promise.reject(new Error('x'.repeat(100_000)))],
    [
      'returns an object that throws when it is read',
      () =>
        Promise.resolve(
          new Proxy([] as number[][], {
            get(target, key) {
              if (key === 'length') throw new Error('trap');
              return Reflect.get(target, key) as unknown;
            },
          }),
        ),
    ],
  ])('ranks by words alone, and says so, when it %s', async (_, embed) => {
    const ranker = createRanker(SKILLS);
    const ranked = await ranker.rankAsync('report about dogs', { embed, limit: 2, threshold: 0 });
    expect(ranked.map(({ id }) => id)).toEqual(
      ranker.rank('report about dogs', { limit: 2, threshold: 0 }).map(({ id }) => id),
    );
    expect(ranked[0]?.reasons.at(-1)?.rule).toBe('embedding-failed');
    expect(ranked[0]?.reasons.at(-1)?.terms.join('').length).toBeLessThanOrEqual(200);
  });

  it.each<[string, (values: number[]) => ArrayLike<number>]>([
    ['Float32Array', (values) => Float32Array.from(values)],
    ['Float64Array', (values) => Float64Array.from(values)],
    ['Int8Array', (values) => Int8Array.from(values, (value) => value * 100)],
  ])('accepts vectors that are a %s', async (_, convert) => {
    const { embed } = createToyEmbedder();
    const typed: Embed = async (texts, options) =>
      (await embed(texts, options)).map((vector) => convert(Array.from(vector)));
    const [best] = await createRanker(SKILLS).rankAsync('my kitten', { embed: typed });
    expect(best?.id).toBe('cats');
  });

  it('ranks by words when the embedder times out, and aborts its signal', async () => {
    let told: AbortSignal | undefined;
    const hanging: Embed = (_texts, { signal }) => {
      told = signal;
      return new Promise(() => {});
    };
    const [best] = await createRanker(SKILLS).rankAsync('report about dogs', { embed: hanging, embedTimeoutMs: 5 });
    expect(best?.id).toBe('dogs');
    expect(best?.reasons.at(-1)).toMatchObject({
      rule: 'embedding-failed',
      terms: ['the embedder did not respond within 5 ms'],
    });
    expect(told?.aborted).toBe(true);
  });

  it('ranks by words when the wait is aborted, before it begins or during it', async () => {
    const ranker = createRanker(SKILLS);
    for (const isEarly of [true, false]) {
      const ending = new AbortController();
      const embed: Embed = () => {
        ending.abort();
        return new Promise(() => {});
      };
      if (isEarly) ending.abort();
      const [best] = await ranker.rankAsync('report about dogs', { embed, signal: ending.signal });
      expect(best?.reasons.at(-1)).toMatchObject({ terms: ['the embedding request was cancelled'] });
    }
  });

  it('embeds again after the embedder was replaced', async () => {
    let length = 3;
    const embed: Embed = (texts) => Promise.resolve(texts.map((text) => Array.from({ length }, () => text.length)));
    const ranker = createRanker(SKILLS);
    const ruleOf = async (): Promise<string | undefined> =>
      (await ranker.rankAsync('report about dogs', { embed }))[0]?.reasons.at(-1)?.rule;
    expect(await ruleOf()).toBe('embedding');
    length = 2;
    expect(await ruleOf()).toBe('embedding-failed');
    expect(await ruleOf()).toBe('embedding');
  });

  it.each([{ embedTimeoutMs: 0 }, { embedTimeoutMs: Number.NaN }, { embed: 'model' }, { embedd: () => [] }])(
    'refuses %j',
    async (options) => {
      await expect(createRanker(SKILLS).rankAsync('x', options as never)).rejects.toMatchObject({
        code: 'InvalidOptions',
      });
    },
  );
});
