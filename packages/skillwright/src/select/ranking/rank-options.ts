import { SkillwrightError } from '../../spec/error.ts';
import type { RankOptions } from '../../spec/ranker.ts';

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
