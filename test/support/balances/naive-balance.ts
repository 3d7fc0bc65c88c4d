import { addDays, daysBetween, type LocalDate } from '#kernel/dates.js';
import type { BalanceCategory, BalanceSettings } from '#time-off/balances/account.rules.js';
import type { Balance } from '#time-off/balances/balance.rules.js';
import { type History, periodsOf, type Step, stepsOf } from './histories.js';

// A second implementation of the rules of docs/reference/balances.md: day by day, with exact fractions and
// without optimisation.

/**
 * The unit of minutes in which all fractions are whole numbers: parts of months of any length, of years, and
 * four decimals.
 */
const PARTS = 12n * 28n * 29n * 30n * 31n * 10_000n * 365n * 366n;

interface Running {
  readonly settings: BalanceSettings;
  readonly yearFirst: LocalDate;
  readonly yearEnd: LocalDate;
  readonly daysOfTwelveMonths: number;
  readonly opening: number;
  readonly carriedOver: number;
  readonly grantedFor: number;
  accrued: bigint;
  adjusted: number;
  taken: number;
  expired: number;
  usedOfCarryOver: number;
  /** The accrual of this month in this leave year. */
  instalment: number | null;
}

/** Returns the balance at the end of each of these days. */
export function naiveBalances(history: History, days: readonly LocalDate[]): ReadonlyMap<LocalDate, Balance> {
  const balances = new Map<LocalDate, Balance>(days.map((day) => [day, NOTHING]));
  const last = days.reduce((latest, day) => (day > latest ? day : latest), '');
  const periods = periodsOf(history);
  const adjustments = stepsOf(history, 'adjust');
  periods.forEach((period, index) => {
    let running: Running | null = null;
    const until = periods[index + 1]?.first ?? addDays(last, 1);
    for (let day = period.first; day < until && day <= last; day = addDays(day, 1)) {
      const isEmployed = period.last === null || day <= period.last;
      if (isEmployed && (running === null || day === running.yearEnd)) running = beginYear(history, day, running);
      if (isEmployed) liveThrough(history, running!, day, period);
      for (const { on, minutes } of adjustments) {
        if (on !== day) continue;
        running!.adjusted += minutes;
        if (minutes < 0) running!.usedOfCarryOver -= minutes;
      }
      if (balances.has(day)) balances.set(day, shown(history, running!, day, period));
    }
  });
  return balances;
}

const NOTHING: Balance = {
  opening: 0,
  accrued: 0,
  carried_over: 0,
  adjusted: 0,
  taken: 0,
  scheduled: 0,
  pending: 0,
  expired: 0,
  remaining: 0,
  available: 0,
};

function beginYear(history: History, day: LocalDate, before: Running | null): Running {
  const settings = settingsOn(history, day);
  let yearEnd = addDays(day, 1);
  while (yearEnd.slice(5) !== settings.leave_year_start) yearEnd = addDays(yearEnd, 1);
  const yearEarlier = `${Number(yearEnd.slice(0, 4)) - 1}${yearEnd.slice(4)}`;
  const left = before === null ? 0 : remainingOf(history, before, addDays(day, -1));
  const carriedOver = left > settings.carry_over_max_minutes ? settings.carry_over_max_minutes : left > 0 ? left : 0;
  const opening = left > 0 ? left - carriedOver : 0;
  return {
    settings,
    yearFirst: day,
    yearEnd,
    daysOfTwelveMonths: daysBetween(yearEarlier, yearEnd),
    opening,
    carriedOver,
    grantedFor: allowanceOn(history, day),
    accrued: 0n,
    adjusted: left < 0 ? left : 0,
    taken: 0,
    expired: opening,
    usedOfCarryOver: 0,
    instalment: null,
  };
}

function liveThrough(
  history: History,
  running: Running,
  day: LocalDate,
  period: { readonly first: LocalDate; readonly last: LocalDate | null },
): void {
  if (running.settings.carry_over_expires_after_days === daysBetween(running.yearFirst, day))
    running.expired += Math.max(0, running.carriedOver - running.usedOfCarryOver);
  accrue(history, running, day, period);
  const taken = minutesOn(history, day, 'approved', categoryOn(history, day).deducts_balance);
  running.taken += taken;
  running.usedOfCarryOver += taken;
}

function accrue(
  history: History,
  running: Running,
  day: LocalDate,
  period: { readonly first: LocalDate; readonly last: LocalDate | null },
): void {
  const year = BigInt(running.daysOfTwelveMonths);
  const allowance = allowanceOn(history, day);
  switch (running.settings.accrual_method) {
    case 'fixed_yearly': {
      const aDay = (BigInt(running.grantedFor) * PARTS) / year;
      if (day === running.yearFirst) running.accrued += aDay * BigInt(daysBetween(day, running.yearEnd));
      if (day === period.last) running.accrued -= aDay * (BigInt(daysBetween(day, running.yearEnd)) - 1n);
      break;
    }
    case 'monthly': {
      if (day.endsWith('-01')) running.instalment = null;
      if (day.endsWith('-01') || day === period.first) {
        const [left, ofMonth] = daysOfMonthFrom(day);
        running.accrued += (BigInt(allowance) * PARTS * left) / (12n * ofMonth);
        running.instalment = allowance;
      }
      if (day === period.last && running.instalment !== null) {
        const [left, ofMonth] = daysOfMonthFrom(day);
        running.accrued -= (BigInt(running.instalment) * PARTS * (left - 1n)) / (12n * ofMonth);
      }
      break;
    }
    case 'worked_time':
      running.accrued +=
        (BigInt(allowance) * BigInt(Math.round(fullTimeEquivalentOn(history, day) * 10_000)) * (PARTS / 10_000n)) /
        year;
  }
}

