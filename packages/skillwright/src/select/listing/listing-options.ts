import { invalidOption } from '../../spec/errors/error.ts';
import type { ListingPreference } from './listing.ts';
import { assertNoMisspelling, type OptionNames } from '../option-names.ts';
import { estimateTokens, type CountTokens } from './token-estimate.ts';

/** Options of a listing: its budget, and how tokens are counted. */
export interface ListingOptions {
  /** The model's context window in tokens. Default 200,000. */
  readonly contextWindow?: number | undefined;
  /** The listing's token limit; with 0, skills are found only by search. Default 1 % of the context window. */
  readonly budgetTokens?: number | undefined;
  /** The token limit of one entry. Default 256. */
  readonly maxEntryTokens?: number | undefined;
  /** Counts the tokens of a text. Default: an estimate by the number and kind of characters. */
  readonly countTokens?: CountTokens | undefined;
}

/** Options with defaults filled in. */
export interface ListingBudget {
  readonly budgetTokens: number;
  readonly maxEntryTokens: number;
  readonly countTokens: CountTokens;
}

const DEFAULT_WINDOW = 200_000;
const DEFAULT_SHARE = 0.01;
const DEFAULT_ENTRY = 256;

const LISTING_OPTIONS: OptionNames<ListingOptions & ListingPreference> = {
  contextWindow: true,
  budgetTokens: true,
  maxEntryTokens: true,
  countTokens: true,
  preferred: true,
  pinned: true,
  held: true,
  previous: true,
};

export function listingBudget(options: ListingOptions = {}): ListingBudget {
  assertNoMisspelling<ListingOptions & ListingPreference>(options, LISTING_OPTIONS);
  const contextWindow = tokens('contextWindow', options.contextWindow, 1) ?? DEFAULT_WINDOW;
  const { countTokens = estimateTokens } = options;
  if (typeof countTokens !== 'function')
    throw invalidOption('countTokens', `must be a function, not ${typeof countTokens}`);
  return {
    budgetTokens: tokens('budgetTokens', options.budgetTokens, 0) ?? Math.floor(contextWindow * DEFAULT_SHARE),
    maxEntryTokens: tokens('maxEntryTokens', options.maxEntryTokens, 1) ?? DEFAULT_ENTRY,
    countTokens: countTokens === estimateTokens ? countTokens : (text) => checkedCount(countTokens(text)),
  };
}

function checkedCount(count: unknown): number {
  if (typeof count === 'number' && Number.isFinite(count) && count >= 0) return count;
  throw invalidOption('countTokens', `must return a number of at least 0, but returned ${String(count).slice(0, 40)}`);
}

function tokens(option: string, value: number | undefined, least: number): number | undefined {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= least)) return value;
  throw invalidOption(option, `must be a number of tokens of at least ${least}, not ${String(value).slice(0, 40)}`);
}
