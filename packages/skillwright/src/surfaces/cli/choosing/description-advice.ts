import type { EvalConfusion, SkillEval } from '../../../select/evaluation/report.ts';
import { isSureFalsePositive } from '../../../select/evaluation/outcome.ts';
import { headWords, offeredWords, tellingWords, WordCounts } from '../../../select/evaluation/words.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';

/** A sentence that the description of a skill should have. */
export interface DescriptionAdvice {
  readonly skill: string;
  readonly say: string;
}

const MOST_WORDS = 5;
/** The most words of lost queries that the other description should exclude although neither skill uses them. */
const MOST_MISSING = 2;

/**
 * What the descriptions of two competing skills should say. The skill that takes the queries needs "Do not use for",
 * with words of the other skill. The skill that loses the queries needs their topics.
 */
export function adviseOnConfusion(
  { skills: [one, other], queries }: EvalConfusion,
  skills: ReadonlyMap<string, SkillMetadata>,
): DescriptionAdvice[] {
  return [
    [one, other],
    [other, one],
  ].flatMap(([loser = '', taker = '']) => {
    const [losing, taking] = [skills.get(loser), skills.get(taker)];
    const asked = wordsOfQueries(queries.filter(({ skill }) => skill === loser).map(({ query }) => query));
    if (losing === undefined || taking === undefined || asked.length === 0) return [];
    const takersWords = headWords(taking);
    const ownWords = headWords(losing);
    const apart = [...offeredWords(losing)].filter(([stem, word]) => !takersWords.has(stem) && word !== loser);
    const missing = asked.filter(([stem]) => !ownWords.has(stem) && !takersWords.has(stem));
    const stems = new Set(asked.map(([stem]) => stem));
    const telling = [
      ...apart.filter(([stem]) => stems.has(stem)),
      ...missing.slice(0, MOST_MISSING),
      ...apart.filter(([stem]) => !stems.has(stem)),
    ];
    return [
      ...sentence(taker, telling, (words) => `Do not use for ${words}: use ${loser}.`),
      ...sentence(loser, missing, (words) => `Use for ${words}.`),
    ];
  });
}

/** What a description should exclude if the skill is confident about queries that are not for it. */
export function adviseOnFalsePositives({ falseFirsts }: SkillEval, skill: SkillMetadata): DescriptionAdvice[] {
  const own = headWords(skill);
  const queries = falseFirsts.filter(isSureFalsePositive).map(({ query }) => query);
  const foreign = wordsOfQueries(queries).filter(([stem]) => !own.has(stem));
  return sentence(skill.name, foreign, (words) => `Do not use for ${words}.`);
}

type Word = readonly [stem: string, word: string];

/** The topic words of some queries, the most frequent first. */
function wordsOfQueries(queries: readonly string[]): Word[] {
  const counts = new WordCounts();
  const byWord = new Map<string, string>();
  for (const query of queries)
    for (const [stem, word] of tellingWords(query)) {
      counts.add(stem, word);
      if (!byWord.has(word)) byWord.set(word, stem);
    }
  return counts.most(Infinity).map((word) => [byWord.get(word) ?? word, word]);
}

function sentence(skill: string, words: readonly Word[], say: (words: string) => string): DescriptionAdvice[] {
  const shown = words.slice(0, MOST_WORDS).map(([, word]) => word);
  const last = shown.at(-1);
  if (last === undefined) return [];
  return [{ skill, say: say(shown.length === 1 ? last : `${shown.slice(0, -1).join(', ')} or ${last}`) }];
}
