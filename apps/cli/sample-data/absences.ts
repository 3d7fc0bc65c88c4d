import { addDays, type LocalDate } from '#kernel/dates.js';
import { type Calendar, mondayBy, instantOn, tuesdayBy, weekdayOf } from './calendar.js';
import { publicHolidaysBetween } from '#time-off/settings/public-holidays.js';
import type { TimeOffStep } from '#time-off/requests/request-time-off.js';
import { clash, type Dates, type NamedDates, completeDates } from '#time-off/records/time-off.rules.js';
import {
  ANNUAL_LEAVE,
  COMPASSIONATE_LEAVE,
  PARENTAL_LEAVE,
  SICK_LEAVE,
  TIME_OFF_SETTINGS,
  UNPAID_LEAVE,
} from './policies.js';
import type { DemoPerson } from './demo-person.js';

/** A made-up record of time off, and what happened to it after it was requested. */
export interface Absence {
  /** Label of its category. */
  readonly category: string;
  readonly dates: Dates;
  readonly steps: readonly TimeOffStep[];
}

/** Whose time off, and around which day: the number identifies the person. */
export interface Leave {
  readonly number: number;
  readonly demoPerson: Pick<DemoPerson, 'startDate' | 'facts'>;
  readonly today: LocalDate;
}

const APPROVED: readonly TimeOffStep[] = ['approve'];

/**
 * A person's time off from a year ago until a few months ahead. Only what the rules take: on days of
 * employment, with a day that counts for all people, and no two standard records on the same half of a day.
 */
export function generateAbsences(leave: Leave): readonly Absence[] {
  const kept: Absence[] = [];
  for (const absence of candidates(leave)) {
    const isFree =
      absence.category === SICK_LEAVE ||
      kept.every((other) => other.category === SICK_LEAVE || !clash(other.dates, absence.dates));
    if (isFree && isEmployed(leave.demoPerson, absence.dates) && somethingCounts(absence.dates)) kept.push(absence);
  }
  return kept;
}

const REQUESTED_DAYS_BEFORE = 21;

/**
 * When the record was requested, and when each of its steps was taken: ISO 8601 in UTC. Time off is requested
 * weeks before it begins, and illness is recorded on the day after; never before the employment that it
 * belongs to was recorded.
 */
export function instantsFrom(
  { category, dates, steps }: Absence,
  { hiredAt, facts }: Pick<DemoPerson, 'hiredAt' | 'facts'>,
  calendar: Calendar,
  number: number,
): readonly string[] {
  const { start_date: start } = dates;
  const requested = category === SICK_LEAVE ? addDays(start, 1) : addDays(start, -REQUESTED_DAYS_BEFORE - (number % 9));
  const employedSince = facts
    .filter(({ type, date }) => type === 'reactivate' && date <= start)
    .map(({ recordedAt }) => recordedAt);
  const recorded = [hiredAt, ...employedSince].map((instant) => instant.slice(0, 10)).sort();
  const requestedOn = [
    requested,
    addDays(recorded.at(-1)!, 1),
    ...(steps.length === 0 ? [addDays(calendar.today, -1 - (number % 9))] : []),
  ]
    .sort()
    .at(-1)!;
  return [0, ...steps.map((_, index) => 2 + index * 3)].map((days, index) =>
    instantOn(calendar, addDays(requestedOn, days), 420 + index * 10),
  );
}

/** A year of everybody's time off would take most of a first start. */
const PEOPLE_WITH_FULL_YEAR = 40;
const DAYS_OF_THE_OTHERS = 60;

/** The rarer kinds come first: they keep their days where others want the same. */
function candidates(leave: Leave): readonly Absence[] {
  const all = [...rareAbsences(leave), ...pastAbsences(leave), ...comingAbsences(leave)];
  return leave.number < PEOPLE_WITH_FULL_YEAR
    ? all
    : all.filter(({ dates }) => dates.end_date >= addDays(leave.today, -DAYS_OF_THE_OTHERS));
}

