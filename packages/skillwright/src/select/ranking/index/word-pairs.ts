import type { Vocabulary } from './vocabulary.ts';

const FIRST_COUNTERS = 1 << 14;
const MOST_COUNTERS = 1 << 20;
/** The table grows eightfold, so that recounting is rare. */
const STEP = 8;

/** The hash of two neighboring terms. It does not depend on the numbers of the terms. */
export function hashPair(first: number, second: number): number {
  return (Math.imul(first, 0x9e3779b1) ^ Math.imul((second << 13) | (second >>> 19), 0x85ebca6b)) >>> 0;
}

/** Finds the distinct pairs of neighboring terms, as hashes in no order. */
export class PairReader {
  readonly #vocabulary: Vocabulary;
  readonly #seen = new DistinctNumbers();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** The distinct pairs of several texts; the last term of one and the first of the next are not neighbors. */
  read(texts: readonly Int32Array[]): Uint32Array {
    this.#seen.clear();
    const hashes = new Uint32Array(texts.reduce((sum, { length }) => sum + length, 0));
    let count = 0;
    for (const terms of texts) {
      let before = 0;
      for (let at = 0; at < terms.length; at += 1) {
        const term = this.#vocabulary.hashOf(terms[at] as number);
        const hash = hashPair(before, term);
        if (at > 0 && this.#seen.add(hash)) hashes[count++] = hash;
        before = term;
      }
    }
    return hashes.slice(0, count);
  }
}

/** Searches many texts for some pairs. */
export class PairFinder {
  readonly #places: ReadonlyMap<number, number>;
  /** Marks the lowest bits of each wanted pair's hash. This check is enough to skip most other pairs. */
  readonly #marks = new Uint8Array(1 << 12);

  /** Takes the hashes of the wanted pairs. `countIn` uses the same order. */
  constructor(hashes: readonly number[]) {
    this.#places = new Map(hashes.map((hash, place) => [hash, place]));
    for (const hash of hashes) this.#marks[hash & (this.#marks.length - 1)] = 1;
  }

  /** For each wanted pair, the number of texts that contain it. */
  countIn(texts: readonly Uint32Array[]): Uint8Array {
    const counts = new Uint8Array(this.#places.size);
    const mask = this.#marks.length - 1;
    for (const pairs of texts) {
      for (let at = 0; at < pairs.length; at += 1) {
        const pair = pairs[at] as number;
        if (this.#marks[pair & mask] === 0) continue;
        const place = this.#places.get(pair);
        if (place !== undefined) counts[place] = (counts[place] as number) + 1;
      }
    }
    return counts;
  }
}

/**
 * Approximately how many skills have a pair: pairs whose hashes end alike share a counter. The number of counters
 * depends only on the number of pairs, so the same skills always give the same counts.
 */
export class PairCounts {
  readonly #others = new DistinctNumbers();
  #counters = new Uint32Array(FIRST_COUNTERS);

  get bytes(): number {
    return this.#counters.byteLength;
  }

  /** Whether the table is too small for this many pairs. Then call `reset` and count everything again. */
  isCrowded(pairs: number): boolean {
    return countersFor(pairs) > this.#counters.length;
  }

  /** Whether the table is neither too small nor too large. */
  fits(pairs: number): boolean {
    return countersFor(pairs) === this.#counters.length;
  }

  /** Clears the table, with room for this many pairs. */
  reset(pairs: number): void {
    this.#counters = new Uint32Array(countersFor(pairs));
  }

  /**
   * Adds one for each of `pairs` that is not among `others`, the pairs in the other texts of the same skill. A `step`
   * of −1 subtracts instead.
   */
  count(pairs: Uint32Array, others: Uint32Array, step: 1 | -1 = 1): void {
    this.#others.clear();
    for (const other of others) this.#others.add(other);
    const counters = this.#counters;
    const mask = counters.length - 1;
    for (let at = 0; at < pairs.length; at += 1) {
      const pair = pairs[at] as number;
      if (this.#others.has(pair)) continue;
      const place = pair & mask;
      counters[place] = (counters[place] as number) + step;
    }
  }

  of(pair: number): number {
    return this.#counters[pair & (this.#counters.length - 1)] as number;
  }
}

/** A power of two that grows with the number of pairs, up to a size at which recounting would take too long. */
function countersFor(pairs: number): number {
  let counters = FIRST_COUNTERS;
  while (counters < 2 * pairs && counters < MOST_COUNTERS) counters *= STEP;
  return counters;
}

const FIRST_SLOTS = 1 << 11;
const LAST_ROUND = 0xffff_ffff;

/**
 * A set of 32-bit numbers that can be cleared at no cost, so that one set can be reused for many texts.
 * @internal Exported for its tests.
 */
export class DistinctNumbers {
  #values = new Uint32Array(FIRST_SLOTS);
  /** The round in which each slot was filled. `clear` begins a new round, and slots of earlier rounds are free. */
  #rounds = new Uint32Array(FIRST_SLOTS);
  #round = 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  clear(): void {
    if (this.#round === LAST_ROUND) this.#rounds.fill(0);
    this.#round = (this.#round % LAST_ROUND) + 1;
    this.#size = 0;
  }

  has(value: number): boolean {
    return this.#rounds[this.#slotOf(value)] === this.#round;
  }

  /** Adds a number. Returns false if the set already had it. */
  add(value: number): boolean {
    const slot = this.#slotOf(value);
    if (this.#rounds[slot] === this.#round) return false;
    this.#rounds[slot] = this.#round;
    this.#values[slot] = value;
    this.#size += 1;
    if (this.#size * 2 > this.#values.length) this.#grow();
    return true;
  }

  #slotOf(value: number): number {
    const mask = this.#values.length - 1;
    let slot = (value ^ (value >>> 13)) & mask;
    while (this.#rounds[slot] === this.#round && this.#values[slot] !== value) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const values = this.#values.filter((_, slot) => this.#rounds[slot] === this.#round);
    this.#values = new Uint32Array(this.#values.length * 2);
    this.#rounds = new Uint32Array(this.#values.length);
    for (const value of values) {
      const slot = this.#slotOf(value);
      this.#rounds[slot] = this.#round;
      this.#values[slot] = value;
    }
  }
}
