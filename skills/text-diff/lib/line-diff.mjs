/** Edits after which a search stops being exact and splits at its best point, so that time stays bounded. */
const MAX_COST = 1000;
const UNREACHED = -0x3fffffff;

/**
 * Compares two lists of lines. `removed[i]` is 1 where line i of `before` is not kept, `added[j]` where line j of
 * `after` is new; the other lines match in order. The result is a shortest one when 2,000 edits suffice, and a valid,
 * possibly longer one beyond.
 */
export function diffLines(before, after) {
  const removed = new Uint8Array(before.length);
  const added = new Uint8Array(after.length);
  const ids = new Map();
  const a = toIds(before, ids);
  const b = toIds(after, ids);
  // A line that the other side lacks can never match. Leaving such lines out does not change what is kept, and makes
  // wholly different texts cheap.
  const keptA = keepShared(a, b, removed, ids.size);
  const keptB = keepShared(b, a, added, ids.size);
  markChanges(a, keptA, removed, b, keptB, added);
  return { removed, added };
}

function toIds(lines, ids) {
  return Int32Array.from(lines, (line) => {
    let id = ids.get(line);
    if (id === undefined) ids.set(line, (id = ids.size));
    return id;
  });
}

/** Indices of the lines that occur on the other side; the rest are marked as changed. */
function keepShared(own, other, marks, idCount) {
  const shared = new Uint8Array(idCount);
  for (const id of other) shared[id] = 1;
  const kept = [];
  own.forEach((id, index) => {
    if (shared[id]) kept.push(index);
    else marks[index] = 1;
  });
  return kept;
}

/** Myers' divide and conquer in linear space, over a stack of boxes instead of recursion. */
function markChanges(a, keptA, removed, b, keptB, added) {
  const x = Int32Array.from(keptA, (index) => a[index]);
  const y = Int32Array.from(keptB, (index) => b[index]);
  const size = Math.min(x.length + y.length, 2 * MAX_COST) + 4;
  const frontiers = { forward: new Int32Array(2 * size + 1), backward: new Int32Array(2 * size + 1), middle: size };
  const boxes = [[0, x.length, 0, y.length]];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    let [left, right, top, bottom] = box;
    while (left < right && top < bottom && x[left] === y[top]) {
      left += 1;
      top += 1;
    }
    while (left < right && top < bottom && x[right - 1] === y[bottom - 1]) {
      right -= 1;
      bottom -= 1;
    }
    if (left === right) {
      for (let j = top; j < bottom; j += 1) added[keptB[j]] = 1;
    } else if (top === bottom) {
      for (let i = left; i < right; i += 1) removed[keptA[i]] = 1;
    } else {
      const [i, j] = findSplit(x, left, right, y, top, bottom, frontiers);
      boxes.push([left, i, top, j], [i, right, j, bottom]);
    }
  }
}

/**
 * A point of a shortest path through the box, strictly between its corners. Diagonal k holds the points with
 * column - row = k; a frontier stores the furthest column reached on each diagonal, counted from its own corner.
 */
function findSplit(x, left, right, y, top, bottom, { forward, backward, middle }) {
  const width = right - left;
  const height = bottom - top;
  const delta = width - height;
  const odd = (delta & 1) !== 0;

  for (let cost = 0; cost <= MAX_COST; cost += 1) {
    clearEdges(forward, middle, cost);
    for (let k = -cost; k <= cost; k += 2) {
      let column = step(forward, middle, cost, k, width, height);
      if (column < 0) continue;
      while (column < width && column - k < height && x[left + column] === y[top + column - k]) column += 1;
      forward[middle + k] = column;
      const mirrored = delta - k;
      if (odd && Math.abs(mirrored) < cost && meets(backward[middle + mirrored], column, width)) {
        return [left + column, top + column - k];
      }
    }
    clearEdges(backward, middle, cost);
    for (let k = -cost; k <= cost; k += 2) {
      let column = step(backward, middle, cost, k, width, height);
      if (column < 0) continue;
      while (column < width && column - k < height && x[right - 1 - column] === y[bottom - 1 - column + k]) column += 1;
      backward[middle + k] = column;
      const mirrored = delta - k;
      if (!odd && Math.abs(mirrored) <= cost && meets(forward[middle + mirrored], column, width)) {
        return [right - column, bottom - column + k];
      }
    }
  }
  return furthestPoint(forward, middle, left, top);
}

function clearEdges(frontier, middle, cost) {
  frontier[middle - cost - 1] = UNREACHED;
  frontier[middle + cost + 1] = UNREACHED;
}

/** Column reached on diagonal k by one more edit, or UNREACHED (also stored) when that would leave the box. */
function step(frontier, middle, cost, k, width, height) {
  if (cost === 0) return 0;
  const down = frontier[middle + k + 1];
  const across = frontier[middle + k - 1] + 1;
  let column = UNREACHED;
  if (down >= 0 && down - k <= height) column = down;
  if (across > column && across > 0 && across <= width) column = across;
  if (column < 0) frontier[middle + k] = UNREACHED;
  return column;
}

function meets(opposite, column, width) {
  return opposite >= 0 && opposite + column >= width;
}

function furthestPoint(frontier, middle, left, top) {
  let best = [left, top];
  for (let k = -MAX_COST; k <= MAX_COST; k += 2) {
    const column = frontier[middle + k];
    const point = [left + column, top + column - k];
    if (column >= 0 && point[0] + point[1] > best[0] + best[1]) best = point;
  }
  return best;
}
