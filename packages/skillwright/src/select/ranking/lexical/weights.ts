/**
 * Every number of the lexical ranker. They were chosen on labelled tasks from public skill repositories by
 * cross-validation over repositories and over skills. Nearby values perform about the same, so they are rounded.
 * docs/decisions/0007-ranking.md lists what was tried.
 */

/** How much one occurrence in a field counts, and how strongly long fields are discounted (0 not at all, 1 fully). */
export interface FieldWeight {
  readonly weight: number;
  readonly lengthDiscount: number;
}

export const NAME: FieldWeight = { weight: 1.9, lengthDiscount: 0.3 };
/** `whenToUse` is read as part of the description. */
export const DESCRIPTION: FieldWeight = { weight: 1, lengthDiscount: 0.5 };
export const TAGS: FieldWeight = { weight: 1.5, lengthDiscount: 0.5 };
export const BODY: FieldWeight = { weight: 0.3, lengthDiscount: 0.75 };
/** Added to the body's weight, because headings are part of its text. Not discounted by length. */
export const HEADING_WEIGHT = 0.4;

/** A skill in which a term's weighted occurrences reach this gets half of the term's maximum value. */
export const SATURATION = 2;
/** The relative weight of a word that any request may contain. */
export const REQUEST_WORD_SHARE = 0.4;
/** The relative weight of a word that the task only negates, as in "without a database". */
export const NEGATED_SHARE = 0.15;
/** The relative weight of an everyday word for the confidence. */
export const EVERYDAY_SHARE = 0.5;
/** The relative weight of an abbreviation for the confidence. */
export const ABBREVIATION_SHARE = 2;
/**
 * The relative weight for the confidence of a word that no skill has: names and figures in a task do not show that no
 * skill matches.
 */
export const UNKNOWN_SHARE = 0.4;
/** The relative weight for the confidence of two characters of an unspaced script that no skill has. */
export const UNKNOWN_PAIR_SHARE = 0.15;
/** Virtual skills without any of the words, added to the count so that rarity is meaningful even among three skills. */
export const BACKGROUND_SKILLS = 200;
/**
 * The value of a matching pair of neighboring words, relative to one word of the same rarity. A pair counts once for
 * the head and once for the body.
 */
export const PAIR_SHARE = 0.25;
/** The score is multiplied by the covered share of the task, raised to this power. */
export const COVERAGE_POWER = 0.1;
/** By how much the score grows if the task says the whole name; 1 doubles it. */
export const NAME_BONUS = 0.75;
/** The share of the score that a skill loses if the task matches only what the skill says it is not for. */
export const EXCLUSION_LOSS = 0.5;
/** A skill is out of scope if it says it is not for at least this share of the matching words. */
export const EXCLUSION_LIMIT = 0.45;
/** What is left of the score, and of the confidence, of a skill that is out of scope. */
export const OUT_OF_SCOPE_SHARE = 0.25;
/** What is left of the score of a skill for another programming language than the task's. */
export const OTHER_LANGUAGE_SHARE = 0.5;

/** How many skills are scored in full after the first pass. */
export const CANDIDATES = 100;
/** The most skills that are scored in full if the last of them tie with others. */
export const MOST_TIED = 400;

export const LONGEST_BODY = 12_000;
/** How many words at the start of a body are searched for neighbors. */
export const MOST_PAIRED_TERMS = 600;
export const LONGEST_FIELD = 8_000;
/** A skill's exclusions appear early in its body. */
export const LONGEST_SCOPE = 4_000;
export const LONGEST_TASK = 16_000;
export const MOST_TASK_TERMS = 256;

/** The share of the threshold that every skill after the first must reach by itself: others are noise. */
export const LATER_SHARE = 0.5;
/** A skill with less than this share of the best score is noise too, if there is a threshold at all. */
export const LEAST_SHARE_OF_BEST = 0.15;

/** The default of `RankOptions.threshold`. */
export const LEAST_CONFIDENCE = 0.03;
