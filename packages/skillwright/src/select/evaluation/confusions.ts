import type { SkillMetadata } from '../../spec/skill.ts';
import type { EvalOutcome } from './outcome.ts';
import { offeredWords, tellingWords } from './words.ts';

/** Two skills of which one takes queries of the other: their descriptions fight. */
export interface EvalConfusion {
  /** The one that loses more queries first. */
  readonly skills: readonly [string, string];
  /** Queries of the first that the second takes, and the other way round. */
  readonly lost: readonly [number, number];
  /** Words that both descriptions have, without what they say they are not for; those of the queries first. */
  readonly sharedWords: readonly string[];
  readonly queries: readonly EvalOutcome[];
}

const MOST_WORDS = 8;

/** Every pair with at least one query that found the wrong one of the two first. */
export function findConfusions(outcomes: readonly EvalOutcome[], skills: readonly SkillMetadata[]): EvalConfusion[] {
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