function rareAbsences({ number, today }: Leave): readonly Absence[] {
  const [past, coming] = [yearEnd(today, -1), yearEnd(today, 0)];
  switch (number % 12) {
    case 1:
      return [absence(ANNUAL_LEAVE, past, APPROVED)];
    case 3:
      return [absence(ANNUAL_LEAVE, coming)];
    case 6:
      return [absence(ANNUAL_LEAVE, coming, APPROVED)];
    case 8:
      return [absence(PARENTAL_LEAVE, days(mondayBy(addDays(today, -120)), 46), APPROVED)];
    case 9:
      return [absence(UNPAID_LEAVE, days(mondayBy(addDays(today, -180)), 4), APPROVED)];
    case 11:
      return [
        absence(
          COMPASSIONATE_LEAVE,
          { ...days(tuesdayBy(addDays(today, -95 + number)), 1), start_day_part: 'afternoon' },
          APPROVED,
        ),
      ];
    default:
      return [];
  }
}

function pastAbsences({ number, today }: Leave): readonly Absence[] {
  const summer = mondayBy(addDays(today, -245 + ((number * 7) % 70)));
  const found = [
    absence(ANNUAL_LEAVE, days(mondayBy(addDays(today, -345 + ((number * 5) % 35))), 4), APPROVED),
    absence(ANNUAL_LEAVE, days(summer, 11), APPROVED),
    absence(
      ANNUAL_LEAVE,
      halfDay(tuesdayBy(addDays(today, -75 + (number % 14))), number % 2 === 0 ? 'afternoon' : 'morning'),
      APPROVED,
    ),
  ];
  if (number % 3 !== 0)
    found.push(absence(SICK_LEAVE, days(tuesdayBy(addDays(today, -300 + ((number * 11) % 200))), number % 3)));
  if (number % 7 === 2) found.push(absence(SICK_LEAVE, days(addDays(summer, 1), 1)));
  if (number % 5 === 2) found.push(absence(ANNUAL_LEAVE, days(mondayBy(addDays(today, -50)), 4), ['reject']));
  if (number % 5 === 4)
    found.push(absence(ANNUAL_LEAVE, days(mondayBy(addDays(today, -40)), 1), ['approve', 'cancel']));
  return found;
}

function comingAbsences({ number, today }: Leave): readonly Absence[] {
  const week = days(mondayBy(addDays(today, 14 + ((number * 7) % 56))), 4);
  switch (number % 3) {
    case 0:
      return [absence(ANNUAL_LEAVE, week)];
    case 1:
      return [
        absence(
          ANNUAL_LEAVE,
          { ...days(tuesdayBy(week.start_date), 2), start_day_part: 'afternoon', end_day_part: 'morning' },
          APPROVED,
        ),
      ];
    default:
      return [];
  }
}

function absence(category: string, dates: NamedDates, steps: readonly TimeOffStep[] = []): Absence {
  return { category, dates: completeDates(dates), steps };
}

/** From a day to so many days later, both included. */
function days(from: LocalDate, more: number): NamedDates {
  return { start_date: from, end_date: addDays(from, more) };
}

function halfDay(day: LocalDate, part: 'morning' | 'afternoon'): NamedDates {
  return { start_date: day, end_date: day, start_day_part: part };
}

/** Over the end of the year of `today`, or of one that lies so many years off: in two leave years. */
function yearEnd(today: LocalDate, years: number): NamedDates {
  const year = Number(today.slice(0, 4)) + years;
  return { start_date: `${year}-12-28`, end_date: `${year + 1}-01-05` };
}

function isEmployed({ startDate, facts }: Leave['demoPerson'], { start_date: start, end_date: end }: Dates): boolean {
  let [from, lastDay]: [LocalDate, LocalDate | null] = [startDate, null];
  for (const fact of facts) {
    if (fact.type === 'end') lastDay = fact.date;
    if (fact.type !== 'reactivate') continue;
    if (start < fact.date) break;
    [from, lastDay] = [fact.date, null];
  }
  return start >= from && (lastDay === null || end <= lastDay);
}

/** Whether the dates hold a Monday or a Tuesday that is no holiday: every pattern has both. */
function somethingCounts({ start_date: start, end_date: end }: Dates): boolean {
  const holidays = new Set(
    publicHolidaysBetween(TIME_OFF_SETTINGS.holiday_region!, start, end).map(({ date }) => date),
  );
  for (let day = start; day <= end; day = addDays(day, 1)) {
    if ([1, 2].includes(weekdayOf(day)) && !holidays.has(day)) return true;
  }
  return false;
}
