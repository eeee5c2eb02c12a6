import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { Build } from './contender.ts';

export const build: Build = (skills) => {
  const ranker = createRanker(skills.map((skill) => ({ ...skill, body: undefined })));
  let longestSliceMs = 0;
  let started = performance.now();
  for (const _ of ranker.indexBodies(skills.map(({ id, body }) => ({ id, body: body ?? '' })))) {
    longestSliceMs = Math.max(longestSliceMs, performance.now() - started);
    started = performance.now();
  }
  return {
    longestSliceMs,
    search: (task, limit) => ranker.rank(task, { limit }).map(({ id, confidence }) => ({ id, strength: confidence })),
  };
};
