import type { CutOptions, Eagerness, RankedSkill, RankerKind } from '../../spec/ranker.ts';
import { takeEagerness, takeMaxSkills } from './rank-options.ts';

/** The confidence that a skill must reach to be shown. */
interface CutLevels {
  /** The minimum for the skill with the highest confidence. If that skill fails, no skill is shown. */
  readonly first: number;
  /** The minimum for every other skill. */
  readonly later: number;
  /** A second minimum for every other skill, as a share of the highest confidence. */
  readonly share: number;
}

/** Chosen on labelled tasks. docs/decisions/0007-ranking.md has the trade-off; `npm run bench:select` measures it. */
const LEVELS: Readonly<Record<Eagerness, CutLevels>> = {
  low: { first: 0.12, later: 0.12, share: 0.1 },
  normal: { first: 0.04, later: 0.01, share: 0.04 },
  high: { first: 0.02, later: 0.01, share: 0.01 },
};

/** The points that `additive` requires of every skill. */
export const LEAST_POINTS = 3;

/**
 * Why the next skill of a ranking is not shown. `none`: there is no next skill. `max-skills`: the allowed number is
 * reached. `unsure`: the skill is too unlikely to fit. `behind`: it is too far behind the best one. `points`: it has
 * too few points, with the ranker `additive`.
 */
export type CutReason = 'none' | 'max-skills' | 'unsure' | 'behind' | 'points';

/** Where a ranking is cut, and why. */
export interface RankingCut {
  /** The skills to show, best first. */
  readonly shown: readonly RankedSkill[];
  /** The best skill that is not shown. */
  readonly next: RankedSkill | undefined;
  /** Why `next` is not shown. */
  readonly reason: CutReason;
  /** The confidence that `next` would have needed to be shown; with `additive`, the points. */
  readonly needed: number | undefined;
}

/** Options of `cutRanking`. */
export interface RankingCutOptions extends CutOptions {
  /** The ranker that made the ranking. Default `lexical`. */
  readonly ranker?: RankerKind | undefined;
}

/**
 * Decides which skills of a plain ranking, best first, to show a model, and says why there are no more.
 *
 * With `lexical`, the confidence decides: the best skill must be likely enough to fit, and every other skill too, and
 * not be far behind the best. So a clear winner is shown alone, and equals are shown together. With `additive`, the
 * points decide, and `eagerness` does not matter.
 */
export function cutRanking(ranked: readonly RankedSkill[], options: RankingCutOptions = {}): RankingCut {
  const most = takeMaxSkills(options);
  const shortfall = options.ranker === 'additive' ? missingPoints : missingConfidence(ranked, options);
  const shown = ranked.filter((skill) => shortfall(skill) === undefined).slice(0, most);
  const next = ranked.find((skill) => !shown.includes(skill));
  if (next === undefined) return { shown, next, reason: 'none', needed: undefined };
  return { shown, next, ...(shortfall(next) ?? { reason: 'max-skills', needed: undefined }) };
}

/** One sentence about where the ranking was cut, with the name or id of the next skill. */
export function describeCut({ shown, next, reason, needed = 0 }: RankingCut): string {
  if (next === undefined)
    return shown.length === 0 ? 'No skill has any word of the task.' : 'No other skill has any word of the task.';
  const { id, confidence, score } = next;
  switch (reason) {
    case 'max-skills':
      return `A task gets at most ${shown.length} ${shown.length === 1 ? 'skill' : 'skills'}; '${id}' would be next.`;
    case 'points':
      return `'${id}' has ${score} points, fewer than ${needed}.`;
    case 'behind':
      return `'${id}' is at ${percent(confidence)}, too far behind the best skill: it would need ${percent(needed)}.`;
    default:
      return `'${id}' is at ${percent(confidence)}, and needs ${percent(needed)} to be shown.`;
  }
}

function percent(share: number): string {
  return share > 0 && share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`;
}

type Shortfall = Pick<RankingCut, 'reason' | 'needed'> | undefined;

function missingPoints({ score }: RankedSkill): Shortfall {
  return score < LEAST_POINTS ? { reason: 'points', needed: LEAST_POINTS } : undefined;
}

function missingConfidence(ranked: readonly RankedSkill[], options: CutOptions): (skill: RankedSkill) => Shortfall {
  const { first, later, share } = LEVELS[takeEagerness(options)];
  const best = ranked.reduce((most, { confidence }) => Math.max(most, confidence), 0);
  return ({ confidence }) => {
    const least = best < first ? first : later;
    if (confidence < least) return { reason: 'unsure', needed: least };
    return confidence < share * best ? { reason: 'behind', needed: share * best } : undefined;
  };
}
