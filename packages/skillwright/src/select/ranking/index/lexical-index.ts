import type { RankableSkill } from '../../../spec/ranker.ts';
import { SkillKinds } from '../lexical/skill-kinds.ts';
import { BODY, DESCRIPTION, type FieldWeight, MOST_PAIRED_TERMS, NAME, TAGS } from '../lexical/weights.ts';
import { TermReader } from '../text/term-reader.ts';
import { packBody, packHead, TermCounter } from './field-bits.ts';
import { MOST_SLOTS, Postings } from './postings.ts';
import { countBody, countHead } from './skill-terms.ts';
import { Vocabulary } from './vocabulary.ts';
import { PairCounts, PairReader } from './word-pairs.ts';

/**
 * For each slot, the length of one field in terms, and the weight that one occurrence has in a field of that length.
 */
class FieldLengths {
  readonly #weight: FieldWeight;
  #lengths = new Uint16Array(64);
  #worths = new Float32Array(64);

  constructor(weight: FieldWeight) {
    this.#weight = weight;
  }

  get bytes(): number {
    return this.#lengths.byteLength + this.#worths.byteLength;
  }

  /** The weight of one occurrence in each slot, as the last `settle` computed it. */
  get worths(): Float32Array {
    return this.#worths;
  }

  at(slot: number): number {
    return this.#lengths[slot] ?? 0;
  }

