import { describe, expect, it } from 'vitest';
import { PAYLOAD_BITS, Postings } from './postings.ts';
import { PairCounts, PairFinder, PairReader, DistinctNumbers } from './word-pairs.ts';
import { Vocabulary } from './vocabulary.ts';

const slotsOf = (postings: Postings, term: number): number[] => {
  const entries = new Uint32Array(5_000);
  const count = postings.read(term, entries);
  return [...entries.subarray(0, count)].map((entry) => entry >>> PAYLOAD_BITS);
};

describe('Postings', () => {
  it('returns each stored list, however long', () => {
    const postings = new Postings();
    const expected = new Map<number, number[]>();
    for (let slot = 0; slot < 3_000; slot += 1) {
      for (const term of [0, slot % 7, 2_000 + slot]) {
        if (expected.get(term)?.at(-1) === slot) continue;
        postings.add(term, slot, slot % 1_000);
        expected.set(term, [...(expected.get(term) ?? []), slot]);
      }
    }
    for (const [term, slots] of expected) {
      expect(postings.count(term)).toBe(slots.length);
      expect(slotsOf(postings, term)).toEqual(slots);
    }
    expect(postings.count(-1)).toBe(0);
    expect(postings.count(1_000_000)).toBe(0);
  });

  it.each([1, 2, 3, 6, 7, 14, 100, 2_000])('drops slots and accepts new ones, with lists of length %i', (length) => {
    const postings = new Postings();
    for (let slot = 0; slot < length; slot += 1) postings.add(5, slot, 1);
    const isGone = new Uint8Array(5_000);
    for (let slot = 0; slot < length; slot += 2) isGone[slot] = 1;
    postings.drop(isGone);
    const kept = Array.from({ length }, (_, slot) => slot).filter((slot) => slot % 2 === 1);
    expect(slotsOf(postings, 5)).toEqual(kept);
    for (let slot = 3_000; slot < 3_000 + length; slot += 1) postings.add(5, slot, 1);
    expect(slotsOf(postings, 5)).toEqual([...kept, ...Array.from({ length }, (_, at) => 3_000 + at)]);
  });
});

describe('PairCounts', () => {
  it('can subtract the pairs that it counted', () => {
    const counts = new PairCounts();
    const head = Uint32Array.of(1, 5);
    const body = Uint32Array.of(1, 3, 9);
    counts.count(head, new Uint32Array(0));
    counts.count(body, head);
    expect([1, 3, 5, 9].map((pair) => counts.of(pair))).toEqual([1, 1, 1, 1]);
    counts.count(body, head, -1);
    counts.count(head, new Uint32Array(0), -1);
    expect([1, 3, 5, 9].map((pair) => counts.of(pair))).toEqual([0, 0, 0, 0]);
  });

  it('stays correct when the table is rebuilt, and continues counting when it cannot grow', () => {
    const counts = new PairCounts();
    const pairs = Uint32Array.from({ length: 20_000 }, (_, at) => at);
    counts.count(pairs, new Uint32Array(0));
    expect([counts.isCrowded(pairs.length), counts.fits(pairs.length)]).toEqual([true, false]);
    counts.reset(pairs.length);
    counts.count(pairs, new Uint32Array(0));
    expect([counts.isCrowded(pairs.length), counts.fits(pairs.length)]).toEqual([false, true]);
    expect([0, 19_999, 20_000].map((pair) => counts.of(pair))).toEqual([1, 1, 0]);
    counts.reset(1_000_000);
    for (let times = 0; times < 300; times += 1) counts.count(pairs, new Uint32Array(0));
    expect(counts.isCrowded(100_000_000)).toBe(false);
    expect(counts.of(7)).toBe(300);
    expect(counts.bytes).toBeLessThanOrEqual(2 ** 22);
  });
});

it('PairCounts sizes its table by the current number of pairs, however many there were before', () => {
  const counts = new PairCounts();
  const { bytes } = counts;
  counts.reset(1_000_000);
  expect(counts.fits(100)).toBe(false);
  counts.reset(100);
  expect([counts.bytes, counts.fits(100)]).toEqual([bytes, true]);
});

describe('pairs of neighboring terms', () => {
  const vocabulary = new Vocabulary();
  const [a = 0, b = 0, c = 0] = ['a', 'b', 'c'].map((term) => vocabulary.add(term));
  const reader = new PairReader(vocabulary);
  const pairsOf = (...texts: number[][]): Uint32Array => reader.read(texts.map((terms) => Int32Array.from(terms)));

  it('are each listed once, and never join two texts', () => {
    expect(pairsOf([a, b, a, b], [c])).toHaveLength(2);
    expect(pairsOf([a, b], [b, c])).toEqual(Uint32Array.of(...pairsOf([a, b]), ...pairsOf([b, c])));
    expect(pairsOf([], [a])).toHaveLength(0);
  });

  it('are found in each text that has them', () => {
    const [ab = 0] = pairsOf([a, b]);
    const [ca = 0] = pairsOf([c, a]);
    const [cc = 0] = pairsOf([c, c]);
    const finder = new PairFinder([ab, ca, cc]);
    expect([...finder.countIn([pairsOf([a, b, c, a]), pairsOf([b, a, b])])]).toEqual([2, 1, 0]);
    expect([...new PairFinder([]).countIn([pairsOf([a, b])])]).toEqual([]);
  });
});

describe('DistinctNumbers', () => {
  it('reports whether a number is new since the last clear, however many numbers there are', () => {
    const numbers = new DistinctNumbers();
    for (const round of [1, 2]) {
      numbers.clear();
      const isNew = Array.from({ length: 10_000 }, (_, at) => numbers.add(Math.imul(at, round * 2_654_435_761) >>> 0));
      expect(isNew.every(Boolean)).toBe(true);
      expect(numbers.size).toBe(10_000);
      expect(numbers.add(0)).toBe(false);
      expect([numbers.has(0), numbers.has(1)]).toEqual([true, false]);
    }
    numbers.clear();
    expect([numbers.size, numbers.has(0)]).toEqual([0, false]);
  });
});
