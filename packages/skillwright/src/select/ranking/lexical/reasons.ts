import type { RankField, RankReason } from '../../../spec/ranker.ts';
import { descriptionCount, headingsCount, nameCount, tagsCount, textCount } from '../index/field-bits.ts';
import type { Candidate } from './candidates.ts';
import type { LexicalIndex } from '../index/lexical-index.ts';
import type { WordScores } from './scores.ts';
import type { Task } from './task.ts';
import { HEADING_WEIGHT, SATURATION } from './weights.ts';
import { PAYLOAD_BITS, type Postings } from '../index/postings.ts';

const MOST_TERMS = 8;

type Amounts = Partial<Record<RankField, number>>;

interface FieldShare {
  points: number;
  readonly terms: { readonly text: string; readonly points: number }[];
}

/** Why each of the chosen skills has its score: one list of reasons for each of them, in their order. */
export function explain(
  chosen: readonly Candidate[],
  task: Task,
  words: WordScores,
  index: LexicalIndex,
): RankReason[][] {
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

/** The rules are applied one after the other; each is shown with what it changed. */
function explainRules(candidate: Candidate): RankReason[] {
  const matched = candidate.wordPoints + candidate.pairPoints;
  const covering = matched * candidate.coverageFactor;
  const named = covering * candidate.nameFactor;
  return [
    reason('phrase', candidate.pairs.slice(0, MOST_TERMS), candidate.pairPoints),
    reason('coverage', [], covering - matched),
    reason('name', [], named - covering),
    reason('out-of-scope', [], candidate.score - named),
  ].filter(({ points }) => points !== 0);
}

function reason(rule: RankReason['rule'], terms: readonly string[], points: number): RankReason {
  return { rule, terms, points };
}

/** Goes through the lists of the task's words once more and shares out what each word gave among the fields it is in. */
function collectFields(
  chosen: readonly Candidate[],
  task: Task,
  words: WordScores,
  index: LexicalIndex,
): Map<RankField, FieldShare>[] {
  /** For each slot, 1 + its place among the chosen. */
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
