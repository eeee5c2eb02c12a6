import type { RankedSkill, RankOptions, RankField, RankReason } from '../../../spec/ranker.ts';
import type { LexicalIndex } from '../index/lexical-index.ts';
import { takeLimit } from '../rank-options.ts';
import { compareTied } from '../tie-order.ts';
import { type Candidate, isOutOfScope, scoreCandidates } from './candidates.ts';
import { confidenceAlone, confidenceOf, type Evidence } from './confidence.ts';
import { rarity, scoreWords, type WordScores } from './scores.ts';
import { readTask, type Task } from './task.ts';
import { LATER_SHARE, LEAST_SHARE_OF_BEST, HEADING_WEIGHT, OUT_OF_SCOPE_SHARE, SATURATION } from './weights.ts';
import { descriptionCount, headingsCount, nameCount, tagsCount, textCount } from '../index/field-bits.ts';
import { PAYLOAD_BITS, type Postings } from '../index/postings.ts';

/** How the words of a task rank the skills of an index, at one moment. */
export interface WordRanking {
  /** The best skills, each with its reasons; `[]` if the best skill does not reach the threshold. */
  answer(limit: number, threshold: number): RankedSkill[];
  /** Whether the task mostly matches what the skill says it is not for. */
  isOutOfScope(id: string): boolean;
  /** The values from which the confidence of the best skills is computed. */
  evidence(limit: number): { readonly id: string; readonly evidence: Evidence }[];
  /**
   * All skills that were not scored in full and are not out of scope, in the order of ties. Hardly any of them shares a
   * word with the task.
   */
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
  const facts = {
    best: candidates[0]?.score ?? 0,
    // A copy of the best skill does not make the best skill less likely.
    second: candidates.find(({ skill }) => skill.description !== candidates[0]?.skill.description)?.score ?? 0,
    taskClaim: words.taskClaim,
    unknownShare: words.unknownShare,
    rarestWeight: rarity(0, index.kinds.size),
    skills: index.kinds.size,
    bodies: index.bodies,
  };
  const evidenceOf = ({ slot, score }: Candidate): Evidence => ({
    ...facts,
    score,
    tellingPoints: words.tellingPoints[slot] as number,
    claimShare: (words.claimed[slot] as number) / (words.covered[slot] as number),
  });
  const outOfScope = new Set(candidates.filter((one) => one.isOutOfScope).map(({ skill }) => skill.id));
  const isNoise = (candidate: Candidate, threshold: number): boolean =>
    threshold > 0 &&
    (candidate.score < LEAST_SHARE_OF_BEST * facts.best ||
      confidenceAlone(evidenceOf(candidate)) < LATER_SHARE * threshold);
  return {
    answer(limit, threshold) {
      const [first, ...later] = candidates.slice(0, limit);
      if (first === undefined || confidenceAlone(evidenceOf(first)) < threshold) return [];
      const chosen = [first, ...later.filter((candidate) => !isNoise(candidate, threshold))];
      const reasons = explain(chosen, read, words, index);
      // A skill with a lower score is never called more likely.
      let confidence = 1;
      return chosen.map((candidate, at) => {
        confidence = Math.min(
          confidence,
          confidenceOf(evidenceOf(candidate)) * (candidate.isOutOfScope ? OUT_OF_SCOPE_SHARE : 1),
        );
        return { id: candidate.skill.id, score: candidate.score, confidence, reasons: reasons[at] ?? [] };
      });
    },
    isOutOfScope: (id) => outOfScope.has(id),
    evidence: (limit) => candidates.slice(0, limit).map((one) => ({ id: one.skill.id, evidence: evidenceOf(one) })),
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

const MOST_TERMS = 8;

type Amounts = Partial<Record<RankField, number>>;

interface FieldShare {
  points: number;
  readonly terms: { readonly text: string; readonly points: number }[];
}

/** Why each chosen skill has its score: one list of reasons per skill, in their order. */
function explain(chosen: readonly Candidate[], task: Task, words: WordScores, index: LexicalIndex): RankReason[][] {
  const fields = collectFields(chosen, task, words, index);
  return chosen.map((candidate, at) => [
    ...[...(fields[at] ?? [])].map(([field, { points, terms }]): RankReason => {
      const weightiest = terms.sort((a, b) => b.points - a.points).slice(0, MOST_TERMS);
      return { rule: 'words', field, terms: weightiest.map(({ text }) => text), points };
    }),
    ...explainRules(candidate),
    ...(index.slots[candidate.slot]?.bodyPairs === undefined ? [reason('body-pending', [], 0)] : []),
  ]);
}

/** Rules are applied in order; each reason shows how its rule changed the score. */
function explainRules(candidate: Candidate): RankReason[] {
  const matched = candidate.wordPoints + candidate.pairPoints;
  const covering = matched * candidate.coverageFactor;
  const named = covering * candidate.nameFactor;
  const inScope = named * candidate.exclusionFactor;
  return [
    reason('phrase', candidate.pairs.slice(0, MOST_TERMS), candidate.pairPoints),
    reason('coverage', [], covering - matched),
    reason('name', [], named - covering),
    reason('out-of-scope', [], inScope - named),
    reason('language', [], candidate.score - inScope),
  ].filter(({ points }) => points !== 0);
}

function reason(rule: RankReason['rule'], terms: readonly string[], points: number): RankReason {
  return { rule, terms, points };
}

/**
 * Walks the postings of the task's words again, and splits each word's points among the fields that contain the word.
 */
function collectFields(
  chosen: readonly Candidate[],
  task: Task,
  words: WordScores,
  index: LexicalIndex,
): Map<RankField, FieldShare>[] {
  /** For each slot, 1 + its position among the chosen skills; 0 for other skills. */
  const places = new Uint32Array(index.slots.length);
  chosen.forEach(({ slot }, at) => (places[slot] = at + 1));
  const fields = chosen.map(() => new Map<RankField, FieldShare>());
  const entries = new Uint32Array(index.slots.length);
  task.terms.forEach(({ id, text }, nth) => {
    const amounts = chosen.map((): Amounts => ({}));
    const visit = (list: Postings, toAmounts: typeof headAmounts): void => {
      const count = list.read(id, entries);
      for (let at = 0; at < count; at += 1) {
        const entry = entries[at] as number;
        const place = places[entry >>> PAYLOAD_BITS] as number;
        if (place > 0) Object.assign(amounts[place - 1] ?? {}, toAmounts(entry >>> PAYLOAD_BITS, entry, index));
      }
    };
    visit(index.head, headAmounts);
    visit(index.body, bodyAmounts);
    amounts.forEach((amount, place) => shareOut(text, words.weights[nth] ?? 0, amount, fields[place]));
  });
  return fields;
}

function headAmounts(slot: number, payload: number, { lengths }: LexicalIndex): Amounts {
  return {
    name: nameCount(payload) * (lengths.name.worths[slot] ?? 0),
    description: descriptionCount(payload) * (lengths.description.worths[slot] ?? 0),
    tags: tagsCount(payload) * (lengths.tags.worths[slot] ?? 0),
  };
}

function bodyAmounts(slot: number, payload: number, { lengths }: LexicalIndex): Amounts {
  return {
    headings: headingsCount(payload) * HEADING_WEIGHT,
    body: textCount(payload) * (lengths.body.worths[slot] ?? 0),
  };
}

function shareOut(text: string, weight: number, amounts: Amounts, fields?: Map<RankField, FieldShare>): void {
  const present = (Object.entries(amounts) as [RankField, number][]).filter(([, amount]) => amount > 0);
  const whole = present.reduce((sum, [, amount]) => sum + amount, 0);
  for (const [field, amount] of present) {
    const points = weight * (whole / (SATURATION + whole)) * (amount / whole);
    const share = fields?.get(field) ?? { points: 0, terms: [] };
    share.points += points;
    share.terms.push({ text, points });
    fields?.set(field, share);
  }
}
