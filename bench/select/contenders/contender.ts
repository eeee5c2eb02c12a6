import type { RankableSkill } from '../../../packages/skillwright/src/spec/ranker.ts';

/** One skill of an answer. `strength` is the value by which the contender tells good answers from bad ones across tasks. */
export interface Hit {
  readonly id: string;
  readonly strength: number;
}

/** A searchable index of skills. */
export interface Searchable {
  search(task: string, limit: number): Hit[] | Promise<Hit[]>;
  /** What a model would be shown, for contenders that decide it. Default: the five best. */
  shown?(task: string): Hit[];
  /** Memory that Node's own numbers do not show. */
  readonly hiddenBytes?: number;
  /** The longest time that building the index blocked other work of the process, for contenders that yield at all. */
  readonly longestSliceMs?: number;
}

/** Makes skills searchable, bodies included. */
export type Build = (skills: readonly RankableSkill[]) => Searchable | Promise<Searchable>;

export interface Contender {
  readonly id: string;
  readonly label: string;
  readonly isPeer: boolean;
  /** Absolute path of a module that exports `build`. */
  readonly module: string;
}

const contender = (id: string, label: string, isPeer = false): Contender => ({
  id,
  label,
  isPeer,
  module: new URL(`${id}.ts`, import.meta.url).href,
});

/** The ranker of another checkout of this repository, to compare both in one run. */
export function earlierRanker(checkout: string): Contender {
  const { href } = new URL(`earlier.ts?checkout=${encodeURIComponent(checkout)}`, import.meta.url);
  return { id: 'earlier', label: 'lexical (earlier)', isPeer: false, module: href };
}

export const CONTENDERS: readonly Contender[] = [
  contender('additive', 'additive'),
  contender('minisearch', 'MiniSearch', true),
  contender('orama', 'Orama', true),
  contender('fts5', 'SQLite FTS5'),
  contender('lexical', 'lexical (ours)'),
];
