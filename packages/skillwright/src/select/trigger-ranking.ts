import type { RankOptions, RankableSkill, RankedSkill, RankerKind } from '../spec/ranker.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import { createRanker } from './ranking/create-ranker.ts';

/** Ranks some skills for a task, best first; those that do not fit are left out. */
export type RankTask = (
  task: string,
  options: { readonly limit: number } & Pick<RankOptions, 'isCandidate'>,
) => readonly RankedSkill[];

/** Over what is known without reading a body. Ids are names. */
export function createTaskRanking(skills: readonly SkillMetadata[], kind?: RankerKind): RankTask {
  const ranker = createRanker(skills.map(toRankable), { ranker: kind });
  return (task, options) => ranker.rank(task, options);
}

function toRankable({ name, description, whenToUse, tags }: SkillMetadata): RankableSkill {
  return { id: name, name, description, whenToUse, tags };
}
