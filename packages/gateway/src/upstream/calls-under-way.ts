import type { CallUnderWay } from './call-upstream.ts';

/**
 * Calls that have not ended. Not a `Set`: When a set outgrows its table, V8 links the old table to the new one. Once an
 * old table reaches the old generation, all calls in later tables stay in memory until the next full garbage
 * collection. That cost a fifth of the gateway's time.
 */
export class CallsUnderWay {
  readonly #places: Place[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** Returns the function to call when the call has ended. Safe to call again. */
  add(call: CallUnderWay): () => void {
    const place: Place = { call, index: this.#places.length };
    this.#places.push(place);
    return () => this.#leave(place);
  }

  endAll(): void {
    // A copy, because each call may leave the list as it ends.
    for (const { call } of this.#places.slice()) call.end();
  }

  /** Moves the last call to the free place. */
  #leave(place: Place): void {
    if (this.#places[place.index] !== place) return;
    const last = this.#places.pop() as Place;
    if (last === place) return;
    last.index = place.index;
    this.#places[place.index] = last;
  }
}

interface Place {
  readonly call: CallUnderWay;
  index: number;
}
