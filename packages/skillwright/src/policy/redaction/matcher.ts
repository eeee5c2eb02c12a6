/** A text to look for, and its owner. */
export interface RedactionPattern {
  readonly bytes: Uint8Array;
  readonly owner: number;
}

/** Called with the index after a match, its length and its owner, for the longest pattern that ends there. */
export type OnMatch = (end: number, length: number, owner: number) => void;

/** Finds many patterns in bytes that come in chunks. Immutable: the caller keeps the state, which starts as 0. */
export interface RedactionMatcher {
  /**
   * Scans from `from` in `state`, and returns the state at the end. The bytes before `from` that belong to the state
   * must also be in `bytes`.
   */
  scan(bytes: Uint8Array, from: number, state: number, onMatch: OnMatch): number;
  /** How many of the last bytes may be the start of a pattern. */
  pending(state: number): number;
}

const BLOCK = 3;
const MAX_WINDOW = 32;
const BLOCK_VALUES = 1 << 16;
const blockValue = (a: number, b: number, c: number): number => ((a << 9) ^ (b << 4) ^ c) & (BLOCK_VALUES - 1);

/**
 * An automaton that knows, after every byte, the longest pattern prefix that ends there. A skip table passes over most
 * bytes of long stretches without a prefix. Every pattern has at least three bytes.
 */
export function createRedactionMatcher(patterns: readonly RedactionPattern[]): RedactionMatcher {
  const trie = buildTrie(patterns);
  const { fail, depth, isLeaf, matchLength, matchOwner } = trie;
  const window = Math.min(MAX_WINDOW, ...patterns.map(({ bytes }) => bytes.length));
  const skips = buildSkips(patterns, window);

  /**
   * The first index from `start` at which a pattern may begin. Near the end of the bytes, the index from which on a
   * pattern cannot be ruled out.
   */
  function candidate(bytes: Uint8Array, start: number): number {
    const { length } = bytes;
    let last = start + window - 1;
    while (last < length) {
      const skip = skips[blockValue(bytes[last - 2] ?? 0, bytes[last - 1] ?? 0, bytes[last] ?? 0)] ?? 0;
      if (skip === 0) break;
      last += skip;
    }
    return last - window + 1;
  }

  return {
    pending: (state) => depth[state] ?? 0,
    scan(bytes, from, state, onMatch) {
      let node = state;
      let index = from;
      while (index < bytes.length) {
        const begun = index - (depth[node] ?? 0);
        const start = index - begun < window ? candidate(bytes, begun) : begun;
        if (start > begun) {
          node = 0;
          index = start;
        }
        // Scan until nothing that begins at `start` can match, and too little is pending to be worth keeping.
        do {
          node = trie.next(node, bytes[index] ?? 0);
          index += 1;
          const length = matchLength[node] ?? 0;
          if (length > 0) onMatch(index, length, matchOwner[node] ?? 0);
          if (isLeaf[node] === 1) node = fail[node] ?? 0;
        } while (index < bytes.length && (index - (depth[node] ?? 0) <= start || (depth[node] ?? 0) >= window));
      }
      return node;
    },
  };
}

/**
 * A table of how far a window of bytes may move, by its last three bytes; 0 if a pattern may begin at the start of the
 * window.
 */
function buildSkips(patterns: readonly RedactionPattern[], window: number): Uint8Array {
  const skips = new Uint8Array(BLOCK_VALUES).fill(window - BLOCK + 1);
  for (const { bytes } of patterns) {
    for (let last = BLOCK - 1; last < window; last += 1) {
      const value = blockValue(bytes[last - 2] ?? 0, bytes[last - 1] ?? 0, bytes[last] ?? 0);
      skips[value] = Math.min(skips[value] ?? 0, window - 1 - last);
    }
  }
  return skips;
}

interface Trie {
  readonly fail: Int32Array;
  readonly depth: Int32Array;
  readonly isLeaf: Uint8Array;
  /** Length of the longest pattern that ends at a node; 0 if none does. */
  readonly matchLength: Int32Array;
  readonly matchOwner: Int32Array;
  next(node: number, byte: number): number;
}

/** Nodes are numbers, and the root is 0. The children of a node are a linked list, those of the root a table. */
function buildTrie(patterns: readonly RedactionPattern[]): Trie {
  const size = 1 + patterns.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const numbers = (): Int32Array => new Int32Array(size);
  const [firstChild, sibling, fail, depth] = [numbers(), numbers(), numbers(), numbers()];
  const [matchLength, matchOwner] = [numbers(), numbers()];
  const label = new Uint8Array(size);
  const fromRoot = new Int32Array(256);
  let count = 1;

  const child = (node: number, byte: number): number => {
    if (node === 0) return fromRoot[byte] ?? 0;
    let found = firstChild[node] ?? 0;
    while (found !== 0 && label[found] !== byte) found = sibling[found] ?? 0;
    return found;
  };
  const next = (from: number, byte: number): number => {
    let node = from;
    let found = child(node, byte);
    while (found === 0 && node !== 0) {
      node = fail[node] ?? 0;
      found = child(node, byte);
    }
    return found;
  };
  const add = (node: number, byte: number): number => {
    const added = count;
    count += 1;
    label[added] = byte;
    depth[added] = (depth[node] ?? 0) + 1;
    sibling[added] = firstChild[node] ?? 0;
    firstChild[node] = added;
    if (node === 0) fromRoot[byte] = added;
    return added;
  };

  for (const { bytes, owner } of patterns) {
    let node = 0;
    for (const byte of bytes) {
      const found = child(node, byte);
      node = found === 0 ? add(node, byte) : found;
    }
    if (matchLength[node] === 0) matchOwner[node] = owner;
    matchLength[node] = bytes.length;
  }
  linkFailures();
  const isLeaf = Uint8Array.from(firstChild, (first) => (first === 0 ? 1 : 0));
  return { fail, depth, isLeaf, matchLength, matchOwner, next };

  /**
   * Links each node, breadth first, to the node where matching continues if no child fits, and to the longest pattern
   * that ends there.
   */
  function linkFailures(): void {
    const queue = [0];
    for (const node of queue) {
      for (let at = firstChild[node] ?? 0; at !== 0; at = sibling[at] ?? 0) {
        queue.push(at);
        const link = node === 0 ? 0 : next(fail[node] ?? 0, label[at] ?? 0);
        fail[at] = link;
        if (matchLength[at] === 0) {
          matchLength[at] = matchLength[link] ?? 0;
          matchOwner[at] = matchOwner[link] ?? 0;
        }
      }
    }
  }
}
