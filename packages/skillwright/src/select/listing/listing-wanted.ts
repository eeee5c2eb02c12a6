import { SkillwrightError } from '../../spec/errors/error.ts';
import type { BudgetItem } from './budget-fit.ts';
import type { ListingEntry } from './listing-entry.ts';
import type { ListingLevel } from './listing-text.ts';
import type { ListingPreference } from './listing.ts';
import { describe } from '../option-names.ts';

/** The names of a preference, each with its place, the first at 0. */
export type Wanted = Readonly<Record<'preferred' | 'pinned' | 'held', ReadonlyMap<string, number>>>;

export function readWanted({ preferred, pinned, held }: ListingPreference): Wanted {
  return {
    preferred: placesOf('preferred', preferred),
    pinned: placesOf('pinned', pinned),
    held: placesOf('held', held),
  };
}

/** Where there is a task: what is pinned, what fits in the order of fitting, then everything else as it came. */
export function bestFirst(entries: readonly ListingEntry[], { preferred, pinned }: Wanted): readonly ListingEntry[] {
  if (preferred.size === 0) return entries;
  const placeOf = ({ ownName }: ListingEntry): number =>
    pinned.has(ownName) ? -1 : (preferred.get(ownName) ?? preferred.size);
  return entries.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** What is new, and what was held back or named only but is wanted now. */
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
    throw new SkillwrightError(
      'InvalidOptions',
      `Option '${option}' must be a list or a set of names, not ${describe(names)}.`,
      { data: { option } },
    );
  return new Map([...(names ?? [])].map((name, place) => [name, place]));
}
