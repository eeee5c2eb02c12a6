import type { Snapshot } from '../catalog/snapshot.ts';
import type { CatalogRanker } from '../select/catalog-ranker.ts';
import { entryText, listedDescription } from '../select/listing-text.ts';
import type { RankedSkill } from '../spec/ranker.ts';
import { shownName } from './shown-name.ts';

const DEFAULT_LIMIT = 5;

export interface SkillSearch {
  readonly query: string;
  readonly limit: number | undefined;
  readonly isShown: (name: string) => boolean;
}

/** The skills that fit and can be named, best first. Waits until the bodies are indexed: a search is worth a moment. */
export async function searchSkills(
  ranking: CatalogRanker,
  snapshot: Snapshot,
  { query, limit = DEFAULT_LIMIT, isShown }: SkillSearch,
): Promise<readonly RankedSkill[]> {
  await ranking.ready(snapshot);
  const isCandidate = (name: string): boolean => {
    const skill = snapshot.find(name)?.metadata;
    return skill !== undefined && shownName(skill, snapshot) !== undefined && isShown(name);
  };
  return ranking.for(snapshot).rank(query, { limit, isCandidate });
}

/** What was found, in the words of the listing. */
export function describeFound(snapshot: Snapshot, found: readonly RankedSkill[]): string {
  const entries = found.flatMap(({ id }) => {
    const skill = snapshot.find(id)?.metadata;
    const name = skill && shownName(skill, snapshot);
    return skill === undefined || name === undefined ? [] : [entryText(name, listedDescription(skill))];
  });
  if (entries.length === 0) return 'No skill fits. Go on without one, or search with other words.';
  return `Skills that may fit; call load_skill before you use one.\n\n${entries.join('\n\n')}`;
}
