import { addDays, daysBetween, type LocalDate, mondayOf, weekdayOf } from '#kernel/dates.js';
import type { Issue } from '#kernel/rejection.js';
import type { CalendarDay } from '../settings/public-holidays.js';
import type { WorkingPattern } from '#organisation/working-pattern/working-pattern.js';

/** The part of a day that is taken off. */
export const DAY_PARTS = ['full', 'morning', 'afternoon'] as const;
export type DayPart = (typeof DAY_PARTS)[number];

/** The days of a request for time off; both dates are included. */
export interface RequestedDays {
  readonly startDate: LocalDate;
  /** Not before the start. */
  readonly endDate: LocalDate;
  readonly startDayPart: DayPart;
  readonly endDayPart: DayPart;
}

/** The two halves of a day, in minutes of work. */
export interface HalfDays {
  readonly morning_minutes: number;
  readonly afternoon_minutes: number;
}

/** The calendar of the requested days. */
export interface DayCalendar {
  /** Returns the pattern in force for the person on a day; null if there is none. */
  readonly patternOn: (day: LocalDate) => Pick<WorkingPattern, 'cycle_weeks' | 'anchor_date' | 'days'> | null;
  readonly employedOn: (day: LocalDate) => boolean;
  readonly holidaysOn: (day: LocalDate) => readonly Pick<CalendarDay, 'dayPart'>[];
  /**
   * Whether a holiday inside the record uses up minutes, as any other day does (the category's
   * `counts_public_holidays`).
   */
  readonly countsPublicHolidays: boolean;
  /** A working day from Monday to Friday of a person without a pattern: see {@link standardDay}. */
  readonly standardDay: HalfDays;
}

/** The reason for which a day is counted (`working_day`) or not. */
export const DAY_REASONS = ['working_day', 'not_a_working_day', 'public_holiday', 'not_employed'] as const;
export type DayReason = (typeof DAY_REASONS)[number];

/** A day of a record. */
export type DayMinutes = {
  readonly date: LocalDate;
  /** The requested part of the day, whether it is counted or not. */
  readonly day_part: DayPart;
  /** The minutes that the day uses up; 0 if it is not counted. */
  readonly minutes: number;
  readonly counted: boolean;
  readonly reason: DayReason;
};

/** The days and minutes that a record uses up. */
export interface DayCount {
  readonly days: readonly DayMinutes[];
  readonly totalMinutes: number;
  /**
   * The sum, over the counted days, of their minutes divided by the minutes of that whole day in the pattern:
   * exact fractions, rounded once, half up, to four decimals.
   */
  readonly totalDays: number;
}

/**
 * The issue of invalid parts of days; null if they are valid. Halves are only allowed at the ends of a range.
 */
export function dayPartProblem(request: RequestedDays): Issue | null {
  const { startDate, endDate, startDayPart, endDayPart } = request;
  if (startDate === endDate) {
    if (startDayPart === endDayPart) return null;
    return { field: 'end_day_part', issue: 'must be the same as start_day_part for a single day' };
  }
  if (startDayPart === 'morning')
    return {
      field: 'start_day_part',
      issue: 'must be full or afternoon if more days follow: time off has no gap inside',
    };
  if (endDayPart === 'afternoon')
    return {
      field: 'end_day_part',
      issue: 'must be full or morning if other days come before: time off has no gap inside',
    };
  return null;
}

/** The weekly minutes of a person without recorded minutes: five days of eight hours. */
const DEFAULT_WEEKLY_MINUTES = 2_400;
const MINUTES_PER_DAY = 1_440;

/**
 * A working day, Monday to Friday, of a person without a working pattern: a fifth of the contracted minutes,
 * otherwise of the full-time minutes, otherwise of 40 hours, rounded half up, at most 1440. An odd minute
 * belongs to the morning.
 */
