import type { SkillMetadata } from '../../spec/skill.ts';
import { findConfusions, type EvalConfusion } from './confusions.ts';
import { isSureFalsePositive, type EvalOutcome } from './outcome.ts';
import { suggestWords, type EvalSuggestion } from './suggestions.ts';

/** How well queries found the skill they are for, and left alone the one they are not for. */
export interface EvalScore {
  /** Queries that should trigger. */
  readonly shouldTrigger: number;
  /** Of these, how many found it first. */
  readonly first: number;
  /** And how many found it among what would be injected. */
  readonly found: number;
  /** `first` and `found` as shares; `null` without a query. */
  readonly recallAt1: number | null;
  readonly recallAt5: number | null;
  /** Queries that should not trigger. */
  readonly shouldNotTrigger: number;
  readonly falsePositives: FalsePositives;
}

export interface FalsePositives {
  /** The skill would be injected. */
  readonly injected: number;
  /** It would be, before all others. */
  readonly first: number;
  /** And the ranker is at least half sure of it. */
  readonly sure: number;
  /** `sure` as a share of the queries that should not trigger; `null` without one. */
  readonly rate: number | null;
}

export interface SkillEval extends EvalScore {
  readonly name: string;
  /** Queries that should have found it first and did not, worst first. */
  readonly misses: readonly EvalOutcome[];
  /** Queries that should not trigger it, and for which it came first; the surest first. */
  readonly falseFirsts: readonly EvalOutcome[];
  readonly suggestion: EvalSuggestion;
}

export interface EvalReport extends EvalScore {
  /** In the order of the skills; only those with a query. */
  readonly skills: readonly SkillEval[];
  /** Pairs of skills that take each other's queries, most first. */
  readonly confusions: readonly EvalConfusion[];
  /** Queries that should trigger a skill, and for which none fits at all. */
  readonly nothingFits: readonly EvalOutcome[];
}

/** Says what the outcomes mean, for each skill and in all. */
export function reportOutcomes(outcomes: readonly EvalOutcome[], skills: readonly SkillMetadata[]): EvalReport {
  const bySkill = Map.groupBy(outcomes, ({ skill }) => skill);
  const evaluated = skills.filter(({ name }) => bySkill.has(name));
  const foreign = Map.groupBy(outcomes.filter(isTakenByAnother), ({ answers }) => answers[0]?.name);
  return {
    ...scoreOf(outcomes),
    skills: evaluated.map((skill) => evalSkill(skill, bySkill.get(skill.name) ?? [], foreign.get(skill.name) ?? [])),
    confusions: findConfusions(outcomes, skills),
    nothingFits: outcomes.filter(({ shouldTrigger, answers }) => shouldTrigger && answers.length === 0),
  };
}

function isTakenByAnother({ shouldTrigger, answers, rank }: EvalOutcome): boolean {
  return shouldTrigger && answers.length > 0 && rank !== 1;
}

function evalSkill(skill: SkillMetadata, own: readonly EvalOutcome[], foreign: readonly EvalOutcome[]): SkillEval {
  const misses = own.filter(({ shouldTrigger, rank }) => shouldTrigger && rank !== 1);
  const falseFirsts = own.filter(({ shouldTrigger, rank }) => !shouldTrigger && rank === 1);
  return {
    name: skill.name,
    ...scoreOf(own),
    misses: misses.toSorted((a, b) => placeOf(b) - placeOf(a)),
    falseFirsts: falseFirsts.toSorted((a, b) => b.confidence - a.confidence),
    suggestion: suggestWords(skill, misses, [...falseFirsts, ...foreign]),
  };
}

function placeOf({ rank }: EvalOutcome): number {
  return rank === 0 ? Infinity : rank;
}

function scoreOf(outcomes: readonly EvalOutcome[]): EvalScore {
  const wanted = outcomes.filter(({ shouldTrigger }) => shouldTrigger);
  const unwanted = outcomes.filter(({ shouldTrigger }) => !shouldTrigger);
  const first = wanted.filter(({ rank }) => rank === 1).length;
  const found = wanted.filter(({ rank }) => rank > 0).length;
  const sure = unwanted.filter(isSureFalsePositive).length;
  return {
    shouldTrigger: wanted.length,
    first,
    found,
    recallAt1: share(first, wanted.length),
    recallAt5: share(found, wanted.length),
    shouldNotTrigger: unwanted.length,
    falsePositives: {
      injected: unwanted.filter(({ rank }) => rank > 0).length,
      first: unwanted.filter(({ rank }) => rank === 1).length,
      sure,
      rate: share(sure, unwanted.length),
    },
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
