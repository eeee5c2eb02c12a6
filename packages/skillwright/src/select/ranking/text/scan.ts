const SEPARATOR = 1;
const WORD = 2;
const JOINER = 3;
/** A script that is written without spaces between words, or whose words are better found by their parts. */
const UNSPACED = 4;

const UNSPACED_SCRIPTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Whether a chunk is in a script without spaces: a pair of characters, which may be a word or span two words. */
export function isUnspaced(chunk: string): boolean {
  return UNSPACED_SCRIPTS.test(chunk);
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;

const HASH_START_A = 0x811c9dc5;
const HASH_START_B = 0x1747b28c;

/** Numbers that describe a chunk: where it starts, where it ends, and two independent hashes of its code units. */
export const CHUNK_NUMBERS = 4;

/**
 * Finds the chunks of a text: words with their joined parts, or pairs of neighboring characters of an unspaced script.
 */
export class TextScanner {
  /** The chunks of the last scanned text, `CHUNK_NUMBERS` for each. */
  chunks: Int32Array = new Int32Array(1 << 10);
  readonly #kinds = new Uint8Array(0x1_0000);
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(1 << 10);
  #units = new Uint16Array(1 << 10);
  #count = 0;

  constructor() {
    for (let code = 0; code < 0x80; code += 1) this.#kinds[code] = classify(code);
    for (const joiner of '_-.') this.#kinds[joiner.charCodeAt(0)] = JOINER;
  }

  /**
   * Scans the first `limit` code units and returns the number of chunks. Lone surrogates separate chunks, like emoji.
   */
  scan(text: string, limit: number): number {
    const end = Math.min(text.length, limit);
    this.#load(text, end);
    this.#count = 0;
    const units = this.#units;
    const kinds = this.#kinds;
    let at = 0;
    while (at < end) {
      const kind = kinds[units[at] as number] as number;
      if (kind === WORD || (kind === JOINER && isDotNet(units, at))) at = this.#takeWord(at);
      else if (kind === UNSPACED) at = this.#takePairs(at);
      else at += 1;
    }
    return this.#count;
  }

  /**
   * Copies a text into an array, which is several times faster to read than a string. Appends a separator, which ends
   * the last run.
   */
  #load(text: string, length: number): void {
    if (this.#units.length <= length + 4) {
      this.#units = new Uint16Array(length * 2 + 4);
      this.#bytes = new Uint8Array(length * 2 + 4);
    }
    if (!this.#loadAscii(text, length)) this.#loadUnits(text, length);
    this.#units.fill(0, length, length + 4);
  }

  /**
   * Copies an ASCII text, faster than `#loadUnits` does. Returns false for other texts, whose UTF-8 bytes are not their
   * code units.
   */
  #loadAscii(text: string, length: number): boolean {
    const bytes = this.#bytes.subarray(0, length);
    if (this.#encoder.encodeInto(text, bytes).read < length) return false;
    this.#units.set(bytes);
    return true;
  }

  #loadUnits(text: string, length: number): void {
    const units = this.#units;
    const kinds = this.#kinds;
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at);
      units[at] = code;
      // 0 means not yet classified.
      if (kinds[code] === 0) kinds[code] = classify(code);
    }
  }

  #takeWord(start: number): number {
    const units = this.#units;
    const kinds = this.#kinds;
    let at = start;
    let hashA = HASH_START_A;
    let hashB = HASH_START_B;
    for (;;) {
      const code = units[at] as number;
      hashA = Math.imul(hashA ^ code, 0x01000193);
      // The shift distinguishes words that a sum of weighted letters would treat as equal.
      hashB = Math.imul(hashB ^ code, 0x5bd1e995);
      hashB ^= hashB >>> 15;
      at += 1;
      const next = kinds[units[at] as number] as number;
      if (next === WORD) continue;
      if (next !== JOINER || kinds[units[at + 1] as number] !== WORD) break;
    }
    if (at === start + 1 && isSigned(units, start)) {
      at += units[at] === 0x23 ? 1 : 2;
      hashA = ~hashA;
    }
    this.#put(start, at, hashA, hashB);
    return at;
  }

  /** Takes every pair of neighboring characters in a run as a chunk, and a character that stands alone. */
  #takePairs(start: number): number {
    const units = this.#units;
    let end = start + 1;
    while (this.#kinds[units[end] as number] === UNSPACED) end += 1;
    const last = Math.max(start, end - 2);
    for (let at = start; at <= last; at += 1) {
      const first = units[at] as number;
      const second = at + 1 < end ? (units[at + 1] as number) : 0;
      const hash = Math.imul((first << 16) | second, 0x9e3779b1);
      this.#put(at, Math.min(at + 2, end), hash, ~Math.imul(hash ^ second, 31));
    }
    return end;
  }

  #put(start: number, end: number, hashA: number, hashB: number): void {
    const at = this.#count * CHUNK_NUMBERS;
    if (at + CHUNK_NUMBERS > this.chunks.length) {
      const longer = new Int32Array(this.chunks.length * 2);
      longer.set(this.chunks);
      this.chunks = longer;
    }
    const { chunks } = this;
    chunks[at] = start;
    chunks[at + 1] = end;
    chunks[at + 2] = hashA;
    chunks[at + 3] = hashB;
    this.#count += 1;
  }
}

function classify(code: number): number {
  const character = String.fromCharCode(code);
  if (UNSPACED_SCRIPTS.test(character)) return UNSPACED;
  return WORD_CHARACTER.test(character) ? WORD : SEPARATOR;
}

/** Whether this is the `#` of C# or the `++` of C++, after a single letter. */
function isSigned(units: Uint16Array, at: number): boolean {
  const letter = (units[at] as number) | 0x20;
  if (letter !== 0x63 && letter !== 0x66) return false;
  if (units[at + 1] === 0x23) return true;
  return letter === 0x63 && units[at + 1] === 0x2b && units[at + 2] === 0x2b;
}

/** Whether this is a separate `.net`, without letters before it (where the dot would be a joint) or after it. */
function isDotNet(units: Uint16Array, at: number): boolean {
  const isNet =
    units[at] === 0x2e &&
    ((units[at + 1] as number) | 0x20) === 0x6e &&
    ((units[at + 2] as number) | 0x20) === 0x65 &&
    ((units[at + 3] as number) | 0x20) === 0x74;
  if (!isNet) return false;
  const behind = (units[at + 4] as number) | 0x20;
  return !((behind >= 0x61 && behind <= 0x7a) || (behind >= 0x30 && behind <= 0x39));
}
