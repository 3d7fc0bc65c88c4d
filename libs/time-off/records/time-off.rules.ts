import { addDays, daysBetween, type LocalDate } from '#kernel/dates.js';
import { invalid, type Rejection } from '#kernel/rejection.js';
import { type DayPart, dayPartProblem, type RequestedDays } from './day-count.rules.js';

/**
 * The dates of a record and the parts of its first and last day. For a single day both parts are the same.
 */
export type Dates = {
  readonly start_date: LocalDate;
  /** Inclusive. */
  readonly end_date: LocalDate;
  readonly start_day_part: DayPart;
  readonly end_day_part: DayPart;
};

/** Dates as a caller names them: parts of days may be left out. */
export interface NamedDates {
  readonly start_date: LocalDate;
  readonly end_date: LocalDate;
  readonly start_day_part?: DayPart | undefined;
  readonly end_day_part?: DayPart | undefined;
}

/** The maximum number of days of a record, weekends and holidays included: a leap year. */
export const MAX_TIME_OFF_DAYS = 366;

/** The maximum number of years ahead in which a record may end; later dates are typing errors. */
export const MAX_YEARS_AHEAD = 10;

/**
 * The dates with every part. A part that is left out equals the other part for a single day, and is the whole
 * day otherwise.
 */
export function completeDates(named: NamedDates): Dates {
  const { start_date, end_date, start_day_part: start, end_day_part: end } = named;
  const [ofStart, ofEnd] = start_date === end_date ? [end, start] : [];
  return { start_date, end_date, start_day_part: start ?? ofStart ?? 'full', end_day_part: end ?? ofEnd ?? 'full' };
}

/**
 * The dates after a change of some of them. Parts that are absent stay with their day. If a single day
 * becomes a longer range, its part stays only if it is valid there; otherwise the change is refused.
 */
export function changedDates(before: Dates, named: Partial<NamedDates>): Dates {
  const { start_date = before.start_date, end_date = before.end_date } = named;
  const namesPart = named.start_day_part !== undefined || named.end_day_part !== undefined;
  if (start_date === end_date && namesPart)
    return completeDates({
      start_date,
      end_date,
      start_day_part: named.start_day_part,
      end_day_part: named.end_day_part,
    });
  return {
    start_date,
    end_date,
    start_day_part: named.start_day_part ?? before.start_day_part,
    end_day_part: named.end_day_part ?? before.end_day_part,
  };
}

/** Refuses dates that are not valid for any person. */
export function datesRejection(dates: Dates, today: LocalDate): Rejection | null {
  if (dates.end_date < dates.start_date) return invalid('end_date', 'is before start_date');
  if (daysBetween(dates.start_date, dates.end_date) >= MAX_TIME_OFF_DAYS) {
    return invalid('end_date', `makes it longer than ${MAX_TIME_OFF_DAYS} days: record it in parts`);
  }
  if (daysBetween(today, dates.end_date) > MAX_YEARS_AHEAD * MAX_TIME_OFF_DAYS)
    return invalid('end_date', `is more than ${MAX_YEARS_AHEAD} years ahead`);
  const problem = dayPartProblem(asRequested(dates));
  return problem === null ? null : invalid(problem.field, problem.issue);
}

/** The dates in the form that counting days requires. */
export function asRequested(dates: Dates): RequestedDays {
  return {
    startDate: dates.start_date,
    endDate: dates.end_date,
    startDayPart: dates.start_day_part,
    endDayPart: dates.end_day_part,
  };
}

/** The part of a day that the dates take; null if they do not contain the day. */
function dayPartOn(dates: Dates, day: LocalDate): DayPart | null {
  if (day < dates.start_date || day > dates.end_date) return null;
  return day === dates.start_date ? dates.start_day_part : day === dates.end_date ? dates.end_day_part : 'full';
}

/**
 * Whether two records claim the same half of a day (decisions, "Time off"): they clash if they share a date,
 * unless one takes its morning and the other its afternoon, whether or not that day is counted.
 */
export function clash(one: Dates, other: Dates): boolean {
  const first = one.start_date > other.start_date ? one.start_date : other.start_date;
  const last = one.end_date < other.end_date ? one.end_date : other.end_date;
  // Records that share two or more days clash on one of the first two, so this loop is short.
  for (let day = first; day <= last; day = addDays(day, 1)) {
    const [part, otherPart] = [dayPartOn(one, day)!, dayPartOn(other, day)!];
    if (part === 'full' || otherPart === 'full' || part === otherPart) return true;
  }
  return false;
}

/** The dates restricted to some of their days, each of which keeps its part. */
export function cutTo(dates: Dates, { first, last }: { readonly first: LocalDate; readonly last: LocalDate }): Dates {
  return {
    start_date: first,
    end_date: last,
    start_day_part: dayPartOn(dates, first)!,
    end_day_part: dayPartOn(dates, last)!,
  };
}
