import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { Build } from './contender.ts';

export const build: Build = (skills) => {
  const ranker = createRanker(skills.map((skill) => ({ ...skill, body: undefined })));
  for (const { id, body } of skills) ranker.setBody(id, body ?? '');
  return {
    search: (task, limit) => ranker.rank(task, { limit }).map(({ id, confidence }) => ({ id, strength: confidence })),
  };
};
