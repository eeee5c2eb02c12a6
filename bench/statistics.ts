/**
 * The smallest number that at least this share of the numbers does not exceed; NaN for an empty list. `share` is 0.5 for the
 * median.
 */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] as number;
  const above = sorted[Math.ceil(position)] as number;
  return below + (above - below) * (position % 1);
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}
