import { BODY, DESCRIPTION, type FieldWeight, NAME, TAGS } from '../lexical/weights.ts';

/** How long a field is in each slot, in terms, and what one occurrence in it is worth by that. */
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

  /** Weight by length for each slot, as of the last `settle`. */
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

  /** Makes the worths anew from the mean length of the slots in use. */
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
export interface SlotLengths {
  readonly name: FieldLengths;
  readonly description: FieldLengths;
  readonly tags: FieldLengths;
  readonly body: FieldLengths;
}

export function createSlotLengths(): SlotLengths {
  return {
    name: new FieldLengths(NAME),
    description: new FieldLengths(DESCRIPTION),
    tags: new FieldLengths(TAGS),
    body: new FieldLengths(BODY),
  };
}
