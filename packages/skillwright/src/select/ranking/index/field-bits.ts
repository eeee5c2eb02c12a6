/**
 * The fields of a skill's head, by their number in a `TermCounter`. `packHead` packs a term's counts in these fields
 * into one number, and caps each count, so that repetition gains little.
 */
export const HEAD = { name: 0, description: 1, tags: 2, excluded: 3 } as const;
/** The fields of a skill's body, whose counts `packBody` packs in the same way. */
export const BODY_PARTS = { text: 0, headings: 1, excluded: 2 } as const;

const NAME_MOST = 3;
const DESCRIPTION_MOST = 7;
const TAGS_MOST = 3;
const TEXT_MOST = 63;
const HEADINGS_MOST = 3;

export function packHead(counts: number): number {
  return (
    countOf(counts, HEAD.name, NAME_MOST) |
    (countOf(counts, HEAD.description, DESCRIPTION_MOST) << 2) |
    (countOf(counts, HEAD.tags, TAGS_MOST) << 5) |
    (countOf(counts, HEAD.excluded, 1) << 7)
  );
}

export const nameCount = (payload: number): number => payload & NAME_MOST;
export const descriptionCount = (payload: number): number => (payload >>> 2) & DESCRIPTION_MOST;
export const tagsCount = (payload: number): number => (payload >>> 5) & TAGS_MOST;
export const isExcludedByHead = (payload: number): boolean => (payload & 0x80) !== 0;

export function packBody(counts: number): number {
  return (
    countOf(counts, BODY_PARTS.text, TEXT_MOST) |
    (countOf(counts, BODY_PARTS.headings, HEADINGS_MOST) << 6) |
    (countOf(counts, BODY_PARTS.excluded, 1) << 8)
  );
}

export const textCount = (payload: number): number => payload & TEXT_MOST;
export const headingsCount = (payload: number): number => (payload >>> 6) & HEADINGS_MOST;
export const isExcludedByBody = (payload: number): boolean => (payload & 0x100) !== 0;

/** The number of a field. One number holds the counts of a term in up to four fields, one byte for each. */
type FieldByte = 0 | 1 | 2 | 3;

const FULL = 0xff;

/** Counts the terms of one skill, field by field. `drain` visits the counts and clears them. */
export class TermCounter {
  #counts = new Uint32Array(1 << 10);
  #seen: number[] = [];

  /** Adds one for each occurrence, up to 255. */
  add(terms: Int32Array, field: FieldByte): void {
    const shift = field * 8;
    for (const term of terms) {
      while (term >= this.#counts.length) this.#grow();
      const counts = this.#counts[term] as number;
      if (counts === 0) this.#seen.push(term);
      if (((counts >>> shift) & FULL) < FULL) this.#counts[term] = counts + 2 ** shift;
    }
  }

  /** Calls back once for each counted term, with the four counts in one number. */
  drain(visit: (term: number, counts: number) => void): void {
    for (const term of this.#seen) {
      const counts = this.#counts[term] as number;
      this.#counts[term] = 0;
      visit(term, counts);
    }
    this.#seen = [];
  }

  #grow(): void {
    const larger = new Uint32Array(this.#counts.length * 2);
    larger.set(this.#counts);
    this.#counts = larger;
  }
}

/** The count of one field, at most `most`. */
function countOf(counts: number, field: FieldByte, most: number): number {
  return Math.min((counts >>> (field * 8)) & FULL, most);
}
