/**
 * Every number of the lexical ranker. They were chosen on labelled tasks from public skill repositories by
 * cross-validation over repositories and over skills; the surface is flat around them, so round values stand.
 * docs/decisions/0007-ranking.md says what was tried.
 */

/** How much one occurrence in a field counts, and how strongly long fields are discounted (0 not at all, 1 in full). */
export interface FieldWeight {
  readonly weight: number;
  readonly lengthDiscount: number;
}

export const NAME: FieldWeight = { weight: 2, lengthDiscount: 0.3 };
/** `whenToUse` is read as part of the description. */
export const DESCRIPTION: FieldWeight = { weight: 1, lengthDiscount: 0.5 };
export const TAGS: FieldWeight = { weight: 1.5, lengthDiscount: 0.5 };
export const BODY: FieldWeight = { weight: 0.3, lengthDiscount: 0.75 };
/** On top of the body, whose text the headings are part of. Not discounted by length. */
export const HEADING_WEIGHT = 0.4;

/** With this much of a term a skill has half of what the term can give. */
export const SATURATION = 2;
/** What a word that any request may hold counts, against others. */
export const REQUEST_WORD_SHARE = 0.4;
/** What an everyday word counts for the confidence, against others. */
export const EVERYDAY_SHARE = 0.5;
/** What an abbreviation counts as the most telling word of a task, against others. */
export const ABBREVIATION_SHARE = 3;
/** What a word that no skill has counts for the confidence: names and figures of a task do not show that no skill fits. */
export const UNKNOWN_SHARE = 0.4;
/** The same for two characters of a script without spaces. */
export const UNKNOWN_PAIR_SHARE = 0.15;
/** Skills without any of the words, added to the pool, so that rarity means something among three skills too. */
export const BACKGROUND_SKILLS = 200;
/** What a pair of neighboring words adds, against one word of the same rarity, in the head and again in the body. */
export const PAIR_SHARE = 0.25;
/** The share of the task that a skill covers enters the score to this power. */
export const COVERAGE_POWER = 0.1;
/** A task that says the whole name makes the score this much larger, 1 being twice as large. */
export const NAME_BONUS = 0.75;
/** How much of the score is lost when all that matches is what the skill says it is not for. */
export const EXCLUSION_LOSS = 0.5;
/** A skill is dropped when this share of what matches is what it says it is not for. */
export const EXCLUSION_LIMIT = 0.45;

/** How many skills are scored in full after the first pass. */
export const CANDIDATES = 100;
/** And so many more at most, where the last of them tie with others. */
export const MOST_TIED = 400;

export const LONGEST_BODY = 12_000;
/** How many words at the start of a body are searched for neighbors. */
export const MOST_PAIRED_TERMS = 600;
export const LONGEST_FIELD = 8_000;
/** What a skill is not for stands early in its body. */
export const LONGEST_SCOPE = 4_000;
export const LONGEST_TASK = 16_000;
export const MOST_TASK_TERMS = 256;

/** What every skill after the first must reach by itself, as a share of the threshold: the others are noise. */
export const LATER_SHARE = 0.5;
/** A skill with less of the best score than this is noise too, if there is a threshold at all. */
export const LEAST_SHARE_OF_BEST = 0.15;

/** The default of `RankOptions.threshold`. */
export const LEAST_CONFIDENCE = 0.04;
