import { lookupKey } from '../../parse/skill/skill-name.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import {
  fitBudget,
  type BudgetItem,
  type FittedLevel,
  bestFirst,
  isCandidate,
  readWanted,
  toItem,
  type Wanted,
} from './listing-wanted.ts';
import { ListingEntry, type NoteOf } from './listing-entry.ts';
import { listingBudget, type ListingBudget, type ListingOptions } from './listing-options.ts';
import { listedName, type ListingLevel } from './listing-text.ts';

/** What the model is shown about the skills, and what is left out. Plain data. */
export interface Listing {
  /** The entries, as they appear in the prompt. Begins with exactly the text of the previous listing. */
  readonly text: string;
  /**
   * The skills in the text, in its order. A skill that was shown by name only may appear again with its description.
   */
  readonly shown: readonly ListedSkill[];
  /** Every skill that is currently not shown in full. */
  readonly cut: readonly ListingCut[];
  /** Skills that are shown but no longer exist. */
  readonly gone: readonly string[];
  /** Whether a skill or a description is left out, so that the model can find it only by search. */
  readonly needsSearch: boolean;
  readonly tokens: number;
  readonly budgetTokens: number;
}

/** A skill in the list, with the text that the model reads about it. */
export interface ListedSkill {
  /** The name to call the skill by. */
  readonly name: string;
  readonly level: ListingLevel;
  readonly text: string;
  readonly tokens: number;
}

/** A skill whose text was shortened or left out, and why. */
export interface ListingCut {
  readonly name: string;
  readonly how: Exclude<FittedLevel, 'full'>;
  readonly why: string;
}

/** Which skills keep the most text if not everything fits. */
export interface ListingPreference {
  /**
   * Names of skills that match the task, best first. Among the skills added in one update, they come first, in this
   * order. If room is short, they keep their descriptions longest, the best match longest of all.
   */
  readonly preferred?: ReadonlySet<string> | readonly string[] | undefined;
  /** Names of skills that are always shown, at least by name. Default none. */
  readonly pinned?: ReadonlySet<string> | readonly string[] | undefined;
  /** Names of skills that exist, but must not be added now. Default none. */
  readonly held?: ReadonlySet<string> | readonly string[] | undefined;
  /**
   * The listing that the model has already seen. The new listing repeats its text unchanged and only adds to the end.
   */
  readonly previous?: Listing | undefined;
}

const SEPARATOR = '\n\n';
/**
 * The share of the budget that is reserved for later needs of the conversation, if descriptions or whole skills are
 * missing.
 */
const RESERVE = { 'name-only': 0.25, hidden: 0.5 } as const;

/**
 * Lists skills within a token budget: first those that match the task, best first, then the others in the given order.
 * If they do not all fit, descriptions are shortened, then dropped, then whole skills are left to the search; every cut
 * is reported. `noteOf` adds the host's notes to descriptions.
 */
export function createListing(
  skills: readonly SkillMetadata[],
  options: ListingOptions & ListingPreference = {},
  noteOf?: NoteOf,
): Listing {
  return extendListing(skills, options, { budget: listingBudget(options), known: new WeakMap(), noteOf });
}

/** What all listings of one conversation share. */
interface ListingBasis {
  readonly budget: ListingBudget;
  /** Entries of skills from earlier listings. */
  readonly known: WeakMap<SkillMetadata, ListingEntry>;
  readonly noteOf?: NoteOf | undefined;
}

function extendListing(skills: readonly SkillMetadata[], preference: ListingPreference, basis: ListingBasis): Listing {
  const { budget } = basis;
  const { previous } = preference;
  const wanted = readWanted(preference);
  const entries = createEntries(skills, basis);
  const before = levelsOf(previous);
  const left = new Set<string>();
  for (const { name, how } of previous?.cut ?? []) if (how === 'hidden') left.add(name);
  const candidates = bestFirst(
    entries.filter((entry) => isCandidate(entry, before, left, wanted)),
    wanted,
  );
  const items = candidates.map((entry) => toItem(entry, before.get(entry.name), wanted));
  const levels = fitFirst(items, budget.budgetTokens, previous);
  const added = candidates.flatMap((entry, index) => addedSkill(entry, levels[index], before.get(entry.name)));
  return describe(entries, [...(previous?.shown ?? []), ...added], { held: wanted.held, previous, budget });
}

/** The first listing reserves some room for later ones, unless everything fits. */
function fitFirst(items: readonly BudgetItem[], budgetTokens: number, previous: Listing | undefined): FittedLevel[] {
  if (previous !== undefined) return fitBudget(items, budgetTokens - previous.tokens);
  const levels = fitBudget(items, budgetTokens);
  const missing = (['hidden', 'name-only'] as const).find((level) => levels.includes(level));
  return missing === undefined ? levels : fitBudget(items, Math.floor(budgetTokens * (1 - RESERVE[missing])));
}

