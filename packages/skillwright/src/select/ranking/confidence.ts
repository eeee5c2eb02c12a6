/** What the confidence of a skill depends on. */
export interface MatchStrength {
  readonly score: number;
  /** The best score in the same answer. */
  readonly best: number;
  /** What the task's words weigh together, those that no skill has included. */
  readonly taskWeight: number;
  /** What a word weighs that none of the skills has: the most that any word can. */
  readonly rarestWeight: number;
}

const INTERCEPT = -0.4;
/** By the share of the task that the score makes up. */
const BY_SHARE = 0.77;
/** By the score itself, measured by the most that a word can weigh. */
const BY_STRENGTH = 1.01;
/** By the score against the best one. */
const BY_RANK = 4.71;

/**
 * The chance that a skill fits, by a logistic curve that was fitted on tasks with a fitting skill and as many without.
 * A best score that is far from the task, or made of few and common words, gives a small one.
 */
export function confidenceOf({ score, best, taskWeight, rarestWeight }: MatchStrength): number {
  if (!(score > 0)) return 0;
  const share = Math.log(score / taskWeight);
  const strength = Math.log(score / rarestWeight);
  const exponent = INTERCEPT + BY_SHARE * share + BY_STRENGTH * strength + BY_RANK * Math.log(score / best);
  return 1 / (1 + Math.exp(-exponent));
}
