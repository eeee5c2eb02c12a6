import { SkillwrightError } from '../../spec/error.ts';
import type { AsyncRankOptions, RankedSkill, Ranker, RankOptions } from '../../spec/ranker.ts';

/** Which skills may be in an answer at all. */
export interface CandidateFilter {
  /**
   * Says by its id whether a skill may be in the answer. The others are left out before anything is compared: they take
   * no place, are not the best, and reach no threshold for others. How rare words are is still counted over all skills.
   * Asked once for each skill that shares a word with the task. Default: every skill may.
   */
  readonly isCandidate?: ((id: string) => boolean) | undefined;
}

/** A ranker that answers about some of its skills only, where it is told which. */
export interface CandidateRanker extends Ranker {
  rank(task: string, options?: RankOptions & CandidateFilter): RankedSkill[];
  rankAsync(task: string, options?: AsyncRankOptions & CandidateFilter): Promise<RankedSkill[]>;
}

const DEFAULT_LIMIT = 5;

/** The limit, checked: a whole number from 0 on, or Infinity. */
export function takeLimit({ limit = DEFAULT_LIMIT }: RankOptions): number {
  if (limit === Infinity || (Number.isInteger(limit) && limit >= 0)) return limit;
  throw new SkillwrightError('InvalidOptions', `'limit' takes a whole number from 0 on, not ${String(limit)}.`, {
    data: { option: 'limit' },
  });
}

/** The threshold, checked: any finite number. */
export function takeThreshold({ threshold }: RankOptions, fallback: number): number {
  if (threshold === undefined) return fallback;
  if (Number.isFinite(threshold)) return threshold;
  throw new SkillwrightError('InvalidOptions', `'threshold' takes a number, not ${String(threshold)}.`, {
    data: { option: 'threshold' },
  });
}
