import { CHUNK_NUMBERS, TextScanner } from './scan.ts';
import type { Vocabulary } from '../index/vocabulary.ts';
import { stemWord, STOP_WORDS } from './words.ts';

/** The smallest and the largest number of slots in the table. Both are powers of two. */
const FIRST_SLOTS = 1 << 10;
const MOST_SLOTS = 1 << 16;
/** How many consecutive slots may hold a chunk. */
const PROBES = 4;
/** How many numbers a slot has: two hashes of a chunk, then its term's number plus 1 or one of the constants below. */
const SLOT_NUMBERS = 3;
const FREE = 0;
const NOTHING = -1;
const SEVERAL = -2;

/**
 * Reads texts as numbered terms. Most chunks of a text have been seen before, so each chunk's result is cached by its
 * hashes in a table of bounded size, in which newer chunks replace older ones.
 */
export class TermReader {
  readonly #vocabulary: Vocabulary;
  readonly #scanner: TextScanner = new TextScanner();
  #table = new Int32Array(FIRST_SLOTS * SLOT_NUMBERS);
  readonly #several = new Map<number, readonly number[]>();
  #slots = FIRST_SLOTS;
  #misses = 0;
  #isNew = false;
  #terms = new Int32Array(1 << 10);
  #length = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** The terms of the first `limit` code units in order, with repetitions. Assigns numbers to new terms. */
  read(text: string, limit: number): Int32Array {
    if (this.#misses > this.#slots && this.#slots < MOST_SLOTS) this.#enlarge();
    this.#length = 0;
    const count = this.#scanner.scan(text, limit);
    const { chunks } = this.#scanner;
    for (let at = 0; at < count * CHUNK_NUMBERS; at += CHUNK_NUMBERS) {
      const slot = this.#slotOf(chunks[at + 2] as number, chunks[at + 3] as number);
      if (this.#isNew) this.#learn(text.slice(chunks[at], chunks[at + 1]), slot);
      const term = this.#table[slot * SLOT_NUMBERS + 2] as number;
      if (term > 0) this.#put(term - 1);
      else if (term === SEVERAL) for (const one of this.#several.get(slot) ?? []) this.#put(one);
    }
    return this.#terms.slice(0, this.#length);
  }

  /** The terms of each chunk as words, in order. Assigns no numbers. */
  readWords(text: string, limit: number): { readonly chunk: string; readonly words: readonly string[] }[] {
    const count = this.#scanner.scan(text, limit);
    const { chunks } = this.#scanner;
    return Array.from({ length: count }, (_, at) => {
      const place = at * CHUNK_NUMBERS;
      const chunk = text.slice(chunks[place], chunks[place + 1]);
      return { chunk, words: termsOfChunk(chunk) };
    });
  }

  /** The slot of a chunk; `#isNew` says whether it was empty or held another chunk until now. */
  #slotOf(hashA: number, hashB: number): number {
    const table = this.#table;
    const mask = this.#slots - 1;
    const first = (hashA ^ (hashA >>> 15) ^ Math.imul(hashB, 0x9e3779b1)) & mask;
    this.#isNew = false;
    for (let probe = 0; probe < PROBES; probe += 1) {
      const slot = (first + probe) & mask;
      const at = slot * SLOT_NUMBERS;
      if (table[at] === hashA && table[at + 1] === hashB) return slot;
      if (table[at + 2] === FREE) return this.#claim(slot, hashA, hashB);
    }
    return this.#claim(first, hashA, hashB);
  }

  #claim(slot: number, hashA: number, hashB: number): number {
    this.#isNew = true;
    this.#table[slot * SLOT_NUMBERS] = hashA;
    this.#table[slot * SLOT_NUMBERS + 1] = hashB;
    return slot;
  }

  #put(term: number): void {
    if (this.#length === this.#terms.length) {
      const longer = new Int32Array(this.#length * 2);
      longer.set(this.#terms);
      this.#terms = longer;
    }
    this.#terms[this.#length++] = term;
  }

  /** Starts over with a larger table, which fills again as terms are read. */
  #enlarge(): void {
    this.#slots *= 8;
    this.#table = new Int32Array(this.#slots * SLOT_NUMBERS);
    this.#several.clear();
    this.#misses = 0;
  }

  #learn(chunk: string, slot: number): void {
    this.#misses += 1;
    const terms = termsOfChunk(chunk).map((term) => this.#vocabulary.add(term));
    if (terms.length > 1) this.#several.set(slot, terms);
    else this.#several.delete(slot);
    const [only = NOTHING - 1] = terms;
    this.#table[slot * SLOT_NUMBERS + 2] = terms.length > 1 ? SEVERAL : only + 1;
  }
}

/** Words longer than this are data and are not indexed. */
const LONGEST_WORD = 40;
const LONGEST_CHUNK = 200;

const SPELLED_SIGNS: ReadonlyMap<string, string> = new Map([
  ['.net', 'dotnet'],
  ['c#', 'csharp'],
  ['f#', 'fsharp'],
  ['c++', 'cpp'],
]);

const JOINERS = /[_.-]+/;
const HUMP = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}\p{Ll})/u;
const MARKS = /\p{M}+/gu;
// eslint-disable-next-line no-control-regex -- ASCII includes control characters
const ASCII = /^[\u0000-\u007f]*$/;
const LONE_LETTER = /^[a-z]$/;
/** Most chunks are plain words or numbers. */
const PLAIN = /^[a-z0-9]+$/;

/**
 * The index terms of one chunk of text, that is letters and digits with single `_`, `-` or `.` between them. A compound
 * gives itself without the joints and each of its parts, so that `tool-call`, `toolCall` and `tool_call` meet each other
 * and the plain words. Accents are folded, stop words and lone letters left out, words stemmed.
 * @internal Exported for its tests.
 */
export function termsOfChunk(chunk: string): string[] {
  if (PLAIN.test(chunk)) return isNoise(chunk) ? [] : [stemWord(chunk)];
  return wordsOfChunk(chunk).flatMap((word) => (isNoise(word) ? [] : [stemWord(word)]));
}

function isNoise(word: string): boolean {
  return word.length > LONGEST_WORD || LONE_LETTER.test(word) || STOP_WORDS.has(word);
}

function wordsOfChunk(chunk: string): string[] {
  const folded = foldAccents(chunk.slice(0, LONGEST_CHUNK));
  const spelled = SPELLED_SIGNS.get(folded.toLowerCase());
  if (spelled !== undefined) return [spelled];
  const parts = folded.split(JOINERS).filter((part) => part !== '');
  const words = parts.flatMap(wordsOfIdentifier);
  return parts.length > 1 ? [parts.join('').toLowerCase(), ...words] : words;
}

function wordsOfIdentifier(part: string): string[] {
  const whole = part.toLowerCase();
  if (!HUMP.test(part)) return [whole];
  const humps = part.split(HUMPS);
  return humps.length > 1 ? [whole, ...humps.map((hump) => hump.toLowerCase())] : [whole];
}

function foldAccents(text: string): string {
  return ASCII.test(text) ? text : text.normalize('NFKD').replaceAll(MARKS, '');
}
