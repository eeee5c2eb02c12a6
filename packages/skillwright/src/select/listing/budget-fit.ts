import type { ListingLevel } from './listing-text.ts';

/** What stays of an entry; `hidden` is behind the search. */
export type FittedLevel = ListingLevel | 'hidden';

/** One entry and what it costs at each level. Costs are computed only if they can matter. */
export interface BudgetItem {
  readonly entry: { cost(level: ListingLevel): number };
  /** Who keeps most: `pinned` is never hidden, `preferred` gives way after all others. */
  readonly rank: 'pinned' | 'preferred' | 'other';
}

const LEVELS: readonly FittedLevel[] = ['full', 'short', 'name-only', 'hidden'];
const NAME_ONLY = LEVELS.indexOf('name-only');
const HIDDEN = LEVELS.indexOf('hidden');
const GIVING_WAY: readonly BudgetItem['rank'][] = ['other', 'preferred', 'pinned'];

/**
 * How much of each item fits into `room` tokens. The last of the others give way first: all of them are shortened before
 * one loses its description, and all have lost it before one is hidden. Preferred items give way after them, the
 * best last, and pinned items last of all, down to their names.
 */
export function fitBudget(items: readonly BudgetItem[], room: number): FittedLevel[] {
  const { levels, costs } = startingLevels(items, room);
  let total = costs.reduce((sum, cost) => sum + cost, 0);
  for (const rank of GIVING_WAY) {
    for (let level = 1; level <= (rank === 'pinned' ? NAME_ONLY : HIDDEN); level += 1) {
      for (let index = items.length - 1; index >= 0 && total > room; index -= 1) {
        const item = items[index];
        if (item?.rank !== rank || (levels[index] ?? 0) >= level) continue;
        const cost = costAt(item, level);
        total -= (costs[index] ?? 0) - cost;
        costs[index] = cost;
        levels[index] = level;
      }
    }
  }
  return levels.map((level) => LEVELS[level] ?? 'hidden');
}

function costAt({ entry }: BudgetItem, level: number): number {
  const name = LEVELS[level] ?? 'hidden';
  return name === 'hidden' ? 0 : entry.cost(name);
}

/** If the bare names of the others already exceed the room, none of them keeps more, and no description is read. */
function startingLevels(items: readonly BudgetItem[], room: number): { levels: number[]; costs: number[] } {
  let names = 0;
  for (const item of items) if (item.rank === 'other') names += item.entry.cost('name-only');
  const start = names > room ? NAME_ONLY : 0;
  const levels = items.map(({ rank }) => (rank === 'other' ? start : 0));
  return { levels, costs: items.map((item, index) => costAt(item, levels[index] ?? 0)) };
}
