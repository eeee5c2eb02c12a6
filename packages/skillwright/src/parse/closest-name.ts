/** The name most similar to `wanted`, for "Did you mean …?"; `undefined` if none is similar. */
export function closestName(wanted: string, names: Iterable<string>): string | undefined {
  const target = normal(wanted);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(target.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(target, normal(name), bestDistance);
    if (distance >= bestDistance) continue;
    best = name;
    bestDistance = distance;
  }
  return best;
}

function normal(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s]/g, '-').slice(0, 100);
}

/** Counts insertions, deletions, replacements and swapped neighbors; stops at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + same);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    if (Math.min(...current) >= limit) return limit;
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? limit;
}

/** A sentence to append to another: ` Did you mean 'x'?`; `''` without a suggestion. */
export function didYouMean(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
}

/** Names in the form that errors list them: `'a', 'b', …`. */
export function quotedNames(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map((name) => `'${name}'`);
  return [...shown, ...(names.length > most ? ['…'] : [])].join(', ');
}
