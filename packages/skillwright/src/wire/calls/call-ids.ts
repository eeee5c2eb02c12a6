const PRIME = 0x100000001b3n;

/** The last `length` letters and digits of the text's 64-bit FNV-1a hash over UTF-16 code units. */
export function shortHash(text: string, length: number): string {
  let value = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at += 1) value = BigInt.asUintN(64, (value ^ BigInt(text.charCodeAt(at))) * PRIME);
  return value.toString(36).padStart(13, '0').slice(-length);
}

/** Matches call ids that every provider accepts: some providers refuse longer ids, and some refuse other characters. */
const LEGAL = /^[a-zA-Z0-9_-]{1,40}$/;
const HASH_LENGTH = 13;

/**
 * The seed for the generated call ids of an answer: the answer's own id. An answer without an id gets a unique seed,
 * because calls of two rounds must never share an id.
 */
export function callSeed(answerId: string | undefined): string {
  return answerId ?? globalThis.crypto.randomUUID();
}

/** An id that every provider accepts; equal texts get equal ids. */
export function madeCallId(prefix: 'call' | 'toolu', text: string): string {
  return `${prefix}_${shortHash(text, HASH_LENGTH)}`;
}

/** Assigns unique ids to the calls of one answer: the provider's id if there is one, otherwise a generated id. */
export class CallIds {
  readonly #prefix: 'call' | 'toolu';
  readonly #taken = new Set<string>();

  constructor(prefix: 'call' | 'toolu') {
    this.#prefix = prefix;
  }

  claim(givenId: string | undefined, position: number, seed: string): string {
    const wanted = givenId ?? this.#made(`${seed}_${position}`);
    let id = wanted;
    for (let copy = 2; this.#taken.has(id); copy += 1) id = copyOf(this.#prefix, wanted, copy);
    this.#taken.add(id);
    return id;
  }

  #made(name: string): string {
    return short(this.#prefix, `${this.#prefix}_${name}`);
  }
}

/**
 * Whether `id` was generated for a call because another call of the same answer already had the call's own id, `given`.
 * `calls` is the number of calls in the answer.
 */
export function isCopyOf(id: string, given: string, calls: number): boolean {
  if (given === '') return false;
  for (let copy = 2; copy <= calls + 1; copy += 1)
    if (id === copyOf('call', given, copy) || id === copyOf('toolu', given, copy)) return true;
  return false;
}

function copyOf(prefix: 'call' | 'toolu', id: string, copy: number): string {
  return short(prefix, `${id}_${copy}`);
}

function short(prefix: 'call' | 'toolu', id: string): string {
  return LEGAL.test(id) ? id : madeCallId(prefix, id);
}
