import { addDays, isLocalDate, type LocalDate, weekdayOf } from '#kernel/dates.js';

/** The days to which sample data refer, so that the data are equally recent on every day. */
export interface Calendar {
  /** The day on which the history ends: all events are recorded before it begins. */
  readonly today: LocalDate;
  /** The day on which the organisation began to use the service. */
  readonly firstDay: LocalDate;
  /** The first day of the last whole month, that of the payroll examples. */
  readonly lastMonth: LocalDate;
  readonly thisMonth: LocalDate;
  readonly newYear: LocalDate;
  /** Some days before the end of the year. */
  readonly yearEnd: LocalDate;
  readonly lastYearEnd: LocalDate;
}

/** Five years. */
const DAYS_OF_HISTORY = 1_826;

/** The calendar of a history that ends on this day. */
export function calendarOf(today: LocalDate): Calendar {
  const [year, month] = today.split('-').map(Number) as [number, number];
  return {
    today,
    firstDay: addDays(today, -DAYS_OF_HISTORY),
    lastMonth: new Date(Date.UTC(year, month - 2, 1)).toISOString().slice(0, 10),
    thisMonth: `${today.slice(0, 7)}-01`,
    newYear: `${year}-01-01`,
    yearEnd: `${year}-12-28`,
    lastYearEnd: `${year - 1}-12-28`,
  };
}

/** The calendar of a history whose first day this is. */
export function calendarFrom(firstDay: LocalDate): Calendar {
  return calendarOf(addDays(firstDay, DAYS_OF_HISTORY));
}

/** A date or a name of the calendar, an optional number of days to add, and an optional following weekday. */
const DAY = /^(?:(monday|tuesday) )?(\d{4}-\d\d-\d\d|[a-zA-Z]+)([+-]\d+)?$/;
const WEEKDAYS: Readonly<Record<string, number>> = { monday: 1, tuesday: 2 };

/**
 * The day of a text in the data files: `2026-06-17`, `lastMonth+17`, `monday today+14`.
 *
 * @param later further days, before the weekday is looked for
 * @throws Error if the text names no day
 */
export function dayOf(text: string, calendar: Calendar, later = 0): LocalDate {
  const [, weekday, name = '', days = '0'] = DAY.exec(text) ?? [];
  const start = name in calendar ? calendar[name as keyof Calendar] : name;
  if (!isLocalDate(start)) throw new Error(`"${text}" names no day`);
  const from = addDays(start, Number(days) + later);
  return weekday === undefined ? from : addDays(from, (WEEKDAYS[weekday]! + 7 - weekdayOf(from)) % 7);
}

/** The same data with dates in place of days in braces: `{lastMonth+17}`. */
export function withDays<Data>(data: Data, calendar: Calendar): Data {
  const text = JSON.stringify(data).replace(/\{([a-zA-Z][\w +-]*)\}/g, (_, day: string) => dayOf(day, calendar));
  return JSON.parse(text) as Data;
}

/**
 * The recorded time of data of that day, ISO 8601 in UTC. Data of today or later are recorded on the day
 * before today.
 *
 * @param minute of the working day, which begins at 8:00 UTC.
 */
export function instantOn(calendar: Calendar, day: LocalDate, minute: number): string {
  const yesterday = addDays(calendar.today, -1);
  const recordedOn = day < yesterday ? day : yesterday;
  const from = recordedOn < calendar.firstDay ? calendar.firstDay : recordedOn;
  return new Date(Date.parse(`${from}T08:00:00Z`) + (60 + (minute % 480)) * 60_000).toISOString();
}
