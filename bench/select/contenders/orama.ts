import type { Build } from './contender.ts';

interface Orama {
  create: (options: object) => object;
  insertMultiple: (database: object, documents: readonly object[]) => Promise<unknown>;
  search: (database: object, query: object) => Promise<{ hits: { id: string; score: number }[] }>;
}

/** Orama as its guide shows it, with English stemming, the fields weighted like ours. */
export const build: Build = async (skills) => {
  const path = new URL('../peers/node_modules/@orama/orama/dist/esm/index.js', import.meta.url).href;
  const { create, insertMultiple, search } = (await import(path)) as Orama;
  const database = create({
    schema: { name: 'string', description: 'string', tags: 'string', body: 'string' },
    components: { tokenizer: { stemming: true, language: 'english' } },
  });
  const documents = skills.map(({ id, name, description, tags, body }) => ({
    id,
    name,
    description,
    tags: (tags ?? []).join(' '),
    body: body ?? '',
  }));
  await insertMultiple(database, documents);
  const boost = { name: 2, description: 1, tags: 1.5, body: 0.3 };
  return {
    async search(task, limit) {
      // Threshold 1 keeps skills that match any of the words, as the other contenders do.
      const { hits } = await search(database, { term: task, boost, limit, threshold: 1 });
      return hits.map(({ id, score }) => ({ id, strength: score }));
    },
  };
};
