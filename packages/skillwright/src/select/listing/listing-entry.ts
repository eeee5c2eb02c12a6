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
  /** Tokens, including those of the space between entries. */
  readonly cost: number;
  /** Whether it was cut to an entry's token limit. */
  readonly isCut: boolean;
  /** Whether nothing is left of its description. */
  readonly isBare: boolean;
}

/** The host's note on a skill. It follows the description and is never cut. */
export type NoteOf = (skill: SkillMetadata) => string | undefined;

interface EntryGround {
  readonly budget: ListingBudget;
  readonly noteOf?: NoteOf | undefined;
}

/** A skill that can be listed. Texts are built on first use, because most of many skills need none. */
export class ListingEntry {
  /** The name that it is listed and called by; for a skill that cannot be listed, its name in a report. */
  readonly name: string;
  /** The skill's own name. */
  readonly ownName: string;
  /** Whether there is a name to list it by. */
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

  /** How it is shown at a level: by name only if its limit leaves no room for more. */
  shownAs(level: ListingLevel): ListingLevel {
    return level !== 'name-only' && this.#described(level).isBare ? 'name-only' : level;
  }

  /** Whether it should have been shown in full, but its limit left room only for the name. */
  get isBare(): boolean {
    return this.#full?.isBare === true;
  }

  /** Whether even the full text is cut. */
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

/** A shorter beginning says nothing. */
const LEAST_CUT = 8;

/** The longest beginning that fits, by bisection, because nothing is known about the way tokens are counted. */
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
