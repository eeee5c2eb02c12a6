import type { SkillMetadata } from '../../spec/skill.ts';
import { type EvalOutcome, isSureFalsePositive } from './outcome.ts';
import { headWords, stemOf, tellingWords, WordCounts, wordOfTerm, offeredWords } from './words.ts';

/** How a skill's description could be improved. */
interface EvalSuggestion {
  /** Words of missed queries that the skill's name, description and tags lack; most common first. */
  readonly missingWords: readonly string[];
  /** The skill's own words that attract queries not meant for it; most common first. */
  readonly attractingWords: readonly string[];
  /** The number of queries that ranked the skill first but are not meant for it. */
  readonly attracted: number;
}

const MOST_WORDS = 8;

/** How well queries found the skills they are for, and avoided the skills they are not for. */
export interface EvalScore {
  /** The number of queries that should trigger the skill. */
  readonly shouldTrigger: number;
  /** How many of the queries that should trigger the skill ranked it first. */
  readonly first: number;
  /** How many of the queries that should trigger the skill ranked it high enough to be injected. */
  readonly found: number;
  /** `recallAt1` is `first`, and `recallAt5` is `found`, as a share of `shouldTrigger`; `null` without such queries. */
  readonly recallAt1: number | null;
  readonly recallAt5: number | null;
  /** The number of queries that should not trigger the skill. */
  readonly shouldNotTrigger: number;
  readonly falsePositives: FalsePositives;
}

interface FalsePositives {
  /** Queries that would wrongly inject the skill. */
  readonly injected: number;
  /** Queries that would wrongly inject the skill and rank it first. */
  readonly first: number;
  /** Queries that wrongly rank the skill first, with a confidence of at least one half. */
  readonly sure: number;
  /** `sure` as a share of the queries that should not trigger the skill; `null` if there are none. */
  readonly rate: number | null;
}

export interface SkillEval extends EvalScore {
  readonly name: string;
  /** Queries that should have ranked the skill first and did not, worst first. */
  readonly misses: readonly EvalOutcome[];
  /** Queries that should not trigger the skill but ranked it first; highest confidence first. */
  readonly falseFirsts: readonly EvalOutcome[];
  readonly suggestion: EvalSuggestion;
}

export interface EvalReport extends EvalScore {
  /** The results of every skill that has queries, in the order of the skills. */
  readonly skills: readonly SkillEval[];
  /** Pairs of skills that take each other's queries, most frequent first. */
  readonly confusions: readonly EvalConfusion[];
  /** Queries that should trigger a skill, but that no skill matches. */
  readonly nothingFits: readonly EvalOutcome[];
}

/** Summarizes the outcomes, for each skill and in total. */
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

/**
 * Suggests words to add and words to avoid. `misses` should have ranked the skill first and did not; `attracted` ranked
 * it first and should not have.
 */
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

/** Two skills, one of which takes the other's queries: their descriptions conflict. */
export interface EvalConfusion {
  /** The names of the two skills. The skill that loses more queries comes first. */
  readonly skills: readonly [string, string];
  /** How many queries of the first skill the second one takes, and the reverse. */
  readonly lost: readonly [number, number];
  /**
   * Words that occur in both descriptions, except where they say when not to use the skill. Words of the queries come
   * first.
   */
  readonly sharedWords: readonly string[];
  readonly queries: readonly EvalOutcome[];
}

/** Every pair of skills with at least one query that ranked the wrong one of the two first. */
function findConfusions(outcomes: readonly EvalOutcome[], skills: readonly SkillMetadata[]): EvalConfusion[] {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const pairs = new Map<string, { names: readonly [string, string]; queries: EvalOutcome[] }>();
  for (const outcome of outcomes) {
    const taker = outcome.answers[0]?.name;
    if (!outcome.shouldTrigger || taker === undefined || taker === outcome.skill) continue;
    const names = outcome.skill < taker ? ([outcome.skill, taker] as const) : ([taker, outcome.skill] as const);
    const key = JSON.stringify(names);
    const pair = pairs.get(key) ?? { names, queries: [] };
    pair.queries.push(outcome);
    pairs.set(key, pair);
  }
  return [...pairs.values()]
    .map(({ names, queries }) => toConfusion(names, queries, byName))
    .toSorted((a, b) => b.queries.length - a.queries.length || (a.skills.join('\n') < b.skills.join('\n') ? -1 : 1));
}

function toConfusion(
  names: readonly [string, string],
  queries: readonly EvalOutcome[],
  byName: ReadonlyMap<string, SkillMetadata>,
): EvalConfusion {
  const lostBy = (name: string): number => queries.filter(({ skill }) => skill === name).length;
  const [one, other] = lostBy(names[1]) > lostBy(names[0]) ? [names[1], names[0]] : names;
  return {
    skills: [one, other],
    lost: [lostBy(one), lostBy(other)],
    sharedWords: sharedWords(byName.get(one), byName.get(other), queries),
    queries,
  };
}

function sharedWords(
  one: SkillMetadata | undefined,
  other: SkillMetadata | undefined,
  queries: readonly EvalOutcome[],
): string[] {
  if (one === undefined || other === undefined) return [];
  const others = offeredWords(other);
  const shared = [...offeredWords(one)].filter(([stem]) => others.has(stem));
  const asked = new Set(queries.flatMap(({ query }) => [...tellingWords(query).keys()]));
  return [...shared.filter(([stem]) => asked.has(stem)), ...shared.filter(([stem]) => !asked.has(stem))]
    .slice(0, MOST_WORDS)
    .map(([, word]) => word);
}