/** Returns the number of days left in the day's month, including the day, and the length of the month. */
function daysOfMonthFrom(day: LocalDate): readonly [bigint, bigint] {
  let left = 0n;
  for (let each = day; each.slice(0, 7) === day.slice(0, 7); each = addDays(each, 1)) left += 1n;
  return [left, left + BigInt(day.slice(8)) - 1n];
}

function roundedAccrual(running: Running, allowance: number): number {
  const minutes = running.settings.accrual_rounding_minutes;
  if (running.accrued === BigInt(allowance) * PARTS) return allowance;
  const step = BigInt(minutes) * PARTS;
  const whole = Number(running.accrued / step);
  const closest = (running.accrued % step) * 2n >= step ? (whole + 1) * minutes : whole * minutes;
  const isLess = running.accrued < BigInt(allowance) * PARTS;
  return (isLess && closest > allowance) || (!isLess && closest < allowance) ? allowance : closest;
}

function accruedOf(history: History, running: Running, day: LocalDate): number {
  return roundedAccrual(
    running,
    running.settings.accrual_method === 'fixed_yearly' ? running.grantedFor : allowanceOn(history, day),
  );
}

function remainingOf(history: History, running: Running, day: LocalDate): number {
  const { opening, carriedOver, adjusted, taken, expired } = running;
  return opening + accruedOf(history, running, day) + carriedOver + adjusted - taken - expired;
}

function shown(
  history: History,
  running: Running,
  day: LocalDate,
  period: { readonly last: LocalDate | null },
): Balance {
  const isOver = period.last !== null && day >= period.last;
  const standsAt = isOver ? period.last! : day;
  const scheduled = isOver ? 0 : aheadOf(history, running, day, 'approved');
  const pending = undecided(history, running, standsAt) + (isOver ? 0 : aheadOf(history, running, day, 'pending'));
  const remaining = remainingOf(history, running, standsAt);
  const { opening, carriedOver: carried_over, adjusted, taken, expired } = running;
  const available = remaining - scheduled - (settingsOn(history, day).pending_counts ? pending : 0);
  return {
    opening,
    accrued: accruedOf(history, running, standsAt),
    carried_over,
    adjusted,
    taken,
    scheduled,
    pending,
    expired,
    remaining,
    available,
  };
}

function undecided(history: History, running: Running, until: LocalDate): number {
  let minutes = 0;
  for (let day = running.yearFirst; day <= until; day = addDays(day, 1))
    minutes += minutesOn(history, day, 'pending', categoryOn(history, day).deducts_balance);
  return minutes;
}

function aheadOf(history: History, running: Running, day: LocalDate, status: string): number {
  const known = history.filter(({ recordedOn }) => recordedOn <= day);
  const period = periodsOf(known).findLast(({ first }) => first <= day);
  const end = period === undefined || period.last === null || period.last < day ? null : period.last;
  let minutes = 0;
  for (let each = addDays(day, 1); each < running.yearEnd && (end === null || each <= end); each = addDays(each, 1)) {
    minutes += minutesOn(known, each, status, categoryOn(history, day).deducts_balance);
  }
  return minutes;
}

const booked = new WeakMap<History, ReadonlyMap<string, number>>();

/** Returns the minutes on a day of the records that have this status after all these steps. */
function minutesOn(history: History, day: LocalDate, status: string, deducts: boolean): number {
  let minutes = booked.get(history);
  if (minutes === undefined) booked.set(history, (minutes = minutesByDay(history)));
  return deducts ? (minutes.get(`${status} ${day}`) ?? 0) : 0;
}

function minutesByDay(history: History): ReadonlyMap<string, number> {
  const records = new Map(stepsOf(history, 'record').map((step) => [step.id, step]));
  const sums = new Map<string, number>();
  for (const { status, days } of records.values()) {
    for (const { date, minutes } of days) sums.set(`${status} ${date}`, (sums.get(`${status} ${date}`) ?? 0) + minutes);
  }
  return sums;
}

function settingsOn(history: History, day: LocalDate): BalanceSettings {
  return rulesOn(history, 'settings', day).rules;
}

function categoryOn(history: History, day: LocalDate): BalanceCategory {
  return rulesOn(history, 'category', day).rules;
}

/** Returns the last rules recorded by then; the first rules for an earlier day. */
function rulesOn<Type extends 'settings' | 'category'>(
  history: History,
  type: Type,
  day: LocalDate,
): Extract<Step, { type: Type }> {
  let found: Step | undefined;
  for (const step of history) if (step.type === type && (found === undefined || step.recordedOn <= day)) found = step;
  return found as Extract<Step, { type: Type }>;
}

function allowanceOn(history: History, day: LocalDate): number {
  const { deducts_balance: deducts, annual_allowance_minutes: allowance } = categoryOn(history, day);
  return deducts && allowance !== null ? allowance : 0;
}

function fullTimeEquivalentOn(history: History, day: LocalDate): number {
  const begun = stepsOf(history, 'full_time_equivalent').filter(({ from }) => from <= day);
  const latest = begun.reduce((found, { from }) => (from > found ? from : found), '');
  return begun.findLast(({ from }) => from === latest)?.value ?? 1;
}
