import type { RankableSkill } from '../../../spec/ranker.ts';
import { type IndexedSkill, LexicalIndex } from './lexical-index.ts';
import { PAYLOAD_BITS, type Postings } from './postings.ts';

/** Lists of numbers, one after the other. */
export interface NumberLists {
  /** How long each list is. */
  readonly counts: Uint32Array;
  readonly values: Uint32Array;
}

/**
 * A built index as plain numbers. It has no texts: each skill is known only by its position in the image, its place.
 * The whole image can be computed again from the skills.
 */
export interface IndexImage {
  /** The two hashes of each term. */
  readonly terms: Uint32Array;
  /** The postings of each term, with places instead of slots. */
  readonly head: NumberLists;
  readonly body: NumberLists;
  /**
   * `LENGTHS` numbers for the skill at each place: the lengths of its name, description, tags and body, and 1 if the
   * body is indexed.
   */
  readonly lengths: Uint32Array;
  readonly nameTerms: NumberLists;
  readonly headPairs: NumberLists;
  readonly bodyPairs: NumberLists;
}

/** An image, with the id of the skill at each place. */
export interface PlacedImage {
  readonly ids: readonly string[];
  readonly image: IndexImage;
}

export const LENGTHS = 5;
const PAYLOAD_MASK = (1 << PAYLOAD_BITS) - 1;
const NO_NUMBERS = new Uint32Array(0);
/** How many numbers to process before the next chance to pause. */
const PAUSE_EVERY = 200_000;
const SKILLS_AT_ONCE = 256;

/** The image of an index, which must not change meanwhile. */
export function* imageOf(index: LexicalIndex): Generator<void, PlacedImage, void> {
  index.settle();
  const places = new Int32Array(index.slots.length).fill(-1);
  const entries: IndexedSkill[] = [];
  const lengths: number[] = [];
  const { name, description, tags, body } = index.lengths;
  for (const [slot, entry] of index.slots.entries()) {
    if (entry === undefined) continue;
    places[slot] = entries.push(entry) - 1;
    const hasBody = entry.bodyPairs === undefined ? 0 : 1;
    lengths.push(name.at(slot), description.at(slot), tags.at(slot), body.at(slot), hasBody);
  }
  yield;
  return {
    ids: entries.map(({ skill }) => skill.id),
    image: {
      terms: index.vocabulary.keys(),
      head: yield* listPostings(index.head, index.vocabulary.size, places),
      body: yield* listPostings(index.body, index.vocabulary.size, places),
      lengths: Uint32Array.from(lengths),
      nameTerms: joinLists(entries.map(({ nameTerms }) => Uint32Array.from(nameTerms))),
      headPairs: joinLists(entries.map(({ headPairs }) => headPairs)),
      bodyPairs: joinLists(entries.map(({ bodyPairs }) => bodyPairs ?? NO_NUMBERS)),
    },
  };
}

/**
 * Restores an index from an image. `skills` has the skill at each place, or `undefined` to leave that place out.
 * Returns `undefined` if the image contradicts itself.
 */
export function* restoreIndex(
  image: IndexImage,
  skills: readonly (RankableSkill | undefined)[],
): Generator<void, LexicalIndex | undefined, void> {
  const index = new LexicalIndex();
  const { terms, lengths } = image;
  for (let at = 0; at < terms.length; at += 2) {
    index.vocabulary.addKey(terms[at] as number, terms[at + 1] as number);
    if (at % PAUSE_EVERY === 0) yield;
  }
  if (index.vocabulary.size * 2 !== terms.length) return undefined;
  const slots = new Int32Array(skills.length).fill(-1);
  const names = walkLists(image.nameTerms);
  const headPairs = walkLists(image.headPairs);
  const bodyPairs = walkLists(image.bodyPairs);
  const entries: IndexedSkill[] = [];
  for (const [place, skill] of skills.entries()) {
    const [nameTerms, head, body] = [names(), headPairs(), bodyPairs()];
    if (skill === undefined) continue;
    const at = place * LENGTHS;
    const slot = entries.push({
      skill,
      nameTerms: new Set(nameTerms),
      headPairs: head.slice(),
      bodyPairs: lengths[at + 4] === 1 ? body.slice() : undefined,
    });
    slots[place] = slot - 1;
    index.lengths.name.set(slot - 1, lengths[at] as number);
    index.lengths.description.set(slot - 1, lengths[at + 1] as number);
    index.lengths.tags.set(slot - 1, lengths[at + 2] as number);
    index.lengths.body.set(slot - 1, lengths[at + 3] as number);
    if (place % SKILLS_AT_ONCE === 0) yield;
  }
  yield* index.restore(entries);
  yield* fillPostings(index.head, image.head, slots);
  yield* fillPostings(index.body, image.body, slots);
  return index;
}

function* listPostings(postings: Postings, terms: number, places: Int32Array): Generator<void, NumberLists, void> {
  const counts = Uint32Array.from({ length: terms }, (_, term) => postings.count(term));
  const values = new Uint32Array(counts.reduce((sum, count) => sum + count, 0));
  let end = 0;
  let paused = 0;
  for (let term = 0; term < terms; term += 1) {
    const start = end;
    end += postings.read(term, values.subarray(start));
    for (let at = start; at < end; at += 1) {
      const entry = values[at] as number;
      values[at] = (places[entry >>> PAYLOAD_BITS] as number) * (PAYLOAD_MASK + 1) + (entry & PAYLOAD_MASK);
    }
    if (end - paused < PAUSE_EVERY) continue;
    paused = end;
    yield;
  }
  return { counts, values };
}

/**
 * Fills the postings from lists. A skill that a list repeats is added once, because a search reserves room for each
 * skill once.
 */
function* fillPostings(
  postings: Postings,
  { counts, values }: NumberLists,
  slots: Int32Array,
): Generator<void, void, void> {
  postings.reserve(counts);
  const lastTerm = new Int32Array(slots.length).fill(-1);
  let at = 0;
  let paused = 0;
  for (let term = 0; term < counts.length; term += 1) {
    for (const end = at + (counts[term] as number); at < end; at += 1) {
      const entry = values[at] as number;
      const place = entry >>> PAYLOAD_BITS;
      const slot = slots[place] ?? -1;
      if (slot < 0 || lastTerm[place] === term) continue;
      lastTerm[place] = term;
      postings.add(term, slot, entry & PAYLOAD_MASK);
    }
    if (at - paused < PAUSE_EVERY) continue;
    paused = at;
    yield;
  }
}

function joinLists(lists: readonly Uint32Array[]): NumberLists {
  const counts = Uint32Array.from(lists, ({ length }) => length);
  const values = new Uint32Array(counts.reduce((sum, count) => sum + count, 0));
  let at = 0;
  for (const list of lists) {
    values.set(list, at);
    at += list.length;
  }
  return { counts, values };
}

/** Returns one list after another without copying. */
function walkLists({ counts, values }: NumberLists): () => Uint32Array {
  let next = 0;
  let at = 0;
  return () => {
    const start = at;
    at += counts[next] ?? 0;
    next += 1;
    return values.subarray(start, at);
  };
}
