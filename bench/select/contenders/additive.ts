import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { Build } from './contender.ts';

export const build: Build = (skills) => {
  const ranker = createRanker(skills, { ranker: 'additive' });
  return { search: (task, limit) => ranker.rank(task, { limit }).map(({ id, score }) => ({ id, strength: score })) };
};
