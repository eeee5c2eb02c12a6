import type { CallUnderWay } from './call-upstream.ts';

/**
 * Calls that have not ended. Not a `Set`: each table that a set has outgrown refers to the next, so that once one of them was
 * old when it was left, all calls of later tables count as alive until the next full collection, and everything they hold
 * with them. That was a fifth of the gateway's time.
 */
export class CallsUnderWay {
  readonly #places: Place[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** Returns what to call when it has ended. Again is fine. */
  add(call: CallUnderWay): () => void {
    const place: Place = { call, index: this.#places.length };
    this.#places.push(place);
    return () => this.#leave(place);
  }

  endAll(): void {
    // Each may leave as it is ended.
    for (const { call } of this.#places.slice()) call.end();
  }

  /** The last takes the place of one that leaves. */
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
