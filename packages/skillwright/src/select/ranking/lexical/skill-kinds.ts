import type { RankableSkill } from '../../../spec/ranker.ts';

/**
 * Groups skills that are copies of each other, that is, have the same description. Rarity is counted over these kinds,
 * so that copies of a skill do not make its words common, and nobody can silence a skill by copying it.
 */
export class SkillKinds {
  #bySlot = new Uint32Array(0);
  #seen = new Uint32Array(0);
  #size = 0;
  #round = 0;
  #hasCopies = false;

  /** How many kinds there are. */
  get size(): number {
    return this.#size;
  }

  /** Recomputes the kinds, slot by slot. */
  settle(slots: readonly ({ readonly skill: RankableSkill } | undefined)[]): void {
    const kinds = new Map<string, number>();
    let skills = 0;
    this.#bySlot = new Uint32Array(slots.length);
    for (const [slot, entry] of slots.entries()) {
      if (entry === undefined) continue;
      skills += 1;
      const { description } = entry.skill;
      const kind = kinds.get(description) ?? kinds.size;
      kinds.set(description, kind);
      this.#bySlot[slot] = kind;
    }
    this.#size = kinds.size;
    this.#hasCopies = kinds.size < skills;
    this.#seen = new Uint32Array(kinds.size);
    this.#round = 0;
  }

  /** How many kinds the first `count` of these slots have. */
  countIn(slots: Int32Array, count: number): number {
    if (!this.#hasCopies) return count;
    this.#round += 1;
    let kinds = 0;
    for (let at = 0; at < count; at += 1) {
      const kind = this.#bySlot[slots[at] as number] as number;
      if (this.#seen[kind] === this.#round) continue;
      this.#seen[kind] = this.#round;
      kinds += 1;
    }
    return kinds;
  }
}
