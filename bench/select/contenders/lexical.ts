import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { RankableSkill, RankedSkill } from '../../../packages/skillwright/src/spec/ranker.ts';
import type { Build, Hit, Searchable } from './contender.ts';

export const build: Build = (skills) => searchWith(createRanker, skills);

/** Indexes the bodies in slices, as a catalog does. */
export function searchWith(create: typeof createRanker, skills: readonly RankableSkill[]): Searchable {
  const ranker = create(skills.map((skill) => ({ ...skill, body: undefined })));
  let longestSliceMs = 0;
  let started = performance.now();
  for (const _ of ranker.indexBodies(skills.map(({ id, body }) => ({ id, body: body ?? '' })))) {
    longestSliceMs = Math.max(longestSliceMs, performance.now() - started);
    started = performance.now();
  }
  return {
    longestSliceMs,
    search: (task, limit) => ranker.rank(task, { limit }).map(toHit),
    shown: (task) => ranker.rank(task).map(toHit),
  };
}

function toHit({ id, confidence }: RankedSkill): Hit {
  return { id, strength: confidence };
}
