import type { Build } from './contender.ts';

interface MiniSearchIndex {
  addAll(documents: readonly object[]): void;
  search(query: string, options: object): { id: string; score: number }[];
}

/** MiniSearch as its guide shows it, the fields weighted like ours. */
export const build: Build = async (skills) => {
  const path = new URL('../peers/node_modules/minisearch/dist/es/index.js', import.meta.url).href;
  const { default: MiniSearch } = (await import(path)) as { default: new (options: object) => MiniSearchIndex };
  const index = new MiniSearch({ fields: ['name', 'description', 'tags', 'body'], idField: 'id' });
  index.addAll(skills.map((skill) => ({ ...skill, tags: (skill.tags ?? []).join(' '), body: skill.body ?? '' })));
  const boost = { name: 2, description: 1, tags: 1.5, body: 0.3 };
  return {
    search: (task, limit) =>
      index
        .search(task, { boost })
        .slice(0, limit)
        .map(({ id, score }) => ({ id, strength: score })),
  };
};
