import type { LocalDate } from '#kernel/dates.js';
import type { OwnHoliday } from './holiday-calendar.js';
import { type CalendarDay, calendarDaysBetween, LIBRARY_KINDS, type LibraryKind } from './public-holidays.js';

/**
 * The kinds of days of an organisation's calendar: those of the library, and `organisation` for days that it
 * added itself.
 */
export const HOLIDAY_KINDS = [...LIBRARY_KINDS, 'organisation'] as const;

/** The settings and changes that determine an organisation's holidays. */
export interface HolidayCalendar {
  /** ISO 3166-1 alpha-2, or 3166-2. */
  readonly holiday_region: string;
  /**
   * False for an organisation that was created when bank holidays of the kind `bank` still counted: see
   * {@link BANK_DAYS_COUNT_BEFORE}.
   */
  readonly public_holidays_only: boolean;
  /** The days that the organisation added or removed itself, by date. */
  readonly own_holidays: readonly OwnHoliday[];
}

/** A day of an organisation's calendar, or a half of one. */
export interface OrganisationHoliday extends Omit<CalendarDay, 'kind'> {
  readonly kind: (typeof HOLIDAY_KINDS)[number];
  /**
   * Whether the day is free; false for a day that the organisation removed, and for a kind that is not a
   * holiday by law.
   */
  readonly isCounted: boolean;
}

/**
 * In organisations that were created before the rule changed, days of the kind `bank` before this date still
 * count, so that a record over past days gives the same result when it is counted again. From this date on
 * only holidays by law count, as in every other organisation.
 */
const BANK_DAYS_COUNT_BEFORE: LocalDate = '2027-01-01';

/** The holidays that count between two days, both included, by date and name. */
export function holidaysBetween(
  calendar: HolidayCalendar,
  from: LocalDate,
  to: LocalDate,
): readonly OrganisationHoliday[] {
  return holidayCalendarBetween(calendar, from, to).filter(({ isCounted }) => isCounted);
}

/**
 * The same with the days that do not count. An organisation's own change of a date replaces the entries of
 * the library for it.
 */
export function holidayCalendarBetween(
  calendar: HolidayCalendar,
  from: LocalDate,
  to: LocalDate,
): readonly OrganisationHoliday[] {
  const { holiday_region: region } = calendar;
  const own = calendar.own_holidays.filter(({ date }) => date >= from && date <= to);
  const said = new Set(own.map(({ date }) => date));
  const ofLibrary = calendarDaysBetween(region, from, to).map((day) => ({
    ...day,
    isCounted: !said.has(day.date) && counts(day.kind, day.date, calendar),
  }));
  const added = own.flatMap(({ date, name, day_part: dayPart }) =>
    dayPart === null
      ? []
      : [{ date, name: name!, region, dayPart, isSubstitute: false, kind: 'organisation' as const, isCounted: true }],
  );
  return [...ofLibrary, ...added].sort((one, other) => compare(one.date, other.date) || compare(one.name, other.name));
}

function counts(kind: LibraryKind, date: LocalDate, { public_holidays_only: isByLaw }: HolidayCalendar): boolean {
  return kind === 'public' || (kind === 'bank' && !isByLaw && date < BANK_DAYS_COUNT_BEFORE);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
