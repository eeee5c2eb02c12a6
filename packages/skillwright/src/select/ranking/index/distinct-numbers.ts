const FIRST_SLOTS = 1 << 11;
const LAST_ROUND = 0xffff_ffff;

/** A set of 32-bit numbers that costs nothing to empty, so that one serves for one text after the other. */
export class DistinctNumbers {
  #values = new Uint32Array(FIRST_SLOTS);
  /** In which round each slot was filled; one of an earlier round is free. */
  #rounds = new Uint32Array(FIRST_SLOTS);
  #round = 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  clear(): void {
    if (this.#round === LAST_ROUND) this.#rounds.fill(0);
    this.#round = (this.#round % LAST_ROUND) + 1;
    this.#size = 0;
  }

  has(value: number): boolean {
    return this.#rounds[this.#slotOf(value)] === this.#round;
  }

  /** Whether the number is new. */
  add(value: number): boolean {
    const slot = this.#slotOf(value);
    if (this.#rounds[slot] === this.#round) return false;
    this.#rounds[slot] = this.#round;
    this.#values[slot] = value;
    this.#size += 1;
    if (this.#size * 2 > this.#values.length) this.#grow();
    return true;
  }

  #slotOf(value: number): number {
    const mask = this.#values.length - 1;
    let slot = (value ^ (value >>> 13)) & mask;
    while (this.#rounds[slot] === this.#round && this.#values[slot] !== value) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const values = this.#values.filter((_, slot) => this.#rounds[slot] === this.#round);
    this.#values = new Uint32Array(this.#values.length * 2);
    this.#rounds = new Uint32Array(this.#values.length);
    for (const value of values) {
      const slot = this.#slotOf(value);
      this.#rounds[slot] = this.#round;
      this.#values[slot] = value;
    }
  }
}
