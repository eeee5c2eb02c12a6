import type { RankedSkill, RankOptions } from '../../spec/ranker.ts';
import type { SkillMode } from '../../spec/skill.ts';
import { MAX_TASK_MATCHES } from '../triggers/triggers.ts';

/**
 * Ranks for a task, best first, by id; those that do not fit are left out. One that knows `isCandidate`, as
 * `createRanker`'s does, lets nothing else decide whether others fit; any other ranker has to return more results.
 */
export type RankForTask = (
  task: string,
  options: { readonly limit: number } & Required<Pick<RankOptions, 'isCandidate'>>,
) => readonly RankedSkill[];

/** The skills to select from. */
export interface TaskCandidates<Item> {
  readonly all: readonly Item[];
  /** By the id that the ranker knows it by. */
  readonly find: (id: string) => Item | undefined;
  /** `on`: always selected. `off`: never. Otherwise selected where it ranks for the task. */
  readonly modeOf: (item: Item) => SkillMode | undefined;
  /** Whether nothing but the task and its mode keeps it back. Default: nothing does. */
  readonly isOfferable?: ((item: Item) => boolean) | undefined;
  /** What the user wants now. Without it nothing ranks. */
  readonly task: string | undefined;
  readonly rank: RankForTask | undefined;
  /** How many may rank for one task; those that are always selected take no place from them. Default 5. */
  readonly limit?: number | undefined;
}

export interface SelectedForTask<Item> {
  readonly item: Item;
  /** How it ranked; `undefined` for one that is always selected. */
  readonly ranked: RankedSkill | undefined;
}

/**
 * The one rule of what is put before a model for a task: everything that is `on`, then what ranks, best first. It reads
 * only the mode of skills that do not rank: there may be thousands.
 */
export function selectForTask<Item>(candidates: TaskCandidates<Item>): readonly SelectedForTask<Item>[] {
  const { all, modeOf, isOfferable = () => true } = candidates;
  const always = all.filter((item) => modeOf(item) === 'on' && isOfferable(item));
  return [...always.map((item) => ({ item, ranked: undefined })), ...selectRanked(candidates)];
}

function selectRanked<Item>(candidates: TaskCandidates<Item>): readonly SelectedForTask<Item>[] {
  const { find, modeOf, isOfferable = () => true, task, rank, limit = MAX_TASK_MATCHES } = candidates;
  if (rank === undefined || task === undefined || task.trim() === '') return [];
  const candidateOf = (id: string): Item | undefined => {
    const item = find(id);
    const mode = item && modeOf(item);
    return item === undefined || mode === 'on' || mode === 'off' || !isOfferable(item) ? undefined : item;
  };
  for (let room = limit; ; room *= 2) {
    const found = rank(task, { limit: room, isCandidate: (id) => candidateOf(id) !== undefined });
    const fitting = found.flatMap((ranked) => {
      const item = candidateOf(ranked.id);
      return item === undefined ? [] : [{ item, ranked }];
    });
    // A ranker that does not know `isCandidate` may have filled the room with others.
    if (fitting.length >= limit || found.length < room) return fitting.slice(0, limit);
  }
}
