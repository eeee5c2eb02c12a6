import { describe, expect, it } from 'vitest';
import { PAYLOAD_BITS, Postings } from './postings.ts';
import { hasPair, PairCounts } from './word-pairs.ts';

const slotsOf = (postings: Postings, term: number): number[] => {
  const entries = new Uint32Array(5_000);
  const count = postings.read(term, entries);
  return [...entries.subarray(0, count)].map((entry) => entry >>> PAYLOAD_BITS);
};

describe('postings', () => {
  it('give back what was put in, list by list, however long', () => {
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

  it.each([1, 2, 3, 6, 7, 14, 100, 2_000])('lose dropped slots and take new ones, with lists of %i', (length) => {
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

describe('counts of pairs', () => {
  it('take back what they counted', () => {
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

  it('are of sorted pairs', () => {
    const pairs = Uint32Array.of(2, 4, 0xffff_ffff);
    expect([1, 2, 3, 4, 0xffff_ffff].map((pair) => hasPair(pairs, pair))).toEqual([false, true, false, true, true]);
    expect(hasPair(new Uint32Array(0), 1)).toBe(false);
  });
});
