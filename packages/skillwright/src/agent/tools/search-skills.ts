import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { CatalogRanker } from '../../select/selection/catalog-ranker.ts';
import type { NoteOf } from '../../select/listing/listing-entry.ts';
import { entryText, listedDescription, withNote } from '../../select/listing/listing-text.ts';
import { LEAST_CONFIDENCE } from '../../select/ranking/lexical/weights.ts';
import type { RankedSkill } from '../../spec/ranker.ts';
import { shownName } from '../offer/system-prompt.ts';

export interface SkillSearch {
  readonly query: string;
  /** How many skills to take from the top of the ranking. Default: all that may fit. */
  readonly limit: number | undefined;
  readonly isShown: (name: string) => boolean;
}

/**
 * The skills that match and have a name that can be shown, best first. If none matches, returns the nearest skills,
 * because a model that searches has a reason to search and can judge the results. Waits until all instructions are
 * indexed.
 */
export async function searchSkills(
  ranking: CatalogRanker,
  snapshot: Snapshot,
  { query, limit, isShown }: SkillSearch,
): Promise<readonly RankedSkill[]> {
  await ranking.ready(snapshot);
  const isCandidate = (name: string): boolean => {
    const skill = snapshot.find(name)?.metadata;
    return skill !== undefined && shownName(skill, snapshot) !== undefined && isShown(name);
  };
  const ranker = ranking.for(snapshot);
  // Without a limit, return generously: a model that searches wants a choice, and a name with a description costs
  // little.
  const fitting = ranker.rank(query, limit === undefined ? { isCandidate, eagerness: 'high' } : { limit, isCandidate });
  return fitting.length > 0 ? fitting : ranker.rank(query, { limit, isCandidate, threshold: 0 });
}

const FITTING = 'These skills may fit. Call load_skill before you use one.';
const NEAREST =
  'No skill fits well. These are the closest: call load_skill before you use one, or continue without a skill.';
const NOTHING = 'No skill has any word of this search. Search again with other words, or continue without a skill.';

/** Describes search results in the same form as the listing in the system prompt. */
export function describeFound(snapshot: Snapshot, found: readonly RankedSkill[], noteOf: NoteOf): string {
  const entries = found.flatMap(({ id }) => {
    const skill = snapshot.find(id)?.metadata;
    const name = skill && shownName(skill, snapshot);
    if (skill === undefined || name === undefined) return [];
    return [entryText(name, withNote(listedDescription(skill), noteOf(skill)))];
  });
  if (entries.length === 0) return NOTHING;
  const fits = found.some(({ confidence }) => confidence >= LEAST_CONFIDENCE);
  return [fits ? FITTING : NEAREST, ...entries].join('\n\n');
}
