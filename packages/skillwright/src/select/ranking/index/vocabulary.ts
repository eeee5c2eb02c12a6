const FIRST_SLOTS = 1 << 12;

/**
 * Numbers for terms. Stores 64 bits of hash instead of each term, because a search never reads a term back. Numbers
 * count from 0 in order of arrival; `hashOf` does not depend on that order.
 */
export class Vocabulary {
  #mask = FIRST_SLOTS - 1;
  #keys = new Uint32Array(FIRST_SLOTS * 2);
  #ids = new Int32Array(FIRST_SLOTS).fill(-1);
  #hashes = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#ids.byteLength + this.#hashes.byteLength;
  }

  /** The term's number; −1 if the term has none. */
  find(term: string): number {
    const [low, high] = hashTerm(term);
    return this.#ids[this.#slotOf(low, high)] as number;
  }

  /** The term's number; assigns a new one if it has none. */
  add(term: string): number {
    const [low, high] = hashTerm(term);
    return this.addKey(low, high);
  }

  /** Like `add`, for a term of which only the hashes from `keys` are known. */
  addKey(low: number, high: number): number {
    const slot = this.#slotOf(low, high);
    const known = this.#ids[slot] as number;
    if (known >= 0) return known;
    const id = this.#size;
    this.#put(slot, low, high, id);
    if (id >= this.#hashes.length) this.#hashes = grown(this.#hashes);
    this.#hashes[id] = low;
    this.#size += 1;
    if (this.#size * 3 > this.#mask * 2) this.#grow();
    return id;
  }

  /** The two hashes of each term, in the order of their numbers. */
  keys(): Uint32Array {
    const keys = new Uint32Array(this.#size * 2);
    for (let slot = 0; slot < this.#ids.length; slot += 1) {
      const id = this.#ids[slot] as number;
      if (id >= 0) keys.set(this.#keys.subarray(slot * 2, slot * 2 + 2), id * 2);
    }
    return keys;
  }

  hashOf(id: number): number {
    return this.#hashes[id] as number;
  }

  #slotOf(low: number, high: number): number {
    let slot = low & this.#mask;
    while ((this.#ids[slot] as number) >= 0 && !this.#holds(slot, low, high)) slot = (slot + 1) & this.#mask;
    return slot;
  }

  #holds(slot: number, low: number, high: number): boolean {
    return this.#keys[slot * 2] === low && this.#keys[slot * 2 + 1] === high;
  }

  #put(slot: number, low: number, high: number, id: number): void {
    this.#keys[slot * 2] = low;
    this.#keys[slot * 2 + 1] = high;
    this.#ids[slot] = id;
  }

  #grow(): void {
    const keys = this.#keys;
    const ids = this.#ids;
    const slots = ids.length * 2;
    this.#mask = slots - 1;
    this.#keys = new Uint32Array(slots * 2);
    this.#ids = new Int32Array(slots).fill(-1);
    for (let slot = 0; slot < ids.length; slot += 1) {
      const id = ids[slot] as number;
      if (id < 0) continue;
      const low = keys[slot * 2] as number;
      const high = keys[slot * 2 + 1] as number;
      this.#put(this.#slotOf(low, high), low, high, id);
    }
  }
}

/** A copy of the numbers in an array of twice the length. */
export function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

function hashTerm(term: string): [number, number] {
  let low = 0x811c9dc5;
  let high = 0x2545f491;
  for (let at = 0; at < term.length; at += 1) {
    const code = term.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high, 0x5bd1e995) + code;
  }
  return [mix(low), mix(high)];
}

function mix(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
