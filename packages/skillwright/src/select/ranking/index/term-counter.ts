/** Counts are kept in bytes of one number for each term: up to four fields at once. */
export type FieldByte = 0 | 1 | 2 | 3;

const FULL = 0xff;

/** Counts terms of one skill, field by field, and is empty again after each `drain`. */
export class TermCounter {
  #counts = new Uint32Array(1 << 10);
  #seen: number[] = [];

  /** Adds one for each occurrence; counts stop at 255. */
  add(terms: Int32Array, field: FieldByte): void {
    const shift = field * 8;
    for (const term of terms) {
      while (term >= this.#counts.length) this.#grow();
      const counts = this.#counts[term] as number;
      if (counts === 0) this.#seen.push(term);
      if (((counts >>> shift) & FULL) < FULL) this.#counts[term] = counts + 2 ** shift;
    }
  }

  /** Calls back once for each term that was counted, with the four counts in one number. */
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
export function countOf(counts: number, field: FieldByte, most: number): number {
  return Math.min((counts >>> (field * 8)) & FULL, most);
}
