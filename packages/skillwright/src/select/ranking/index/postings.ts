import { grown } from './vocabulary.ts';

/**
 * How many bits of an entry hold the counts of the skill's fields for the term; the bits above hold the skill's slot.
 */
export const PAYLOAD_BITS = 10;
const PAYLOAD_MASK = (1 << PAYLOAD_BITS) - 1;
/** Every slot number is below this. */
export const MOST_SLOTS: number = 2 ** (32 - PAYLOAD_BITS);

const FIRST_BLOCK = 2;
const LARGEST_BLOCK = 512;
const START_WORDS = 1 << 10;

/**
 * The slots of each term, each with a payload: lists of 32-bit entries in one array. A list is a chain of blocks that
 * double in size. The word before a block's entries is the position of the next block, or 0.
 */
export class Postings {
  #words = new Uint32Array(START_WORDS);
  /** The first word is unused, so that 0 can mean "none". */
  #used = 1;
  #first = new Uint32Array(START_WORDS);
  #last = new Uint32Array(START_WORDS);
  #counts = new Uint32Array(START_WORDS);
  /** The position of the next entry of each list, and the room left after it. */
  #next = new Uint32Array(START_WORDS);
  #room = new Uint32Array(START_WORDS);

  get bytes(): number {
    return this.#words.byteLength + this.#first.byteLength * 5;
  }

  /** How many slots have the term. */
  count(term: number): number {
    return this.#counts[term] ?? 0;
  }

  add(term: number, slot: number, payload: number): void {
    while (term >= this.#first.length) this.#growTerms();
    if (this.#room[term] === 0) this.#extend(term);
    const next = this.#next[term] as number;
    this.#words[next] = slot * (PAYLOAD_MASK + 1) + payload;
    this.#next[term] = next + 1;
    this.#room[term] = (this.#room[term] as number) - 1;
    this.#counts[term] = (this.#counts[term] as number) + 1;
  }

  /** Reserves room in empty lists for this many entries of each term. */
  reserve(counts: Uint32Array): void {
    let words = 1;
    for (const count of counts)
      for (let before = 0, size = FIRST_BLOCK; before < count; size = nextSize(size)) {
        words += size + 1;
        before += size;
      }
    if (words > this.#words.length) this.#words = new Uint32Array(words);
    while (this.#first.length < counts.length) this.#growTerms();
  }

  /** Copies the entries of the term into `target`, which has room for one per slot, and returns their number. */
  read(term: number, target: Uint32Array): number {
    const count = this.count(term);
    let block = this.#first[term] as number;
    let size = FIRST_BLOCK;
    for (let done = 0; done < count; size = nextSize(size)) {
      const length = Math.min(size, count - done);
      if (length < 16) for (let at = 0; at < length; at += 1) target[done + at] = this.#words[block + 1 + at] as number;
      else target.set(this.#words.subarray(block + 1, block + 1 + length), done);
      done += length;
      block = this.#words[block] as number;
    }
    return count;
  }

  /** Removes the slots that `isGone` marks from all lists. */
  drop(isGone: Uint8Array): void {
    const entries = new Uint32Array(isGone.length);
    for (let term = 0; term < this.#first.length; term += 1) {
      const count = this.read(term, entries);
      let kept = 0;
      for (let at = 0; at < count; at += 1) {
        const entry = entries[at] as number;
        if (isGone[entry >>> PAYLOAD_BITS] === 0) entries[kept++] = entry;
      }
      if (kept < count) this.#rewrite(term, entries.subarray(0, kept));
    }
  }

  /** Replaces the entries of a list with fewer ones. */
  #rewrite(term: number, entries: Uint32Array): void {
    let block = this.#first[term] as number;
    let size = FIRST_BLOCK;
    let done = 0;
    while (entries.length - done > size) {
      this.#words.set(entries.subarray(done, done + size), block + 1);
      done += size;
      block = this.#words[block] as number;
      size = nextSize(size);
    }
    this.#words.set(entries.subarray(done), block + 1);
    this.#last[term] = block;
    this.#next[term] = block + 1 + entries.length - done;
    this.#room[term] = size - (entries.length - done);
    this.#counts[term] = entries.length;
  }

  #extend(term: number): void {
    const count = this.#counts[term] as number;
    const size = blockSize(count);
    const block = this.#used;
    this.#used += size + 1;
    while (this.#used > this.#words.length) this.#words = stretched(this.#words);
    if (count === 0) this.#first[term] = block;
    else this.#words[this.#last[term] as number] = block;
    this.#last[term] = block;
    this.#next[term] = block + 1;
    this.#room[term] = size;
  }

  #growTerms(): void {
    this.#first = grown(this.#first);
    this.#last = grown(this.#last);
    this.#counts = grown(this.#counts);
    this.#next = grown(this.#next);
    this.#room = grown(this.#room);
  }
}

function nextSize(size: number): number {
  return Math.min(size * 2, LARGEST_BLOCK);
}

/** The size of the block that holds the entry after `count` others. */
function blockSize(count: number): number {
  let size = FIRST_BLOCK;
  for (let before = FIRST_BLOCK; before <= count; before += size) size = nextSize(size);
  return size;
}

function stretched(words: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.ceil(words.length * 1.4));
  larger.set(words);
  return larger;
}
