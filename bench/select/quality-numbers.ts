import type { Answer, Answers } from './quality.ts';

/** Shares in percent; NaN if there was nothing to measure. */
export interface QualityNumbers {
  readonly tasks: number;
  readonly repository: Recall;
  readonly union: Recall;
  /** Share of tasks without a fitting skill whose best, or five best, answers contain a near miss, on their own source. */
  readonly nearMissFirst: number;
  readonly nearMissInFive: number;
  /** The same among five, with each contender made strict enough to have the recall of `additive`. */
  readonly nearMissAtEqualRecall: number;
  /** Recall at 5 when one in ten tasks of other sources still gets an answer, and the same for everyday tasks. */
  readonly recallAgainstForeign: number;
  readonly recallAgainstEveryday: number;
}

export interface Recall {
  readonly first: number;
  readonly inFive: number;
  /** Mean reciprocal rank of the first fitting skill; 0 if it is not among the five. */
  readonly reciprocalRank: number;
}

const FALSE_POSITIVES = 0.1;

export function measureQuality(answers: Answers, equalRecall: number): QualityNumbers {
  const repository = answers.repository.filter(hasRelevant);
  const misses = answers.repository.filter(({ task }) => task.relevant.length === 0 && task.nearMisses.length > 0);
  return {
    tasks: repository.length,
    repository: recallOf(repository),
    union: recallOf(answers.union.filter(hasRelevant)),
    nearMissFirst: percent(misses, (answer) => placeOf(answer, answer.task.nearMisses) === 0),
    nearMissInFive: percent(misses, (answer) => placeOf(answer, answer.task.nearMisses) >= 0),
    nearMissAtEqualRecall: nearMissesAt(strictnessFor(repository, equalRecall), misses),
    recallAgainstForeign: recallAgainst(repository, answers.foreign),
    recallAgainstEveryday: recallAgainst(repository, answers.everyday),
  };
}

/** The recall at 5 to which all contenders are tuned, if they reach it. */
export function recallInFive({ repository }: Answers): number {
  return recallOf(repository.filter(hasRelevant)).inFive;
}

function hasRelevant({ task }: Answer): boolean {
  return task.relevant.length > 0;
}

export function recallOf(answers: readonly Answer[]): Recall {
  const places = answers.map((answer) => placeOf(answer, answer.task.relevant));
  return {
    first: percent(places, (place) => place === 0),
    inFive: percent(places, (place) => place >= 0),
    reciprocalRank: (100 * places.reduce((sum, place) => sum + (place < 0 ? 0 : 1 / (place + 1)), 0)) / places.length,
  };
}

function placeOf({ hits }: Answer, ids: readonly string[]): number {
  return hits.findIndex(({ id }) => ids.includes(id));
}

/** A contender's confidence that there is an answer at all. */
function strengthOf({ hits }: Answer): number {
  return hits[0]?.strength ?? -Infinity;
}

/** The minimum strength at which answers reach the given recall. */
function strictnessFor(answers: readonly Answer[], recall: number): number {
  const found = answers.filter((answer) => placeOf(answer, answer.task.relevant) >= 0).map(strengthOf);
  found.sort((a, b) => b - a);
  return found[Math.max(0, Math.ceil((recall / 100) * answers.length) - 1)] ?? -Infinity;
}

function nearMissesAt(strictness: number, misses: readonly Answer[]): number {
  return percent(misses, (answer) => strengthOf(answer) >= strictness && placeOf(answer, answer.task.nearMisses) >= 0);
}

function recallAgainst(answers: readonly Answer[], unrelated: readonly Answer[]): number {
  if (unrelated.length === 0) return Number.NaN;
  const strengths = unrelated.map(strengthOf).sort((a, b) => b - a);
  const strictness = strengths[Math.floor(unrelated.length * FALSE_POSITIVES)] ?? -Infinity;
  return percent(answers, (answer) => strengthOf(answer) > strictness && placeOf(answer, answer.task.relevant) >= 0);
}

function percent<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return (100 * items.filter(holds).length) / items.length;
}
