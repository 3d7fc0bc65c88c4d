import { addDays, type LocalDate } from '#kernel/dates.js';

/**
 * The days around which the demo's history is arranged, so that it is as fresh on every day on which somebody
 * makes it.
 */
export interface Calendar {
  /** The day on which the history ends: everything was recorded before it began. */
  readonly today: LocalDate;
  /** The day on which the organisation began to use the service. */
  readonly firstDay: LocalDate;
  /** The first day of the last whole month, which payroll looks at. */
  readonly lastMonth: LocalDate;
}

/** Five years. */
const DAYS_OF_HISTORY = 1_826;

/** The calendar of a history that ends on this day. */
export function calendarOf(today: LocalDate): Calendar {
  const [year, month] = today.split('-').map(Number) as [number, number];
  const lastMonth = new Date(Date.UTC(year, month - 2, 1)).toISOString().slice(0, 10);
  return { today, firstDay: addDays(today, -DAYS_OF_HISTORY), lastMonth };
}

/** The calendar of a history whose first day this is. */
export function calendarFrom(firstDay: LocalDate): Calendar {
  return calendarOf(addDays(firstDay, DAYS_OF_HISTORY));
}

/**
 * When something of that day was recorded, ISO 8601 in UTC. What belongs to today or later is recorded on the
 * day before today.
 *
 * @param minute of the working day, which begins at 8:00 UTC.
 */
export function instantOn(calendar: Calendar, day: LocalDate, minute: number): string {
  const yesterday = addDays(calendar.today, -1);
  const recordedOn = day < yesterday ? day : yesterday;
  const from = recordedOn < calendar.firstDay ? calendar.firstDay : recordedOn;
  return new Date(Date.parse(`${from}T08:00:00Z`) + (60 + (minute % 480)) * 60_000).toISOString();
}

/** That day, or the next Monday. */
export function mondayBy(day: LocalDate): LocalDate {
  return addDays(day, (8 - weekdayOf(day)) % 7);
}

/** That day, or the next Tuesday. */
export function tuesdayBy(day: LocalDate): LocalDate {
  return addDays(day, (9 - weekdayOf(day)) % 7);
}

/** 0 for a Sunday to 6 for a Saturday. */
export function weekdayOf(day: LocalDate): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}