function addedSkill(
  entry: ListingEntry,
  level: FittedLevel | undefined,
  before: ListingLevel | undefined,
): ListedSkill[] {
  if (level === undefined || level === 'hidden') return [];
  const shown = entry.shownAs(level);
  if (before !== undefined && shown === 'name-only') return [];
  return [{ name: entry.name, level: shown, text: entry.text(shown), tokens: entry.cost(shown) }];
}

function describe(
  entries: readonly ListingEntry[],
  shown: readonly ListedSkill[],
  { budget, held, previous }: Pick<Wanted, 'held'> & Pick<ListingPreference, 'previous'> & Pick<ListingBasis, 'budget'>,
): Listing {
  const levels = levelsOf({ shown });
  const present = new Set(entries.map(({ name }) => name));
  const told = entries.filter(({ name, ownName }) => levels.has(name) || !held.has(ownName));
  const added = shown.slice(previous?.shown.length ?? 0).map(({ text }) => text);
  return {
    text: [...(previous === undefined || previous.text === '' ? [] : [previous.text]), ...added].join(SEPARATOR),
    shown,
    cut: describeCuts(told, levels, budget),
    gone: [...levels.keys()].filter((name) => !present.has(name)),
    needsSearch: told.some(({ name, isListable }) => isListable && (levels.get(name) ?? 'name-only') === 'name-only'),
    tokens: shown.reduce((sum, { tokens }) => sum + tokens, 0),
    budgetTokens: budget.budgetTokens,
  };
}

const UNLISTABLE =
  'Its name cannot be shown: it is too long, or has line ends, invisible characters or tags. Rename it.';

function describeCuts(
  entries: readonly ListingEntry[],
  levels: ReadonlyMap<string, ListingLevel>,
  { budgetTokens, maxEntryTokens }: ListingBudget,
): ListingCut[] {
  const overall = `All skills together take more than the budget of ${budgetTokens} tokens.`;
  const ownFault = `Its description is longer than the ${maxEntryTokens} tokens that an entry may have.`;
  const cuts: ListingCut[] = [];
  for (const entry of entries) {
    const { name, isListable } = entry;
    const level = levels.get(name);
    if (!isListable) cuts.push({ name, how: 'hidden', why: UNLISTABLE });
    else if (level !== 'full') cuts.push({ name, how: level ?? 'hidden', why: entry.isBare ? ownFault : overall });
    else if (entry.isCut) cuts.push({ name, how: 'short', why: ownFault });
  }
  return cuts;
}

/** How much the model has seen of each skill. */
function levelsOf(listing: Pick<Listing, 'shown'> | undefined): Map<string, ListingLevel> {
  return new Map(listing?.shown.map(({ name, level }) => [name, level]));
}

/**
 * Creates an entry for each skill. A skill whose own name cannot be shown gets another one, unless a different skill
 * has that name.
 */
function createEntries(skills: readonly SkillMetadata[], { known, budget, noteOf }: ListingBasis): ListingEntry[] {
  let taken: Set<string> | undefined;
  return skills.map((skill) => {
    const entry = known.get(skill);
    if (entry !== undefined) return entry;
    let name = listedName(skill);
    if (name !== skill.name) {
      taken ??= new Set(skills.map((other) => lookupKey(other.name)));
      if (name !== undefined && taken.has(lookupKey(name))) name = undefined;
      else if (name !== undefined) taken.add(lookupKey(name));
    }
    const created = new ListingEntry(skill, name, { budget, noteOf });
    // A name that depends on other skills may change with them, so it is not cached.
    if (name === skill.name) known.set(skill, created);
    return created;
  });
}

/**
 * The listing of one conversation. Shown text never changes, not by a byte, so that providers' prompt caches keep
 * hitting: an update only adds to it, within one budget for the whole conversation.
 */
export interface ListingSession {
  /** What the model has seen so far; `undefined` before the first update. */
  readonly listing: Listing | undefined;
  /**
   * Adds new skills and, if there is room, preferred or pinned skills that were left out or shown by name only. Returns
   * the whole listing.
   */
  update(skills: readonly SkillMetadata[], preference?: Omit<ListingPreference, 'previous'>): Listing;
  /** The message for a model that calls a listed skill that no longer exists; otherwise `undefined`. */
  unavailable(name: string): string | undefined;
}

/**
 * Keeps the list of one conversation, which only grows, so that prompt caches keep hitting. `noteOf` adds the host's
 * notes to descriptions.
 */
export function createListingSession(options: ListingOptions = {}, noteOf?: NoteOf): ListingSession {
  const basis: ListingBasis = { budget: listingBudget(options), known: new WeakMap(), noteOf };
  let listing: Listing | undefined;
  return {
    get listing() {
      return listing;
    },
    update(skills, { preferred, pinned, held } = {}) {
      listing = extendListing(skills, { preferred, pinned, held, previous: listing }, basis);
      return listing;
    },
    unavailable(name) {
      const key = lookupKey(name);
      const gone = listing?.gone.find((other) => lookupKey(other) === key);
      return gone === undefined
        ? undefined
        : `Skill '${gone}' was listed earlier in this conversation, but is no longer available. Do without it, or choose another.`;
    },
  };
}
