import type { RankableSkill, RankOptions } from '../../../spec/ranker.ts';
import type { IndexedSkill, LexicalIndex } from '../index/lexical-index.ts';
import { rarity, type WordScores } from './scores.ts';
import { languageOf } from './language.ts';
import type { Task } from './task.ts';
import {
  CANDIDATES,
  COVERAGE_POWER,
  EXCLUSION_LIMIT,
  EXCLUSION_LOSS,
  MOST_TIED,
  NAME_BONUS,
  OTHER_LANGUAGE_SHARE,
  OUT_OF_SCOPE_SHARE,
  PAIR_SHARE,
} from './weights.ts';
import { compareScored, compareTied, type Scored, takeFirst } from '../tie-order.ts';
import { PairFinder } from '../index/word-pairs.ts';

/** A fully scored skill, with each rule's share of its score. */
export interface Candidate extends Scored {
  readonly slot: number;
  readonly wordPoints: number;
  readonly pairPoints: number;
  readonly pairs: readonly string[];
  readonly coverageFactor: number;
  readonly nameFactor: number;
  readonly exclusionFactor: number;
  readonly languageFactor: number;
  /** Whether the task mostly matches what the skill says it is not for. */
  readonly isOutOfScope: boolean;
}

export interface CandidateChoice extends Pick<RankOptions, 'isCandidate'> {
  /** How many skills to score in full at least, if there are that many. */
  readonly least: number;
}

/** Scores the most promising skills in full, and sorts them, best first. */
export function scoreCandidates(
  task: Task,
  words: WordScores,
  index: LexicalIndex,
  { least, isCandidate }: CandidateChoice,
): Candidate[] {
  const known = new Set(task.terms.map(({ id }) => id));
  const wanted: WantedTask = { task, known, finder: new PairFinder(task.pairs.map(({ hash }) => hash)) };
  return chooseNearest(allowedSlots(words.found, index, isCandidate), words.points, Math.max(CANDIDATES, least), index)
    .map((slot) => scoreFully(slot, wanted, words, index))
    .sort(compareScored);
}

/** The found slots that `isCandidate` allows. If the callback removes skills meanwhile, their slots are skipped. */
function allowedSlots(
  found: readonly number[],
  { slots }: LexicalIndex,
  isCandidate: RankOptions['isCandidate'],
): readonly number[] {
  if (isCandidate === undefined) return found;
  const allowed = found.filter((slot) => {
    const id = slots[slot]?.skill.id;
    return id !== undefined && isCandidate(id);
  });
  return allowed.filter((slot) => slots[slot] !== undefined);
}

/** The slots with the most points. If slots tie for the last place, `compareTied` decides. */
function chooseNearest(
  found: readonly number[],
  points: Float32Array,
  most: number,
  { slots }: LexicalIndex,
): readonly number[] {
  if (found.length <= most) return found;
  const floor = nthLargest(found, points, most);
  const nearest = found.filter((slot) => (points[slot] as number) > floor);
  const tied = found.filter((slot) => points[slot] === floor);
  const room = most - nearest.length + MOST_TIED;
  const order = (a: number, b: number): number =>
    compareTied((slots[a] as IndexedSkill).skill, (slots[b] as IndexedSkill).skill);
  return nearest.concat(tied.length <= room ? tied : takeFirst(tied, room, order));
}

/** The `nth` largest number, with a min-heap of the largest so far. */
function nthLargest(slots: readonly number[], points: Float32Array, nth: number): number {
  const heap = new Float32Array(nth);
  for (const slot of slots) {
    const value = points[slot] as number;
    if (value <= (heap[0] as number)) continue;
    let at = 0;
    for (let child = 1; child < nth; child = at * 2 + 1) {
      if (child + 1 < nth && (heap[child + 1] as number) < (heap[child] as number)) child += 1;
      if ((heap[child] as number) >= value) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = value;
  }
  return heap[0] as number;
}

interface WantedTask {
  readonly task: Task;
  /** The task's terms. */
  readonly known: ReadonlySet<number>;
  readonly finder: PairFinder;
}

function scoreFully(slot: number, wanted: WantedTask, words: WordScores, index: LexicalIndex): Candidate {
  const entry = index.slots[slot] as IndexedSkill;
  const against = shareAgainst(slot, words);
  const outOfScope = isOutOfScope(slot, words);
  const wordPoints = words.points[slot] as number;
  const found = scorePairs(wanted, entry, index);
  const pairPoints = found.reduce((sum, { points }) => sum + points, 0);
  const factors = {
    coverageFactor: coverageFactor(slot, words),
    nameFactor: 1 + NAME_BONUS * nameShare(entry, wanted.known, index),
    exclusionFactor: (1 - EXCLUSION_LOSS * against) * (outOfScope ? OUT_OF_SCOPE_SHARE : 1),
    languageFactor: languageFactor(entry.skill, wanted.task),
  };
  const { coverageFactor: covering, nameFactor, exclusionFactor, languageFactor: speaking } = factors;
  const score = (wordPoints + pairPoints) * covering * nameFactor * exclusionFactor * speaking;
  const pairs = found.map(({ text }) => text);
  return { slot, skill: entry.skill, score, wordPoints, pairPoints, pairs, isOutOfScope: outOfScope, ...factors };
}

/**
 * Lowers the score of a skill for another programming language than the task's, because skills for different languages
 * are often alike.
 */
function languageFactor({ name }: RankableSkill, { languages }: Task): number {
  if (languages.size === 0) return 1;
  const own = languageOf(name);
  return own === undefined || languages.has(own) ? 1 : OTHER_LANGUAGE_SHARE;
}

/** Whether the task mostly matches what the skill says it is not for. */
export function isOutOfScope(slot: number, words: WordScores): boolean {
  return shareAgainst(slot, words) >= EXCLUSION_LIMIT;
}

/** The share of the matching words, by weight, that the skill says it is not for. */
function shareAgainst(slot: number, { excluded, covered }: WordScores): number {
  const against = excluded[slot] as number;
  return against === 0 ? 0 : Math.min(1, against / (covered[slot] as number));
}

function coverageFactor(slot: number, { covered, taskWeight }: WordScores): number {
  return ((covered[slot] as number) / taskWeight) ** COVERAGE_POWER;
}

function scorePairs(
  { task: { pairs }, finder }: WantedTask,
  { headPairs, bodyPairs }: IndexedSkill,
  index: LexicalIndex,
): { text: string; points: number }[] {
  const counts = finder.countIn(bodyPairs === undefined ? [headPairs] : [headPairs, bodyPairs]);
  return pairs.flatMap(({ text, hash }, place) => {
    const texts = counts[place] as number;
    if (texts === 0) return [];
    const weight = rarity(Math.max(1, index.pairCounts.of(hash)), index.size);
    return [{ text, points: PAIR_SHARE * weight * texts }];
  });
}

/** The share of the skill's name that occurs in the task, each word weighted by its rarity. */
function nameShare({ nameTerms }: IndexedSkill, known: ReadonlySet<number>, index: LexicalIndex): number {
  let said = 0;
  let whole = 0;
  for (const term of nameTerms) {
    const weight = rarity(Math.max(index.head.count(term), index.body.count(term)), index.size);
    whole += weight;
    if (known.has(term)) said += weight;
  }
  return whole === 0 ? 0 : said / whole;
}
