import type { SkillMetadata } from '../../spec/skill.ts';
import { type EvalConfusion, findConfusions } from './confusions.ts';
import { type EvalOutcome, isSureFalsePositive } from './outcome.ts';
import { headWords, stemOf, tellingWords, WordCounts, wordOfTerm } from './words.ts';

/** What could be done about a skill's description. */
interface EvalSuggestion {
  /** Words of queries that should have found it, which its name, description and tags do not have; commonest first. */
  readonly missingWords: readonly string[];
  /** Words of its own that bring it queries which are not for it; commonest first. */
  readonly attractingWords: readonly string[];
  /** How many such queries there are. */
  readonly attracted: number;
}

const MOST_WORDS = 8;

/** How well queries found the skill they are for, and left alone the one they are not for. */
export interface EvalScore {
  /** Queries that should trigger. */
  readonly shouldTrigger: number;
  /** How many of these found it first. */
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

/** `misses` should have found the skill first, `attracted` found it first and should not have. */
function suggestWords(
  skill: SkillMetadata,
  misses: readonly EvalOutcome[],
  attracted: readonly EvalOutcome[],
): EvalSuggestion {
  const missing = new WordCounts();
  const own = misses.length === 0 ? undefined : headWords(skill);
  for (const { query } of misses)
    for (const [stem, word] of tellingWords(query)) if (own?.has(stem) === false) missing.add(stem, word);
  const attracting = new WordCounts();
  for (const { drawn, query } of attracted) {
    const words = tellingWords(query);
    for (const word of new Set(drawn.map((term) => wordOfTerm(term, words))))
      if (word !== undefined) attracting.add(stemOf(word), word);
  }
  return {
    missingWords: missing.most(MOST_WORDS),
    attractingWords: attracting.most(MOST_WORDS),
    attracted: attracted.length,
  };
}
