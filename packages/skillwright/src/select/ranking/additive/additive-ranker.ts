import type { RankableSkill, RankedSkill, Ranker, RankOptions } from '../../../spec/ranker.ts';
import { type AdditiveSkill, scoreAdditive, toAdditiveSkill, toContext } from './additive-score.ts';
import { assertAsyncRanking, assertRanking, takeLimit, takeThreshold } from '../rank-options.ts';
import { compareScored } from '../tie-order.ts';

/** Fewer points than this fit nothing. */
const LEAST_POINTS = 3;
/** With so many points the confidence is one half. */
const HALF_POINTS = 12;
/** Strings and arrays of one skill, about. */
const BYTES_PER_SKILL = 4_000;

/**
 * Ranks by the documented table of points. It compares whole tokens, knows nothing of rarity and does not read bodies:
 * simple enough to predict by hand, and the weaker of the two.
 */
export function createAdditiveRanker(skills: Iterable<RankableSkill>): Ranker {
  const entries = new Map<string, AdditiveSkill>();
  const ranker: Ranker = {
    rank(task, options = {}) {
      assertRanking(task, options);
      return rankByPoints(task, options, entries.values());
    },
    async rankAsync(task, options = {}) {
      assertAsyncRanking(task, options);
      return rankByPoints(task, options, entries.values());
    },
    add(added) {
      for (const skill of added) entries.set(skill.id, toAdditiveSkill(skill));
    },
    remove(ids) {
      for (const id of ids) entries.delete(id);
    },
    setBody: () => {},
    *indexBodies() {},
    get size() {
      return entries.size;
    },
    bodiesIndexed: 0,
    get memoryBytes() {
      return entries.size * BYTES_PER_SKILL;
    },
  };
  ranker.add(skills);
  return ranker;
}

function rankByPoints(task: string, options: RankOptions, entries: Iterable<AdditiveSkill>): RankedSkill[] {
  const limit = takeLimit(options);
  const threshold = takeThreshold(options, LEAST_POINTS);
  const context = toContext(task, options.backgroundReason, options.provider);
  return [...entries]
    .map((entry) => {
      const reasons = scoreAdditive(entry, context);
      return { skill: entry.skill, score: reasons.reduce((sum, { points }) => sum + points, 0), reasons };
    })
    .filter(({ score, skill }) => score >= threshold && score > 0 && (options.isCandidate?.(skill.id) ?? true))
    .sort(compareScored)
    .slice(0, limit)
    .map(({ skill, score, reasons }) => ({ id: skill.id, score, confidence: score / (score + HALF_POINTS), reasons }));
}
