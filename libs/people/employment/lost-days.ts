import { EARLIEST_DATE, LATEST_DATE, type LocalDate } from '#kernel/dates.js';
import { type Fact, type Period, periodsOf } from './timeline.js';

/**
 * Whether the person was employed on a day according to the facts before a command, but is not according to
 * the facts after it: a final day was recorded or moved earlier, or a first day moved later. A period without
 * a recorded first day has no beginning: dated changes do not imply that there was no employment before them.
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
