import { invalidOption } from '../../spec/errors/error.ts';
import type { ListingEntry } from './listing-entry.ts';
import type { ListingLevel } from './listing-text.ts';
import type { ListingPreference } from './listing.ts';
import { describe } from '../option-names.ts';

/** The names in each list of a `ListingPreference`, with their positions from 0. */
export type Wanted = Readonly<Record<'preferred' | 'pinned' | 'held', ReadonlyMap<string, number>>>;

export function readWanted({ preferred, pinned, held }: ListingPreference): Wanted {
  return {
    preferred: placesOf('preferred', preferred),
    pinned: placesOf('pinned', pinned),
    held: placesOf('held', held),
  };
}

/**
 * Sorts the entries if skills match the task: first the pinned skills, then the matching ones by rank, then all others
 * in their given order.
 */
export function bestFirst(entries: readonly ListingEntry[], { preferred, pinned }: Wanted): readonly ListingEntry[] {
  if (preferred.size === 0) return entries;
  const placeOf = ({ ownName }: ListingEntry): number =>
    pinned.has(ownName) ? -1 : (preferred.get(ownName) ?? preferred.size);
  return entries.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Whether to consider an entry for this listing: either it is new, or the task needs it now and the model has seen at
 * most its name.
 */
export function isCandidate(
  { name, ownName, isListable }: ListingEntry,
  before: ReadonlyMap<string, ListingLevel>,
  left: ReadonlySet<string>,
  { preferred, pinned, held }: Wanted,
): boolean {
  if (!isListable || held.has(ownName)) return false;
  const level = before.get(name);
  const isWanted = preferred.has(ownName) || pinned.has(ownName);
  if (level !== undefined) return level === 'name-only' && isWanted;
  return isWanted || !left.has(name);
}

export function toItem(
  entry: ListingEntry,
  level: ListingLevel | undefined,
  { preferred, pinned }: Wanted,
): BudgetItem {
  const isPinned = pinned.has(entry.ownName);
  const isPreferred = isPinned || preferred.has(entry.ownName);
  return {
    entry,
    rank: isPinned && level === undefined ? 'pinned' : isPreferred ? 'preferred' : 'other',
  };
}

function placesOf(
  option: keyof ListingPreference,
  names: ReadonlySet<string> | readonly string[] | undefined,
): ReadonlyMap<string, number> {
  if (names !== undefined && !Array.isArray(names) && !(names instanceof Set))
    throw invalidOption(option, `must be a list or a set of names, not ${describe(names)}`);
  return new Map([...(names ?? [])].map((name, place) => [name, place]));
}

/** The level at which an entry is shown; `hidden` means that only the search finds it. */
export type FittedLevel = ListingLevel | 'hidden';

/** An entry and its cost at each level. Costs are computed only if they can matter. */
export interface BudgetItem {
  readonly entry: { cost(level: ListingLevel): number };
  /** Which entries keep the most text: `pinned` is never hidden, `preferred` is cut after all others. */
  readonly rank: 'pinned' | 'preferred' | 'other';
}

const LEVELS: readonly FittedLevel[] = ['full', 'short', 'name-only', 'hidden'];
const NAME_ONLY = LEVELS.indexOf('name-only');
const HIDDEN = LEVELS.indexOf('hidden');
const GIVING_WAY: readonly BudgetItem['rank'][] = ['other', 'preferred', 'pinned'];

/**
 * How much of each item fits into `room` tokens. Items of rank `other` are cut first, from the end: all are shortened
 * before one loses its description, and all have lost it before one is hidden. Preferred items are cut after them, the
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

/**
 * The levels from which cutting starts. If even the bare names of the items of rank `other` exceed the room, these
 * items start by name only, so that their descriptions are never read.
 */
function startingLevels(items: readonly BudgetItem[], room: number): { levels: number[]; costs: number[] } {
  let names = 0;
  for (const item of items) if (item.rank === 'other') names += item.entry.cost('name-only');
  const start = names > room ? NAME_ONLY : 0;
  const levels = items.map(({ rank }) => (rank === 'other' ? start : 0));
  return { levels, costs: items.map((item, index) => costAt(item, levels[index] ?? 0)) };
}
