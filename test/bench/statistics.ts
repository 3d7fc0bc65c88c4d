/** The median of some numbers, and how far apart they are. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/**
 * The middle of some numbers, the mean of the two in the middle of an even number of them; and the least and
 * the greatest.
 */
export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, lowest: sorted[0]!, highest: sorted.at(-1)! };
}

/** The least number that at least this share (above 0, at most 1) of the numbers does not exceed. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.ceil(share * sorted.length) - 1]!;
}
