/** What decides how likely a skill is to fit a task. */
export interface Evidence {
  readonly score: number;
  /** The best score in the same ranking. */
  readonly best: number;
  /** The best score of a skill with another description than the best one; 0 if there is none. */
  readonly second: number;
  /**
   * How much the matching words say about a match, relative to their weight: everyday words less, abbreviations more.
   */
  readonly claimShare: number;
  /** The total weight of the task's words for the confidence. Words that no skill has count partly. */
  readonly taskClaim: number;
  /** The skill's points from the most telling words: words in its name, description or tags, and abbreviations. */
  readonly tellingPoints: number;
  /** The share of the task's words, by weight, that no skill has. Figures count as words that skills have. */
  readonly unknownShare: number;
  /** The weight of a word that no skill has, which is the highest possible weight. */
  readonly rarestWeight: number;
  /** How many skills there are, and how many of them have an indexed body. */
  readonly skills: number;
  readonly bodies: number;
}

/**
 * The intercept, and the coefficient of each factor of `factorsOf`. `node bench/select/fit.ts` fits them on a labeled
 * set; docs/decisions/0007-ranking.md says on which, and how well they hold for repositories that were left out.
 */
const INTERCEPT = -1.05;
const COEFFICIENTS: readonly number[] = [0.84, 4.01, 3.54, -2.81, 0.45];

/** The minimum weight of a task, as a multiple of the rarest word's weight, because "yes" or "go on" is not a task. */
const LEAST_CLAIM = 2;

/** A lead over the second-best skill that is smaller than this share of the rarest word's weight says nothing. */
const LEAST_LEAD = 0.2;
/**
 * With this many indexed heads and bodies, words that no skill has count half. A small index lacks many words, whatever
 * the task.
 */
const HALF_KNOWN = 20;

/**
 * The factors whose weighted sum, on a logistic curve, is the confidence.
 * @internal Exported for bench/select/fit.ts.
 */
export function factorsOf(evidence: Evidence): number[] {
  const { score, best, second, claimShare, rarestWeight, skills, bodies } = evidence;
  const taskClaim = Math.max(evidence.taskClaim, LEAST_CLAIM * rarestWeight);
  const lead = score === best ? ((best - second) * claimShare) / rarestWeight : 0;
  const texts = skills + bodies;
  return [
    // How much of the task the skill covers.
    Math.log((score * claimShare) / taskClaim),
    // How near the skill's score is to the best score and, for the best skill, how far ahead it is.
    Math.log(score / best),
    Math.log(1 + Math.max(0, lead - LEAST_LEAD)),
    // Whether the task is about something that no skill mentions.
    (evidence.unknownShare * texts) / (texts + HALF_KNOWN),
    // Whether the matching words are in the skill's name, description or tags, or only somewhere in its body.
    Math.log(1 + evidence.tellingPoints),
  ];
}

/** The probability that a skill fits. */
export function confidenceOf(evidence: Evidence): number {
  if (!(evidence.score > 0)) return 0;
  const exponent = factorsOf(evidence).reduce((sum, factor, at) => sum + factor * (COEFFICIENTS[at] ?? 0), INTERCEPT);
  return 1 / (1 + Math.exp(-exponent));
}

/** The confidence if another skill had the same score and none had a better one. */
export function confidenceAlone(evidence: Evidence): number {
  return confidenceOf({ ...evidence, best: evidence.score, second: evidence.score });
}
