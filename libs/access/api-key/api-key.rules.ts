import { addDays, dateIn, instantOf, isLocalDate, type LocalDate } from '#kernel/dates.js';

const HOUR = 3_600_000;
/** The maximum offset of a time zone from UTC, in either direction. */
const MAX_OFFSET_MILLISECONDS = 26 * HOUR;

/**
 * The time at which a key with this expiry, a date or a date-time, expires: a date means its last second in
 * the organisation's time zone, a date-time (ISO 8601 with `Z` or an offset) itself. Null for other texts.
 */
export function expiryOf(text: string, timeZone: string): Date | null {
  return isLocalDate(text) ? new Date(startOfDay(addDays(text, 1), timeZone) - 1_000) : instantOf(text);
}

/**
 * The first millisecond of a date in a time zone, found by bisection, which handles clock changes at
 * midnight.
 */
function startOfDay(date: LocalDate, timeZone: string): number {
  let before = Date.parse(`${date}T00:00:00Z`) - MAX_OFFSET_MILLISECONDS;
  let reached = before + 2 * MAX_OFFSET_MILLISECONDS;
  while (reached - before > 1) {
    const middle = Math.floor((before + reached) / 2);
    if (dateIn(timeZone, new Date(middle)) >= date) reached = middle;
    else before = middle;
  }
  return reached;
}
