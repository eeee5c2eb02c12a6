/** What the confidence of a skill depends on. */
export interface MatchStrength {
  readonly score: number;
  /** The best score in the same answer. */
  readonly best: number;
  /** What the skill's words of the task say about whether it fits, as a share of what they weigh. */
  readonly claimShare: number;
  /** What all words of the task say together, with a part of those that no skill has. */
  readonly taskClaim: number;
  /** What the skill's most telling word of the task says; 0 where none tells anything. */
  readonly telling: number;
  /** What a word weighs that none of the skills has: the most that any word can. */
  readonly rarestWeight: number;
  /** How many skills there are. */
  readonly skills: number;
}

const INTERCEPT = -0.6;
/** By the share of the task that the score makes up. */
const BY_SHARE = 0.77;
/** By the score itself, measured by the most that a word can weigh. */
const BY_STRENGTH = 1.01;
/**
 * By the most telling word. Among few skills that a rare word meets one of them is no accident; among many there is one
 * for every word.
 */
const BY_TELLING = 1.2;
/** Among so many skills that word counts half as much. */
const HALF_SKILLS = 30;
/** By the score against the best one. */
const BY_RANK = 4.71;

/**
 * The chance that a skill fits, by a logistic curve that was fitted on tasks with a fitting skill and as many without.
 * A best score that is far from the task, or made of few and common words, gives a small one.
 */
export function confidenceOf(strength: MatchStrength): number {
  if (!(strength.score > 0)) return 0;
  return chance(ownExponent(strength) + BY_RANK * Math.log(strength.score / strength.best));
}

/** The same as if the skill were the best. */
export function confidenceAlone(strength: MatchStrength): number {
  return strength.score > 0 ? chance(ownExponent(strength)) : 0;
}

function ownExponent({ score, claimShare, taskClaim, telling, rarestWeight, skills }: MatchStrength): number {
  const claimed = score * claimShare;
  return (
    INTERCEPT +
    BY_SHARE * Math.log(claimed / taskClaim) +
    BY_STRENGTH * Math.log(claimed / rarestWeight) +
    (BY_TELLING * telling) / rarestWeight / (1 + skills / HALF_SKILLS)
  );
}

function chance(exponent: number): number {
  return 1 / (1 + Math.exp(-exponent));
}
