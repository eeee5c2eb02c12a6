import { lookupKey } from '../../parse/skill/skill-name.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { extendListing, type Listing, type ListingBasis, type ListingPreference } from './listing.ts';
import type { NoteOf } from './listing-entry.ts';
import { listingBudget, type ListingOptions } from './listing-options.ts';

/**
 * The listing of one conversation. Shown text never changes, byte for byte, so that providers' prompt caches
 * keep hitting: an update only adds to it, within one budget for the whole conversation.
 */
export interface ListingSession {
  /** What the model has seen so far; `undefined` before the first update. */
  readonly listing: Listing | undefined;
  /** Adds what is new among the skills and, where there is room, what is wanted now. Answers the whole listing. */
  update(skills: readonly SkillMetadata[], preference?: Omit<ListingPreference, 'previous'>): Listing;
  /** What to tell a model that calls a skill it was shown, when that skill is no longer there; otherwise `undefined`. */
  unavailable(name: string): string | undefined;
}

/**
 * Keeps the list of one conversation, which only grows, so that prompt caches keep hitting. `noteOf` adds words of the
 * host's own to descriptions.
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
