import { EARLIEST_DATE, LATEST_DATE } from '#kernel/dates.js';
import { type Fact, type Period, periodsOf } from './timeline.js';

/**
 * Whether somebody who was employed on some day by the facts before is not by those after: a final day was recorded or came
 * earlier, a first day came later. A period whose first day nobody knows has no beginning.
 */
export function losesDays(before: readonly Fact[], after: readonly Fact[]): boolean {
  const now = periodsOf(after);
  return periodsOf(before).some((period, index) => isShorter(now[index], period));
}

function isShorter(after: Period | undefined, before: Period): boolean {
  if (after === undefined) return true;
  const startsLater = (after.start ?? EARLIEST_DATE) > (before.start ?? EARLIEST_DATE);
  return startsLater || (after.finalDay ?? LATEST_DATE) < (before.finalDay ?? LATEST_DATE);
}