export function standardDay(contractedWeeklyMinutes: number | null, fullTimeWeeklyMinutes: number | null): HalfDays {
  const weekly = contractedWeeklyMinutes ?? fullTimeWeeklyMinutes ?? DEFAULT_WEEKLY_MINUTES;
  const day = Math.min(Math.round(weekly / 5), MINUTES_PER_DAY);
  return { morning_minutes: Math.ceil(day / 2), afternoon_minutes: Math.floor(day / 2) };
}

const NOTHING: HalfDays = { morning_minutes: 0, afternoon_minutes: 0 };

/**
 * The working minutes of a day, by the pattern's cycle, whose first week contains the anchor date, otherwise
 * Monday to Friday.
 */
function workOn(day: LocalDate, calendar: Pick<DayCalendar, 'patternOn' | 'standardDay'>): HalfDays {
  const weekday = weekdayOf(day);
  const pattern = calendar.patternOn(day);
  if (pattern === null) return weekday <= 5 ? calendar.standardDay : NOTHING;
  const weeks = daysBetween(mondayOf(pattern.anchor_date), mondayOf(day)) / 7;
  const week = (((weeks % pattern.cycle_weeks) + pattern.cycle_weeks) % pattern.cycle_weeks) + 1;
  return pattern.days.find((one) => one.week === week && one.weekday === weekday) ?? NOTHING;
}

/**
 * Counts the days of a request, each with the reason for which it counts or not. The request must be valid
 * (see {@link dayPartProblem}).
 */
export function countDays(request: RequestedDays, calendar: DayCalendar): DayCount {
  const days: DayMinutes[] = [];
  /** Minutes off, keyed by the minutes of the whole day that they are a part of. */
  const parts = new Map<number, number>();
  let totalMinutes = 0;
  for (let day = request.startDate; day <= request.endDate; day = addDays(day, 1)) {
    const { whole, ...counted } = countDay(day, partOf(day, request), calendar);
    days.push(counted);
    totalMinutes += counted.minutes;
    if (counted.counted) parts.set(whole, (parts.get(whole) ?? 0) + counted.minutes);
  }
  return { days, totalMinutes, totalDays: sumOfFractions(parts) };
}

function countDay(date: LocalDate, part: DayPart, calendar: DayCalendar): DayMinutes & { readonly whole: number } {
  const work = workOn(date, calendar);
  const requested = minutesOf(work, part !== 'afternoon', part !== 'morning');
  const holidays = calendar.countsPublicHolidays ? [] : calendar.holidaysOn(date).map(({ dayPart }) => dayPart);
  const isFree = (half: 'morning' | 'afternoon') => holidays.includes('full') || holidays.includes(half);
  const left = minutesOf(work, part !== 'afternoon' && !isFree('morning'), part !== 'morning' && !isFree('afternoon'));
  const reason = !calendar.employedOn(date)
    ? 'not_employed'
    : requested === 0
      ? 'not_a_working_day'
      : left === 0
        ? 'public_holiday'
        : 'working_day';
  const counted = reason === 'working_day';
  return { date, day_part: part, minutes: counted ? left : 0, counted, reason, whole: minutesOf(work, true, true) };
}

function minutesOf(work: HalfDays, morning: boolean, afternoon: boolean): number {
  return (morning ? work.morning_minutes : 0) + (afternoon ? work.afternoon_minutes : 0);
}

function partOf(day: LocalDate, { startDate, endDate, startDayPart, endDayPart }: RequestedDays): DayPart {
  return day === startDate ? startDayPart : day === endDate ? endDayPart : 'full';
}

/**
 * The sum of numerators over their denominators, rounded half up to four decimals; calculated in whole
 * numbers, so that nothing is lost.
 */
function sumOfFractions(parts: ReadonlyMap<number, number>): number {
  let numerator = 0n;
  let denominator = 1n;
  for (const [whole, minutes] of parts) {
    numerator = numerator * BigInt(whole) + BigInt(minutes) * denominator;
    denominator *= BigInt(whole);
  }
  return Number((numerator * 20_000n + denominator) / (denominator * 2n)) / 10_000;
}
