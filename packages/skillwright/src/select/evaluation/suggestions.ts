import type { SkillMetadata } from '../../spec/skill.ts';
import type { EvalOutcome } from './outcome.ts';
import { headWords, stemOf, tellingWords, wordOfTerm, WordCounts } from './words.ts';

/** What could be done about a skill's description. */
export interface EvalSuggestion {
  /** Words of queries that should have found it, which its name, description and tags do not have; commonest first. */
  readonly missingWords: readonly string[];
  /** Words of its own that bring it queries which are not for it; commonest first. */
  readonly attractingWords: readonly string[];
  /** How many such queries there are. */
  readonly attracted: number;
}

const MOST_WORDS = 8;

/** `misses` should have found the skill first, `attracted` found it first and should not have. */
export function suggestWords(
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
