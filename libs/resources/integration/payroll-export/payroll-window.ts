import { addDays, dateIn, daysBetween, type LocalDate } from '#kernel/dates.js';
import type { Issue } from '#kernel/rejection.js';

/** Days from the first to the last of a window, both of them counted (contract part 4). */
export const LONGEST_WINDOW_DAYS = 400;

/** Dates of which both are part. */
export interface PayrollWindow {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

/** What is wrong with a window of two dates that exist; null where nothing is. */
export function windowIssue({ from, to }: PayrollWindow): Issue | null {
  if (from > to) return { field: 'to', issue: 'must not be before from' };
  if (daysBetween(from, to) >= LONGEST_WINDOW_DAYS) {
    return { field: 'to', issue: `makes a window of more than ${LONGEST_WINDOW_DAYS} days, both its ends counted` };
  }
  return null;
}

/** The instants in which something recorded counts as recorded within the window: from `begin` on, before `end`. */
export function instantsOf(window: PayrollWindow, timeZone: string): { readonly begin: Date; readonly end: Date } {
  return { begin: startOfDay(window.from, timeZone), end: startOfDay(addDays(window.to, 1), timeZone) };
}

/** Whether it was recorded on a later day, by the organisation's time zone, than the first of the days that it touches. */
export function isRetroactive(recordedAt: Date, dates: readonly LocalDate[], timeZone: string): boolean {
  const recordedOn = dateIn(timeZone, recordedAt);
  return dates.some((date) => date < recordedOn);
}

/** No time zone was ever further from UTC. */
const FURTHEST_HOURS = 26;
const MILLISECONDS_PER_HOUR = 3_600_000;

/**
 * The first instant, to the millisecond, at which it is this day or a later one there. Found by halving, because a day may
 * begin at one o'clock, or be left out altogether where a country moved across the date line.
 */
export function startOfDay(date: LocalDate, timeZone: string): Date {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  let before = midnight - FURTHEST_HOURS * MILLISECONDS_PER_HOUR;
  let from = midnight + FURTHEST_HOURS * MILLISECONDS_PER_HOUR;
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (dateIn(timeZone, new Date(middle)) >= date) from = middle;
    else before = middle;
  }
  return new Date(from);
}
