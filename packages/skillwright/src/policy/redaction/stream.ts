import type { RedactionMatcher } from './matcher.ts';

/** Takes bytes and returns them in order, with secrets redacted. The output may be a view of the input. */
export interface RedactionStream {
  write(chunk: Uint8Array): Uint8Array;
  /** Returns the bytes that are still held. The stream may be used again. */
  end(): Uint8Array;
}

/** Bytes to be replaced. Indexes count from the first held byte. */
interface Region {
  start: number;
  end: number;
  owner: number;
  /** Length of the pattern that names the region. */
  longest: number;
}

const NOTHING = new Uint8Array(0);

/**
 * Passes bytes on at once, unless they may be the beginning of a secret. Holds back at most the length of the longest
 * pattern.
 */
export function createRedactionStream(matcher: RedactionMatcher, labels: readonly Uint8Array[]): RedactionStream {
  let held: Uint8Array = NOTHING;
  let state = 0;
  let regions: Region[] = [];

  function noteMatch(end: number, length: number, owner: number): void {
    const region: Region = { start: end - length, end, owner, longest: length };
    for (let last = regions.at(-1); last !== undefined && last.end > region.start; last = regions.at(-1)) {
      region.start = Math.min(region.start, last.start);
      if (last.longest >= region.longest) {
        region.longest = last.longest;
        region.owner = last.owner;
      }
      regions.pop();
    }
    regions.push(region);
  }

  /** Returns the bytes before `limit`, where no later match can begin, and holds the rest. */
  function release(bytes: Uint8Array, limit: number): Uint8Array {
    const pieces: Uint8Array[] = [];
    const kept: Region[] = [];
    let index = 0;
    for (const region of regions) {
      if (region.start < limit) {
        if (region.start > index) pieces.push(bytes.subarray(index, region.start));
        index = Math.min(region.end, limit);
      }
      if (region.end <= limit) pieces.push(new Uint8Array(labels[region.owner] ?? NOTHING));
      else kept.push({ ...region, start: region.start - limit, end: region.end - limit });
    }
    if (index < limit) pieces.push(bytes.subarray(index, limit));
    regions = kept;
    return joinBytes(pieces);
  }

  return {
    write(chunk) {
      const bytes = held.length === 0 ? chunk : joinBytes([held, chunk]);
      state = matcher.scan(bytes, held.length, state, noteMatch);
      const limit = bytes.length - matcher.pending(state);
      const released = limit === bytes.length && regions.length === 0 ? bytes : release(bytes, limit);
      // Copy, because the caller may reuse its chunk. (`slice` of a Buffer would not copy.)
      held = limit === bytes.length ? NOTHING : new Uint8Array(bytes.subarray(limit));
      return released;
    },
    end() {
      const released = release(held, held.length);
      held = NOTHING;
      state = 0;
      regions = [];
      return released;
    },
  };
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let index = 0;
  for (const piece of pieces) {
    joined.set(piece, index);
    index += piece.length;
  }
  return joined;
}
