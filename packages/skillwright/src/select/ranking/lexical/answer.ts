import type { RankedSkill, RankOptions } from '../../../spec/ranker.ts';
import { confidenceAlone, confidenceOf, type MatchStrength } from './confidence.ts';
import { type Candidate, isOutOfScope, scoreCandidates } from './candidates.ts';
import type { LexicalIndex } from '../index/lexical-index.ts';
import { explain } from './reasons.ts';
import { rarity, scoreWords } from './scores.ts';
import { readTask } from './task.ts';
import { LATER_SHARE, LEAST_SHARE_OF_BEST } from './weights.ts';
import { takeLimit } from '../rank-options.ts';
import { compareTied } from '../tie-order.ts';

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
