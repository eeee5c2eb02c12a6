import type { RankedSkill } from '../../spec/ranker.ts';
import type { SkillMetadata, SkillMode } from '../../spec/skill.ts';
import { describeRankReason } from './selection-reason.ts';

/** A skill that is put before a model as it is. */
export interface InjectedSkill {
  readonly skill: SkillMetadata;
  readonly mode: SkillMode;
  /** As the ranker gave it; absent for a skill that is `on`. */
  readonly score?: number;
  readonly reasons: readonly string[];
}

export function alwaysThere(skill: SkillMetadata): InjectedSkill {
  return { skill, mode: 'on', reasons: ["Its mode is 'on': it is always there."] };
}

export function rankedHigh(skill: SkillMetadata, { score, reasons }: RankedSkill): InjectedSkill {
  return { skill, mode: 'auto', score, reasons: reasons.map(describeRankReason) };
}
