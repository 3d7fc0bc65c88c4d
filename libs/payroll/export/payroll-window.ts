import { addDays, dateIn, daysBetween, type LocalDate } from '#kernel/dates.js';
import type { Issue } from '#kernel/rejection.js';

/** The maximum number of days of a window, including its first and last day (contract part 4). */
export const MAX_WINDOW_DAYS = 400;

/** The first and the last date of a window, both included. */
export interface PayrollWindow {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

/** The issue of a window of two valid dates; null if there is none. */
export function windowIssue({ from, to }: PayrollWindow): Issue | null {
  if (from > to) return { field: 'to', issue: 'must not be before from' };
  if (daysBetween(from, to) >= MAX_WINDOW_DAYS) {
    return { field: 'to', issue: `makes a window of more than ${MAX_WINDOW_DAYS} days, both its ends counted` };
  }
  return null;
}

/**
 * The instants of the window: facts recorded from `begin` on and before `end` count as recorded within it.
 */
export function instantsOf(window: PayrollWindow, timeZone: string): { readonly begin: Date; readonly end: Date } {
  return { begin: startOfDay(window.from, timeZone), end: startOfDay(addDays(window.to, 1), timeZone) };
}

/**
 * Whether a fact was recorded on a later day, in the organisation's time zone, than the first of the days
 * that it concerns.
 */
export function isRetroactive(recordedAt: Date, dates: readonly LocalDate[], timeZone: string): boolean {
  const recordedOn = dateIn(timeZone, recordedAt);
  return dates.some((date) => date < recordedOn);
}

/** More than the offset of any past or present time zone from UTC. */
const FURTHEST_HOURS = 26;
const MILLISECONDS_PER_HOUR = 3_600_000;

/**
 * The first instant, to the millisecond, of this day or a later one in the time zone. Found by bisection,
 * because a day may begin at one o'clock, or be skipped because a country moved across the date line.
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
