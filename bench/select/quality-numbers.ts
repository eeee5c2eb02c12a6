import type { Answer, Answers } from './quality.ts';

/** Shares in percent; NaN if there was nothing to measure. */
export interface QualityNumbers {
  readonly tasks: number;
  readonly repository: Recall;
  readonly union: Recall;
  readonly shown: ShownNumbers;
  /**
   * How many tasks have near misses but no fitting skill. `nearMissFirst` counts those with a near miss as their best
   * hit, and `nearMissInFive` those with one among their five best, on the task's own source.
   */
  readonly nearMissTasks: number;
  readonly nearMissFirst: number;
  readonly nearMissInFive: number;
  /** How often hits with a strength in a range are right; only for strengths that are probabilities. */
  readonly reliability: readonly ReliabilityRow[];
  /**
   * Like `nearMissInFive`, but in percent, and with each contender made strict enough to have the recall of `additive`.
   */
  readonly nearMissAtEqualRecall: number;
  /**
   * Recall at 5 if a contender is so strict that one in ten tasks of other sources still gets a hit.
   * `recallAgainstEveryday` is the same number for everyday tasks.
   */
  readonly recallAgainstForeign: number;
  readonly recallAgainstEveryday: number;
}

/** What a model would be shown for a task. */
export interface ShownNumbers {
  /** Share of tasks with a fitting skill among the skills that are shown. */
  readonly recall: number;
  readonly skillsPerTask: number;
  /** Share of tasks of other sources, and of everyday tasks, for which any skill is shown. */
  readonly foreign: number;
  readonly everyday: number;
}

/** The hits with a confidence in one tenth of the range. */
export interface ReliabilityRow {
  /** The lower end, from 0 to 0.9. */
  readonly from: number;
  readonly hits: number;
  /** The mean confidence and the share of right hits, in percent. */
  readonly said: number;
  readonly right: number;
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
  const misses = answers.nearMisses;
  return {
    tasks: repository.length,
    repository: recallOf(repository),
    union: recallOf(answers.union.filter(hasRelevant)),
    shown: measureShown(repository, answers),
    nearMissTasks: misses.length,
    nearMissFirst: misses.filter((answer) => placeOf(answer, answer.task.nearMisses) === 0).length,
    nearMissInFive: misses.filter((answer) => placeOf(answer, answer.task.nearMisses) >= 0).length,
    reliability: measureReliability([...repository, ...misses]),
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

function measureShown(repository: readonly Answer[], { foreign, everyday }: Answers): ShownNumbers {
  return {
    recall: percent(repository, ({ task, shown }) => shown.some(({ id }) => task.relevant.includes(id))),
    skillsPerTask: repository.reduce((sum, { shown }) => sum + shown.length, 0) / repository.length,
    foreign: percent(foreign, hasShown),
    everyday: percent(everyday, hasShown),
  };
}

function hasShown({ shown }: Answer): boolean {
  return shown.length > 0;
}

function measureReliability(answers: readonly Answer[]): ReliabilityRow[] {
  const hits = answers.flatMap(({ task, hits: found }) =>
    found.map(({ id, strength }) => ({ strength, isRight: task.relevant.includes(id) })),
  );
  if (hits.some(({ strength }) => strength > 1)) return [];
  const tenths = Map.groupBy(hits, ({ strength }) => Math.min(9, Math.floor(strength * 10)) / 10);
  return [...tenths]
    .map(([from, part]) => ({
      from,
      hits: part.length,
      said: (100 * part.reduce((sum, { strength }) => sum + strength, 0)) / part.length,
      right: percent(part, ({ isRight }) => isRight),
    }))
    .toSorted((a, b) => a.from - b.from);
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
