import { EARLIEST_DATE, LATEST_DATE, type LocalDate } from '#kernel/dates.js';
import { type Fact, type Period, periodsOf } from './timeline.js';

/**
 * Whether a person who was employed on some day by the facts before is not by those after: a final day was recorded or came
 * earlier, a first day came later. A period without a recorded first day has no beginning: that dated changes begin on some
 * day does not say that there was no employment before.
 */
export function losesDays(before: readonly Fact[], after: readonly Fact[]): boolean {
  const now = periodsOf(after);
  return periodsOf(before).some((period, index) => isShorter(now[index], period));
}

function isShorter(after: Period | undefined, before: Period): boolean {
  if (after === undefined) return true;
  return firstDayOf(after) > firstDayOf(before) || (after.finalDay ?? LATEST_DATE) < (before.finalDay ?? LATEST_DATE);
}

function firstDayOf({ start, startIsKnown }: Period): LocalDate {
  return startIsKnown && start !== null ? start : EARLIEST_DATE;
}
