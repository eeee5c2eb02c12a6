import {
  descriptionCount,
  headingsCount,
  isExcludedByBody,
  isExcludedByHead,
  nameCount,
  tagsCount,
  textCount,
} from '../index/field-bits.ts';
import type { LexicalIndex } from '../index/lexical-index.ts';
import type { Task } from './task.ts';
import { PAYLOAD_BITS } from '../index/postings.ts';
import {
  ABBREVIATION_SHARE,
  BACKGROUND_SKILLS,
  EVERYDAY_SHARE,
  HEADING_WEIGHT,
  NEGATED_SHARE,
  REQUEST_WORD_SHARE,
  SATURATION,
  UNKNOWN_PAIR_SHARE,
  UNKNOWN_SHARE,
} from './weights.ts';

/** What the words of a task give each skill, by slot. */
export interface WordScores {
  /** The sum of the matching words' scores, before any bonus. */
  readonly points: Float32Array;
  /** The weight of the task's words that the skill has. */
  readonly covered: Float32Array;
  /** `covered`, with each word weighted by how much it says about a match: everyday words less, abbreviations more. */
  readonly claimed: Float32Array;
  /**
   * The points from the most telling words: those in the skill's name, description or tags, and abbreviations anywhere.
   */
  readonly tellingPoints: Float32Array;
  /** The weight of the task's words that the skill says it is not for. */
  readonly excluded: Float32Array;
  /** The slots with any points. */
  readonly found: readonly number[];
  /** The weight of each term of the task, in its order. */
  readonly weights: readonly number[];
  /** The sum of `weights`. */
  readonly taskWeight: number;
  /**
   * The sum of `weights`, with each word weighted by how much it says about a match. Words that no skill has count
   * partly.
   */
  readonly taskClaim: number;
  /** The share of the task's words, weighted like `claimed`, that no skill has. Figures count as known. */
  readonly unknownShare: number;
}

/** The weight of a word that this many of the skills have: rarer words weigh more. */
export function rarity(having: number, skills: number): number {
  return Math.log(1 + (skills + BACKGROUND_SKILLS - having + 0.5) / (having + 0.5));
}

/** Scores every skill by BM25F: occurrences weighted by field, summed over the fields, then saturated. */
export function scoreWords(task: Task, index: LexicalIndex): WordScores {
  const slots = index.slots.length;
  const points = new Float32Array(slots);
  const covered = new Float32Array(slots);
  const claimed = new Float32Array(slots);
  const tellingPoints = new Float32Array(slots);
  const excluded = new Float32Array(slots);
  const found: number[] = [];
  const occurrences = createOccurrences(index);
  let taskWeight = 0;
  let taskClaim = 0;
  let wholeClaim = 0;
  let unknownClaim = 0;

  const weights = task.terms.map(({ id, isRequestWord, isEveryday, isPair, isAbbreviation, isFigure, isNegated }) => {
    const having = occurrences.collect(id);
    const tellingSlots = isAbbreviation ? having : occurrences.inHead;
    const kinds = index.kinds.countIn(occurrences.slots, having);
    const weight =
      rarity(kinds, index.kinds.size) * (isRequestWord ? REQUEST_WORD_SHARE : 1) * (isNegated ? NEGATED_SHARE : 1);
    const claim = weight * (isEveryday ? EVERYDAY_SHARE : 1) * (isAbbreviation ? ABBREVIATION_SHARE : 1);
    const told = isEveryday ? EVERYDAY_SHARE : 1;
    taskWeight += weight;
    wholeClaim += claim;
    if (having === 0 && !isFigure) unknownClaim += claim;
    taskClaim += claim * (having > 0 ? 1 : isPair ? UNKNOWN_PAIR_SHARE : UNKNOWN_SHARE);
    for (let at = 0; at < having; at += 1) {
      const slot = occurrences.slots[at] as number;
      const amount = occurrences.take(slot);
      if (points[slot] === 0) found.push(slot);
      const value = weight * (amount / (SATURATION + amount));
      points[slot] = (points[slot] as number) + value;
      if (at < tellingSlots) tellingPoints[slot] = (tellingPoints[slot] as number) + value * told;
      covered[slot] = (covered[slot] as number) + weight;
      claimed[slot] = (claimed[slot] as number) + claim;
    }
    for (const slot of occurrences.against) {
      if (!isRequestWord) excluded[slot] = (excluded[slot] as number) + weight;
    }
    return weight;
  });
  const unknownShare = wholeClaim === 0 ? 0 : unknownClaim / wholeClaim;
  return {
    points,
    covered,
    claimed,

    tellingPoints,
    excluded,
    found,
    weights,
    taskWeight,
    taskClaim,
    unknownShare,
  };
}

/** The occurrences of one term in each skill. */
interface Occurrences {
  /** Finds the skills with the term and returns their number. */
  collect(term: number): number;
  /** How many of the found skills have the term in their head. Their slots come first. */
  readonly inHead: number;
  /** The slots of the skills that `collect` found. Only as many as it returned are valid. */
  readonly slots: Int32Array;
  /** The weighted occurrences of the term in a slot. Reading them resets them, so call this once for each slot. */
  take(slot: number): number;
  /** The slots of skills that say they are not for the term. */
  readonly against: ReadonlySet<number>;
}

function createOccurrences({ slots: { length }, head, body, lengths }: LexicalIndex): Occurrences {
  const entries = new Uint32Array(length);
  const slots = new Int32Array(length);
  const amounts = new Float32Array(length);
  const against = new Set<number>();
  const inName = lengths.name.worths;
  const inDescription = lengths.description.worths;
  const inTags = lengths.tags.worths;
  const inBody = lengths.body.worths;

  function collectHead(term: number): number {
    let having = 0;
    const count = head.read(term, entries);
    for (let at = 0; at < count; at += 1) {
      const entry = entries[at] as number;
      const slot = entry >>> PAYLOAD_BITS;
      const amount =
        nameCount(entry) * (inName[slot] as number) +
        descriptionCount(entry) * (inDescription[slot] as number) +
        tagsCount(entry) * (inTags[slot] as number);
      if (isExcludedByHead(entry)) against.add(slot);
      if (amount === 0) continue;
      amounts[slot] = amount;
      slots[having++] = slot;
    }
    return having;
  }

  function collectBody(term: number, before: number): number {
    let having = before;
    const count = body.read(term, entries);
    for (let at = 0; at < count; at += 1) {
      const entry = entries[at] as number;
      const slot = entry >>> PAYLOAD_BITS;
      const amount = textCount(entry) * (inBody[slot] as number) + headingsCount(entry) * HEADING_WEIGHT;
      if (isExcludedByBody(entry)) against.add(slot);
      if (amount === 0) continue;
      const inHead = amounts[slot] as number;
      if (inHead === 0) slots[having++] = slot;
      amounts[slot] = inHead + amount;
    }
    return having;
  }

  let inHead = 0;
  return {
    slots,
    against,
    get inHead() {
      return inHead;
    },
    collect(term) {
      against.clear();
      inHead = collectHead(term);
      return collectBody(term, inHead);
    },
    take(slot) {
      const amount = amounts[slot] as number;
      amounts[slot] = 0;
      return amount;
    },
  };
}
