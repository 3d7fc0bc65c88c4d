import type { IdMint } from '#identifiers/id-mint.js';
import { addDays, type LocalDate } from '#kernel/dates.js';
import { publicHolidaysBetween } from '#resources/time-off/settings/public-holidays.rules.js';
import { countDays, type DayPart, standardDay } from '#resources/time-off/records/day-count.rules.js';
import { type Entry, timeOffAggregate, type TimeOffEvent } from '#resources/time-off/records/time-off.decider.js';
import { asRequested, type Dates } from '#resources/time-off/records/time-off.rules.js';
import { FULL_TIME_MINUTES, type PlacedEvent, place, type Surroundings } from './history.js';

/** The categories that made-up records are of. */
export interface MadeCategories {
  /** Needs approval, and may not be overdrawn. */
  readonly annualLeaveId: string;
  /** Approved at once, without a limit. */
  readonly sickLeaveId: string;
}

/** Whose public holidays the organisation goes by. */
export const REGION = 'GB';
/** Records of a person. */
export const RECORDS = 20;
/** Twenty of these are two years, less ten days. No record is so long that it would reach into the next one's days. */
const DAYS_PER_RECORD = 36;
const LATEST_OFFSET = 20;
/** When a record is asked for, and when it is decided, before its first day. */
const ASKED_DAYS_BEFORE = 14;
const HOUR = 3_600_000;

interface Shape {
  readonly isSick: boolean;
  readonly days: number;
  readonly part: DayPart;
}

/** What a year of a person has: two weeks and one, some single days, halves of days, and some days of sickness. */
const SHAPES: readonly Shape[] = [
  { isSick: false, days: 5, part: 'full' },
  { isSick: false, days: 1, part: 'full' },
  { isSick: true, days: 2, part: 'full' },
  { isSick: false, days: 1, part: 'afternoon' },
  { isSick: false, days: 2, part: 'full' },
  { isSick: false, days: 12, part: 'full' },
  { isSick: true, days: 1, part: 'full' },
  { isSick: false, days: 1, part: 'morning' },
  { isSick: true, days: 3, part: 'full' },
  { isSick: false, days: 1, part: 'full' },
];

/** The day that the records of two years begin with, where the last of them have ended today. */
export function firstDayOf(today: LocalDate): LocalDate {
  return addDays(today, -RECORDS * DAYS_PER_RECORD);
}

/** The days from one on which everybody works, Monday to Friday and no holidays, so many of them. */
export function workingDaysFrom(first: LocalDate, count: number): readonly LocalDate[] {
  const days: LocalDate[] = [];
  for (let day = first; days.length < count; day = addDays(day, 1)) {
    if (isWeekday(day) && publicHolidaysBetween(REGION, day, day).length === 0) days.push(day);
  }
  return days;
}

/** Two years of a person's time off, as the product would have recorded it: counted, hashed, most of it approved. */
export function makeTimeOff(
  mint: IdMint,
  surroundings: Surroundings,
  categories: MadeCategories,
  { personId, index, firstDay }: { readonly personId: string; readonly index: number; readonly firstDay: LocalDate },
): readonly PlacedEvent[] {
  const { organisationId } = surroundings;
  const events: TimeOffEvent[] = [];
  const times: number[] = [];
  for (let number = 0; number < RECORDS; number += 1) {
    const entry = makeEntry(
      categories,
      SHAPES[number % SHAPES.length]!,
      addDays(firstDay, number * DAYS_PER_RECORD + ((index * 11 + number * 5) % LATEST_OFFSET)),
    );
    if (!entry.days.some((day) => day.counted)) continue;
    const time_off_id = mint.prefixed('timeOff', organisationId, personId, String(number));
    const asked = Date.parse(addDays(entry.start_date, -ASKED_DAYS_BEFORE)) + (index % 86_400) * 50;
    events.push({ type: 'TimeOffRequested', data: { time_off_id, status: entry.requires_approval ? 'pending' : 'approved', entry } });
    times.push(asked);
    if (!entry.requires_approval) continue;
    events.push(decision(time_off_id, index + number));
    times.push(asked + 20 * HOUR);
  }
  return place(surroundings, timeOffAggregate.streamOf(organisationId, personId), events, (revision) => times[revision]!);
}

function makeEntry({ annualLeaveId, sickLeaveId }: MadeCategories, { isSick, days: length, part }: Shape, day: LocalDate): Entry {
  const start = isWeekday(day) ? day : addDays(day, 2);
  const dates: Dates = { start_date: start, end_date: addDays(start, length - 1), start_day_part: part, end_day_part: part };
  const { days, totalMinutes, totalDays } = countDays(asRequested(dates), {
    patternOn: () => null,
    employedOn: () => true,
    holidaysOn: (date) => publicHolidaysBetween(REGION, date, date),
    countsPublicHolidays: false,
    standardDay: standardDay(FULL_TIME_MINUTES, FULL_TIME_MINUTES),
  });
  const category = { category_id: isSick ? sickLeaveId : annualLeaveId, is_standard: true, requires_approval: !isSick };
  return { ...category, ...dates, days, total_minutes: totalMinutes, total_days: totalDays };
}

/** One in twenty is rejected, one in twenty cancelled. */
function decision(time_off_id: string, number: number): TimeOffEvent {
  if (number % 20 === 7) return { type: 'TimeOffRejected', data: { time_off_id } };
  if (number % 20 === 13) return { type: 'TimeOffCancelled', data: { time_off_id, because: 'requested' } };
  return { type: 'TimeOffApproved', data: { time_off_id } };
}

function isWeekday(day: LocalDate): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday > 0 && weekday < 6;
}