  set(slot: number, length: number): void {
    if (slot >= this.#lengths.length) this.#grow(slot);
    this.#lengths[slot] = Math.min(length, 0xffff);
  }

  /** Recomputes the weights from the mean length of the used slots. */
  settle(slots: number, inUse: number): void {
    let total = 0;
    for (let slot = 0; slot < slots; slot += 1) total += this.#lengths[slot] ?? 0;
    const mean = Math.max(1, total / Math.max(1, inUse));
    const { weight, lengthDiscount } = this.#weight;
    for (let slot = 0; slot < slots; slot += 1) {
      const relative = (this.#lengths[slot] ?? 0) / mean;
      this.#worths[slot] = weight / (1 - lengthDiscount + lengthDiscount * relative);
    }
  }

  #grow(slot: number): void {
    const size = Math.max(slot + 1, this.#lengths.length * 2);
    const lengths = new Uint16Array(size);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
    this.#worths = new Float32Array(size);
  }
}

/** The lengths of all fields. */
interface SlotLengths {
  readonly name: FieldLengths;
  readonly description: FieldLengths;
  readonly tags: FieldLengths;
  readonly body: FieldLengths;
}

/** What the index keeps about a skill in addition to its postings. */
export interface IndexedSkill {
  /** The skill, without its body. */
  readonly skill: RankableSkill;
  readonly nameTerms: ReadonlySet<number>;
  readonly headPairs: Uint32Array;
  bodyPairs: Uint32Array | undefined;
}

const NO_PAIRS = new Uint32Array(0);
/** How many skills to restore before the next chance to pause. */
const RESTORED_AT_ONCE = 256;
/** Approximate memory of one skill's objects, sets and array headers. */
const BYTES_PER_SKILL = 900;

/**
 * The inverted index of the lexical ranker. A skill occupies a slot; when it is replaced or removed, the next `settle`
 * clears its slot from the lists.
 */
export class LexicalIndex {
  readonly vocabulary: Vocabulary = new Vocabulary();
  readonly reader: TermReader = new TermReader(this.vocabulary);
  readonly lengths: SlotLengths = createSlotLengths();
  readonly kinds: SkillKinds = new SkillKinds();
  readonly pairCounts: PairCounts = new PairCounts();
  readonly head: Postings = new Postings();
  readonly body: Postings = new Postings();
  readonly slots: (IndexedSkill | undefined)[] = [];
  readonly #slotById = new Map<string, number>();
  readonly #counter = new TermCounter();
  readonly #pairReader = new PairReader(this.vocabulary);
  #free: number[] = [];
  #left: number[] = [];
  #isSettled = true;
  #areKindsSettled = true;
  #bodies = 0;
  #pairs = 0;

  get size(): number {
    return this.#slotById.size;
  }

  get bodies(): number {
    return this.#bodies;
  }

  get bytes(): number {
    const { name, description, tags, body } = this.lengths;
    const arrays = [this.vocabulary, this.head, this.body, this.pairCounts, name, description, tags, body];
    return arrays.reduce((sum, { bytes }) => sum + bytes, this.#pairs * 4 + this.size * BYTES_PER_SKILL);
  }

  add(skill: RankableSkill): void {
    this.remove(skill.id);
    const { body, ...head } = skill;
    const slot = this.#takeSlot();
    const terms = countHead(head, this.reader, this.#counter);
    this.#counter.drain((term, counts) => this.head.add(term, slot, packHead(counts)));
    this.lengths.name.set(slot, terms.name.length);
    this.lengths.description.set(slot, terms.description.length);
    this.lengths.tags.set(slot, terms.tags.length);
    this.lengths.body.set(slot, 0);
    const headPairs = this.#pairReader.read([terms.name, terms.description, terms.tags]);
    this.slots[slot] = { skill: head, nameTerms: new Set(terms.name), headPairs, bodyPairs: undefined };
    this.#slotById.set(skill.id, slot);
    this.#countPairs(headPairs, NO_PAIRS);
    this.#isSettled = false;
    this.#areKindsSettled = false;
    if (body !== undefined) this.#addBody(slot, body);
  }

  /**
   * Adds skills that were indexed before, in slots from 0 in the given order. The caller must fill the postings and
   * lengths.
   */
  *restore(entries: readonly IndexedSkill[]): Generator<void, void, void> {
    for (const entry of entries) {
      const { skill, headPairs, bodyPairs } = entry;
      this.#slotById.set(skill.id, this.slots.push(entry) - 1);
      this.#pairs += headPairs.length + (bodyPairs?.length ?? 0);
      this.#bodies += bodyPairs === undefined ? 0 : 1;
    }
    this.pairCounts.reset(this.#pairs);
    for (const [at, entry] of entries.entries()) {
      this.#countPairsOf(entry);
      if (at % RESTORED_AT_ONCE === 0) yield;
    }
    this.#isSettled = false;
    this.#areKindsSettled = false;
  }

  /** The skill of this id, without its body. */
  get(id: string): RankableSkill | undefined {
    const slot = this.#slotById.get(id);
    return slot === undefined ? undefined : this.slots[slot]?.skill;
  }

  setBody(id: string, body: string): void {
    const slot = this.#slotById.get(id);
    const entry = slot === undefined ? undefined : this.slots[slot];
    if (slot === undefined || entry === undefined) return;
    if (entry.bodyPairs === undefined) this.#addBody(slot, body);
    else this.add({ ...entry.skill, body });
  }

  remove(id: string): void {
    const slot = this.#slotById.get(id);
    if (slot === undefined) return;
    const { headPairs, bodyPairs } = this.slots[slot] as IndexedSkill;
    this.#countPairs(headPairs, NO_PAIRS, -1);
    if (bodyPairs !== undefined) {
      this.#countPairs(bodyPairs, headPairs, -1);
      this.#bodies -= 1;
    }
    this.slots[slot] = undefined;
    this.#slotById.delete(id);
    const { name, description, tags, body } = this.lengths;
    for (const field of [name, description, tags, body]) field.set(slot, 0);
    this.#left.push(slot);
    this.#isSettled = false;
    this.#areKindsSettled = false;
  }

  /** Makes lists, counts and lengths exact after changes. Called before every search; cheap if nothing changed. */
  settle(): void {
    if (this.#isSettled) return;
    if (this.#left.length > 0) this.#clearLeft();
    const { name, description, tags, body } = this.lengths;
    for (const field of [name, description, tags]) field.settle(this.slots.length, this.size);
    body.settle(this.slots.length, this.#bodies);
    if (!this.#areKindsSettled) this.kinds.settle(this.slots);
    this.#areKindsSettled = true;
    if (!this.pairCounts.fits(this.#pairs)) this.#recountPairs();
    this.#isSettled = true;
  }

  #addBody(slot: number, body: string): void {
    const entry = this.slots[slot] as IndexedSkill;
    const terms = countBody(body, entry.skill, this.reader, this.#counter);
    this.#counter.drain((term, counts) => this.body.add(term, slot, packBody(counts)));
    this.lengths.body.set(slot, terms.length);
    entry.bodyPairs = this.#pairReader.read([terms.subarray(0, MOST_PAIRED_TERMS)]);
    this.#countPairs(entry.bodyPairs, entry.headPairs);
    this.#bodies += 1;
    this.#isSettled = false;
  }

  #takeSlot(): number {
    if (this.#free.length === 0 && this.slots.length >= MOST_SLOTS) this.#clearLeft();
    return this.#free.pop() ?? this.slots.push(undefined) - 1;
  }

  #clearLeft(): void {
    const isGone = new Uint8Array(this.slots.length);
    for (const slot of this.#left) isGone[slot] = 1;
    this.head.drop(isGone);
    this.body.drop(isGone);
    this.#free = this.#free.concat(this.#left);
    this.#left = [];
  }

  #countPairs(pairs: Uint32Array, others: Uint32Array, step: 1 | -1 = 1): void {
    this.#pairs += pairs.length * step;
    this.pairCounts.count(pairs, others, step);
    if (this.pairCounts.isCrowded(this.#pairs)) this.#recountPairs();
  }

  #recountPairs(): void {
    this.pairCounts.reset(this.#pairs);
    for (const entry of this.slots) {
      if (entry !== undefined) this.#countPairsOf(entry);
    }
  }

  #countPairsOf({ headPairs, bodyPairs }: IndexedSkill): void {
    this.pairCounts.count(headPairs, NO_PAIRS);
    if (bodyPairs !== undefined) this.pairCounts.count(bodyPairs, headPairs);
  }
}

function createSlotLengths(): SlotLengths {
  return {
    name: new FieldLengths(NAME),
    description: new FieldLengths(DESCRIPTION),
    tags: new FieldLengths(TAGS),
    body: new FieldLengths(BODY),
  };
}
