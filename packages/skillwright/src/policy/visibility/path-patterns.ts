import { alternativesOf, matcherOf, type GlobMatcher } from './glob.ts';

/** The `paths` of one skill, ready to be asked. */
export interface PathPatterns {
  readonly fits: GlobMatcher;
  /** How many patterns at the end of the list are ignored because the skill has too many, or too long ones. */
  readonly ignored: number;
}

const MAX_PATTERNS = 100;
/** What all alternatives of all patterns may have together: what a path is compared with, one skill after the other. */
const MAX_CHARACTERS = 8_192;

/** Takes a bounded time to make, and to ask, whatever a skill writes. */
export function createPathPatterns(patterns: readonly string[]): PathPatterns {
  const taken: string[] = [];
  let characters = 0;
  let count = 0;
  for (const pattern of patterns.slice(0, MAX_PATTERNS)) {
    const alternatives = alternativesOf(pattern);
    const expanded = alternatives.reduce((sum, { length }) => sum + length, 0);
    // One that has too many alternatives has none, and took its time all the same.
    characters += Math.max(pattern.length, expanded);
    if (characters > MAX_CHARACTERS) break;
    taken.push(...alternatives);
    count += 1;
  }
  return { fits: matcherOf(taken), ignored: patterns.length - count };
}
