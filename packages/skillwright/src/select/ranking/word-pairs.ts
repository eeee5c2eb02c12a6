import type { Vocabulary } from './vocabulary.ts';

const NO_PAIRS = new Uint32Array(0);
const FULL = 0xffff;
const FIRST_COUNTERS = 1 << 12;

/** The hash of two neighbouring terms. It does not depend on the numbers of the terms. */
export function hashPair(first: number, second: number): number {
  return (Math.imul(first, 0x9e3779b1) ^ Math.imul((second << 13) | (second >>> 19), 0x85ebca6b)) >>> 0;
}

/** The distinct pairs of neighbouring terms, as sorted hashes. */
export function pairsOf(terms: Int32Array, vocabulary: Vocabulary): Uint32Array {
  if (terms.length < 2) return NO_PAIRS;
  const hashes = new Uint32Array(terms.length - 1);
  for (let at = 1; at < terms.length; at += 1) {
    hashes[at - 1] = hashPair(vocabulary.hashOf(terms[at - 1] as number), vocabulary.hashOf(terms[at] as number));
  }
  hashes.sort();
  let kept = 0;
  for (let at = 0; at < hashes.length; at += 1) {
    if (at === 0 || hashes[at] !== hashes[at - 1]) hashes[kept++] = hashes[at] as number;
  }
  return hashes.slice(0, kept);
}

export function hasPair(pairs: Uint32Array, hash: number): boolean {
  let low = 0;
  let high = pairs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pairs[middle] as number) < hash) low = middle + 1;
    else high = middle;
  }
  return pairs[low] === hash;
}

/**
 * In how many skills a pair occurs, about: pairs whose hashes end alike share a counter. The table grows with what is
 * counted, so that few do.
 */
export class PairCounts {
  #counters = new Uint16Array(FIRST_COUNTERS);
  #counted = 0;

  get bytes(): number {
    return this.#counters.byteLength;
  }

  /** Whether the table should be made anew, by `reset` and counting everything again. */
  get isCrowded(): boolean {
    return this.#counted > this.#counters.length * 4;
  }

  reset(counted: number): void {
    let size = FIRST_COUNTERS;
    while (size < counted) size *= 2;
    this.#counters = new Uint16Array(size);
    this.#counted = 0;
  }

  /** Counts pairs of a skill that are not among the skill's other pairs; both are sorted. `step` −1 takes them back. */
  count(pairs: Uint32Array, others: Uint32Array, step: 1 | -1 = 1): void {
    const mask = this.#counters.length - 1;
    this.#counted += pairs.length * step;
    let other = 0;
    for (const pair of pairs) {
      while ((others[other] as number) < pair) other += 1;
      if (others[other] === pair) continue;
      const at = pair & mask;
      const counted = this.#counters[at] as number;
      // A full counter no longer knows how many it stands for, and stays full.
      if (counted < FULL) this.#counters[at] = counted + step;
    }
  }

  of(pair: number): number {
    return this.#counters[pair & (this.#counters.length - 1)] as number;
  }
}
