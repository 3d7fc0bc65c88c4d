/**
 * A calendar date as `YYYY-MM-DD`, years 0001 to 9999: plain text, so that comparing dates is comparing
 * strings.
 */
export type LocalDate = string;

const DATE_PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/;
const MILLISECONDS_PER_DAY = 86_400_000;

/**
 * The earliest and the latest date that the service accepts. PostgreSQL's `daterange` can represent both and
 * the day after.
 */
export const EARLIEST_DATE: LocalDate = '1900-01-01';
export const LATEST_DATE: LocalDate = '9998-12-31';

/** Whether the text is an existing date of the Gregorian calendar (contract part 1: `YYYY-MM-DD`). */
export function isLocalDate(text: unknown): text is LocalDate {
  if (typeof text !== 'string') return false;
  const match = DATE_PATTERN.exec(text);
  if (match === null || match[1] === '0000') return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Returns the instant of an ISO 8601 date-time with `Z` or an offset; null for any other text. */
export function instantOf(text: string): Date | null {
  if (!DATE_TIME.test(text) || !isLocalDate(text.slice(0, 10))) return null;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

/** Returns the date `days` after `date`, or before it if `days` is negative. */
export function addDays(date: LocalDate, days: number): LocalDate {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);
}

/** Returns the day of the week: 1 for Monday to 7 (ISO 8601). */
export function weekdayOf(date: LocalDate): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
}

/** Returns the Monday of the week of a date. */
export function mondayOf(date: LocalDate): LocalDate {
  return addDays(date, 1 - weekdayOf(date));
}

/** Returns the day after an inclusive final day: the end of a half-open interval. */
export function dayAfter(date: LocalDate): LocalDate {
  return addDays(date, 1);
}

/** Returns the number of days from `from` to `to`; negative if `to` is earlier. */
export function daysBetween(from: LocalDate, to: LocalDate): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / MILLISECONDS_PER_DAY);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns the calendar date at an instant in an IANA time zone. Throws RangeError for an unknown zone. */
export function dateIn(timeZone: string, instant: Date): LocalDate {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formatters.set(timeZone, formatter);
  }
  return formatter.format(instant);
}
