/** In milliseconds: how long a quick look is followed by rest, and any other look at most. */
const SHORTEST_REST = 100;
const LONGEST_REST = 250;
/** A look is followed by a rest of so many times its length. */
const REST_PER_LOOK = 10;

/**
 * How long to rest before endpoints that are behind are looked at again, in milliseconds, 100 to 250. A look at one endpoint takes 5 to 10 ms. It takes
 * longer where callers keep the machine busy, and then leaves them more of it, and where many endpoints are behind.
 */
export function restAfter(lookMilliseconds: number): number {
  return Math.min(LONGEST_REST, Math.max(SHORTEST_REST, REST_PER_LOOK * lookMilliseconds));
}
