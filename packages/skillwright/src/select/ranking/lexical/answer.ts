import type { RankedSkill, RankOptions } from '../../../spec/ranker.ts';
import type { LexicalIndex } from '../index/lexical-index.ts';
import { takeLimit } from '../rank-options.ts';
import { compareTied } from '../tie-order.ts';
import { type Candidate, isOutOfScope, scoreCandidates } from './candidates.ts';
import { explain } from './reasons.ts';
import { rarity, scoreWords } from './scores.ts';
import { readTask } from './task.ts';
import { LATER_SHARE, LEAST_SHARE_OF_BEST } from './weights.ts';

/** What the confidence of a skill depends on. */
interface MatchStrength {
  readonly score: number;
  /** The best score in the same answer. */
  readonly best: number;
  /** What the skill's words of the task say about whether it fits, as a share of what they weigh. */
  readonly claimShare: number;
  /** The weight of all words of the task together; words that no skill has count in part. */
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
 * By the most telling word. Among few skills, one that has a rare word of the task probably fits; among many, some skill has
 * every word.
 */
const BY_TELLING = 1.2;
/** Among so many skills that word counts half as much. */
const HALF_SKILLS = 30;
/** By the score against the best one. */
const BY_RANK = 4.71;

/** What the words of a task say about the skills of an index, at one moment. */
export interface WordRanking {
  /** The best, each with its reasons; `[]` where the best does not reach the threshold. */
  answer(limit: number, threshold: number): RankedSkill[];
  /** All other skills that may be in an answer, in the order of ties: hardly any shares a word with the task. */
  others(): RankedSkill[];
}

type WordOptions = Pick<RankOptions, 'limit' | 'backgroundReason' | 'isCandidate'>;

export function rankByWords(task: string, options: WordOptions, index: LexicalIndex): WordRanking {
  index.settle();
  const { isCandidate } = options;
  const read = readTask([options.backgroundReason ?? '', task].join('\n').trim(), index);
  const words = scoreWords(read, index);
  const candidates = scoreCandidates(read, words, index, {
    least: Math.min(takeLimit(options), index.size),
    isCandidate,
  });
  const best = candidates[0]?.score ?? 0;
  const rarestWeight = rarity(0, index.kinds.size);
  const strengthOf = ({ slot, score }: Candidate): MatchStrength => ({
    score,
    best,
    claimShare: (words.claimed[slot] as number) / (words.covered[slot] as number),
    taskClaim: words.taskClaim,
    telling: words.telling[slot] as number,
    rarestWeight,
    skills: index.kinds.size,
  });
  const isNoise = (candidate: Candidate, threshold: number): boolean =>
    threshold > 0 &&
    (candidate.score < LEAST_SHARE_OF_BEST * best || confidenceAlone(strengthOf(candidate)) < LATER_SHARE * threshold);
  return {
    answer(limit, threshold) {
      const [first, ...later] = candidates.slice(0, limit);
      if (first === undefined || confidenceAlone(strengthOf(first)) < threshold) return [];
      const chosen = [first, ...later.filter((candidate) => !isNoise(candidate, threshold))];
      const reasons = explain(chosen, read, words, index);
      return chosen.map((candidate, at) => ({
        id: candidate.skill.id,
        score: candidate.score,
        confidence: confidenceOf(strengthOf(candidate)),
        reasons: reasons[at] ?? [],
      }));
    },
    others() {
      const known = new Set(candidates.map(({ slot }) => slot));
      return index.slots
        .flatMap((entry, slot) =>
          entry === undefined || known.has(slot) || isOutOfScope(slot, words) ? [] : [entry.skill],
        )
        .filter(({ id }) => isCandidate?.(id) ?? true)
        .sort(compareTied)
        .map(({ id }) => ({ id, score: 0, confidence: 0, reasons: [] }));
    },
  };
}

/**
 * The chance that a skill fits, by a logistic curve that was fitted on tasks with a fitting skill and as many without.
 * A best score that is far from the task, or made of few and common words, gives a small one.
 */
function confidenceOf(strength: MatchStrength): number {
  if (!(strength.score > 0)) return 0;
  return chance(ownExponent(strength) + BY_RANK * Math.log(strength.score / strength.best));
}

/** The same as if the skill were the best. */
function confidenceAlone(strength: MatchStrength): number {
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
