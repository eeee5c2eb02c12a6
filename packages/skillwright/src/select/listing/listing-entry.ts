import type { SkillMetadata } from '../../spec/skill.ts';
import type { ListingBudget } from './listing-options.ts';
import {
  cutText,
  entryText,
  listedDescription,
  shortDescription,
  withNote,
  type ListingLevel,
} from './listing-text.ts';

interface EntryText {
  readonly text: string;
  /** The size of the text in tokens, including the space between entries. */
  readonly cost: number;
  /** Whether the text was cut to the token limit of one entry. */
  readonly isCut: boolean;
  /** Whether the cut left nothing of the description. */
  readonly isBare: boolean;
}

/** The host's note on a skill. It follows the description and is never cut. */
export type NoteOf = (skill: SkillMetadata) => string | undefined;

interface EntryGround {
  readonly budget: ListingBudget;
  readonly noteOf?: NoteOf | undefined;
}

/**
 * A skill that can be listed. Its texts are built on first use, because in a large catalog most of them are never
 * needed.
 */
export class ListingEntry {
  /**
   * The name under which the model sees and calls the skill. For a skill that cannot be listed, the name used in
   * reports.
   */
  readonly name: string;
  /** The skill's own name. */
  readonly ownName: string;
  /** Whether the skill has a name under which it can be listed. */
  readonly isListable: boolean;
  readonly #skill: SkillMetadata;
  readonly #budget: ListingBudget;
  readonly #noteOf: NoteOf | undefined;
  #note: string | undefined;
  #full: EntryText | undefined;
  #short: EntryText | undefined;
  #nameCost: number | undefined;

  constructor(skill: SkillMetadata, name: string | undefined, { budget, noteOf }: EntryGround) {
    this.name = name ?? JSON.stringify(skill.name.slice(0, 64)).slice(1, -1);
    this.ownName = skill.name;
    this.isListable = name !== undefined;
    this.#skill = skill;
    this.#budget = budget;
    this.#noteOf = noteOf;
  }

  text(level: ListingLevel): string {
    return level === 'name-only' ? entryText(this.name, '') : this.#described(level).text;
  }

  cost(level: ListingLevel): number {
    if (level !== 'name-only') return this.#described(level).cost;
    this.#nameCost ??= this.#tokensOf(this.text(level));
    return this.#nameCost;
  }

  /**
   * The level that is really shown when `level` is requested: by name only if the entry's token limit leaves no room
   * for more.
   */
  shownAs(level: ListingLevel): ListingLevel {
    return level !== 'name-only' && this.#described(level).isBare ? 'name-only' : level;
  }

  /** Whether the entry was built in full, and its token limit left room only for the name. */
  get isBare(): boolean {
    return this.#full?.isBare === true;
  }

  /** Whether the entry's token limit is too small for its full text. */
  get isCut(): boolean {
    return this.#described('full').isCut;
  }

  #described(level: 'full' | 'short'): EntryText {
    if (level === 'full') this.#full ??= this.#describe(listedDescription(this.#skill));
    else this.#short ??= this.#describe(shortDescription(listedDescription(this.#skill)));
    return (level === 'full' ? this.#full : this.#short) as EntryText;
  }

  #describe(wanted: string): EntryText {
    const { maxEntryTokens } = this.#budget;
    this.#note ??= this.#noteOf?.(this.#skill) ?? '';
    const entry = (description: string): string => entryText(this.name, withNote(description, this.#note));
    const fitted = cutToFit(wanted, (text) => this.#tokensOf(entry(text)) <= maxEntryTokens);
    const text = entry(fitted);
    return { text, cost: this.#tokensOf(text), isCut: fitted !== wanted, isBare: fitted === '' && wanted !== '' };
  }

  #tokensOf(text: string): number {
    return this.#budget.countTokens(`${text}\n\n`);
  }
}

/** A description that would be cut to fewer characters than this is left out, because so little says nothing. */
const LEAST_CUT = 8;

/** The longest start of the text that fits. It is found by bisection, because the host may count tokens in any way. */
function cutToFit(text: string, fits: (text: string) => boolean): string {
  if (text === '' || fits(text)) return text;
  let low = 0;
  let high = text.length;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(cutText(text, middle))) low = middle;
    else high = middle;
  }
  return low < LEAST_CUT ? '' : cutText(text, low);
}
