import { unreachable } from '#kernel/unreachable.js';
import type { Account, AccountFacts, BalanceCategory, BalanceSettings, Period } from './account.rules.js';
import { type Day, inForce, nextAnniversary, pieces, placeInMonth, yearBefore } from './dated.rules.js';

// The rules of balances: docs/reference/balances.md explains them, balance.rules.spec.ts gives examples.

/** A balance in whole minutes; docs/reference/balances.md explains each field. */
export interface Balance {
  readonly opening: number;
  readonly accrued: number;
  readonly carried_over: number;
  readonly adjusted: number;
  readonly taken: number;
  readonly scheduled: number;
  readonly pending: number;
  readonly expired: number;
  readonly remaining: number;
  readonly available: number;
}

export const EMPTY_BALANCE: Balance = {
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

/** A leave year of a period. */
export interface LeaveYear {
  /** The leave year's first day, or the employment's if that is later. */
  readonly first: Day;
  /** The next leave year's first day. */
  readonly end: Day;
  /**
   * The number of days in the twelve months that end with it: the leave year's own, unless it is a short one.
   */
  readonly daysOfTwelveMonths: number;
  readonly rules: BalanceSettings;
}

/** For `knownBy`: everything recorded counts, no matter when it became known. */
export const KNOWN_AT_ANY_TIME: Day = Number.POSITIVE_INFINITY;

/**
 * The balance at the end of a day, calculated from the facts up to that day. Minutes after the day count as
 * they were known at the end of `knownBy`, so that later records do not change the result.
 */
export function balanceOn(account: Account, day: Day, knownBy: Day = day): Balance {
  const period = account.periods.findLast(({ first }) => first <= day);
  return period === undefined ? EMPTY_BALANCE : new AccountOfPeriod(account, period).balanceOn(day, knownBy);
}

/**
 * The balances at the end of these days, in order, from everything recorded. Every leave year is calculated
 * once.
 */
export function balancesOn(account: Account, days: readonly Day[]): readonly Balance[] {
  let reached: AccountOfPeriod | null = null;
  return days.map((day) => {
    const period = account.periods.findLast(({ first }) => first <= day);
    if (period === undefined) return EMPTY_BALANCE;
    if (reached?.period !== period) reached = new AccountOfPeriod(account, period);
    return reached.balanceOn(day, KNOWN_AT_ANY_TIME);
  });
}

/** An account during one employment. It calculates leave years from the first one on and never goes back. */
class AccountOfPeriod {
  private year: LeaveYear;
  /** The remainder at the end of the previous leave year. */
  private left = 0;

  constructor(
    private readonly account: Account,
    readonly period: Period,
  ) {
    this.year = firstLeaveYear(account, period);
  }

  /**
   * @param day - no earlier than the first day of the employment, and in no earlier leave year than that of
   * the previous call
   */
  balanceOn(day: Day, knownBy: Day): Balance {
    const { account, period } = this;
    const standsAt = period.last === null ? day : Math.min(day, period.last);
    for (; this.year.end <= standsAt; this.year = nextLeaveYear(account, this.year)) {
      const lastDay = this.year.end - 1;
      this.left = standing(account, period, {
        year: this.year,
        left: this.left,
        standsAt: lastDay,
        day: lastDay,
      }).remaining;
    }
    const { year, left } = this;
    return withWhatLiesAhead(account, period, year, standing(account, period, { year, left, standsAt, day }), knownBy);
  }
}

/** The leave year in which an employment begins. */
export function firstLeaveYear(account: Pick<AccountFacts, 'settings'>, period: Period): LeaveYear {
  return leaveYearFrom(account, period.first);
}

/**
 * The following leave year. It begins where the previous one ends, independent of later settings, and ends by
 * its own rules.
 */
export function nextLeaveYear(account: Pick<AccountFacts, 'settings'>, year: LeaveYear): LeaveYear {
  return leaveYearFrom(account, year.end);
}

function leaveYearFrom({ settings }: Pick<AccountFacts, 'settings'>, first: Day): LeaveYear {
  const rules = inForce(settings, first);
  const end = nextAnniversary(first, rules.leave_year_start);
  return { first, end, daysOfTwelveMonths: end - yearBefore(end), rules };
}

type Standing = Omit<Balance, 'scheduled' | 'pending' | 'available'> & { readonly standsAt: Day; readonly day: Day };

interface Asked {
  readonly year: LeaveYear;
  /** The remainder at the end of the previous leave year. */
  readonly left: number;
  /**
   * The requested day, or the final day of an employment that ended before it; after that day, only
   * adjustments count.
   */
  readonly standsAt: Day;
  readonly day: Day;
}

function standing(account: Account, period: Period, { year, left, standsAt, day }: Asked): Standing {
  const carriedOver = Math.min(Math.max(0, left), year.rules.carry_over_max_minutes);
  const opening = Math.max(0, left) - carriedOver;
  const accrued = accruedBy(account, period, year, standsAt);
  const adjusted = Math.min(0, left) + account.adjusted.sum(year.first, day);
  const taken = account.taken.sum(year.first, standsAt);
  const expired = opening + expiredCarryOver(account, year, carriedOver, standsAt);
  const remaining = opening + accrued + carriedOver + adjusted - taken - expired;
  return { opening, accrued, carried_over: carriedOver, adjusted, taken, expired, remaining, standsAt, day };
}

/** The carried-over minutes that have expired. Time off taken and negative adjustments use them first. */
function expiredCarryOver(account: Account, { first, rules }: LeaveYear, carriedOver: number, day: Day): number {
  if (rules.carry_over_expires_after_days === null) return 0;
  const expiresOn = first + rules.carry_over_expires_after_days;
  if (day < expiresOn) return 0;
  const used = account.taken.sum(first, expiresOn - 1) + account.withdrawn.sum(first, expiresOn - 1);
  return Math.max(0, carriedOver - used);
}

function withWhatLiesAhead(
  account: Account,
  period: Period,
  year: LeaveYear,
  { standsAt, day, ...stands }: Standing,
  knownBy: Day,
): Balance {
  const ahead = (status: 'approved' | 'pending'): number =>
    standsAt === period.last ? 0 : minutesAhead(account, status, day, year.end, knownBy);
  const scheduled = ahead('approved');
  const pending = account.undecided.sum(year.first, standsAt) + ahead('pending');
  const held = inForce(account.settings, day).pending_counts ? pending : 0;
  return { ...stands, scheduled, pending, available: stands.remaining - scheduled - held };
}

/**
 * Minutes after the day in its leave year, of records that had this status at the end of `knownBy`, up to the
 * final day of the employment as it was known then.
 */
function minutesAhead(account: Account, status: 'approved' | 'pending', day: Day, end: Day, knownBy: Day): number {
  if (!inForce(account.category, day).deducts_balance) return 0;
  const known = account.periodsKnownBy(knownBy).findLast(({ first }) => first <= day);
  const last = known === undefined || known.last === null || known.last < day ? end - 1 : Math.min(end - 1, known.last);
  if (knownBy === KNOWN_AT_ANY_TIME) return account.booked[status].sum(day + 1, last);
  let minutes = 0;
  for (const instants of account.records) {
    const instant = instants.findLast(({ knownOn }) => knownOn <= knownBy);
    if (instant?.status !== status) continue;
    for (const booked of instant.days) if (booked.day > day && booked.day <= last) minutes += booked.minutes;
  }
  return minutes;
}

/** An exact share of allowances; `wholeYear` is the allowance of a whole year. */
interface Share {
  readonly numerator: number;
  readonly denominator: number;
  readonly wholeYear: number;
}

function accruedBy(account: Account, period: Period, year: LeaveYear, day: Day): number {
  return rounded(shareBy(account, period, year, day), year.rules.accrual_rounding_minutes);
}

function shareBy(account: Account, period: Period, year: LeaveYear, day: Day): Share {
  switch (year.rules.accrual_method) {
    case 'fixed_yearly':
      return yearlyGrant(account, period, year, day);
    case 'monthly':
      return instalments(account, period, year, day);
    case 'worked_time':
      return workedTime(account, year, day);
    default:
      return unreachable(year.rules.accrual_method);
  }
}

/**
 * Rounds what has accrued so far in the leave year to a multiple of `minutes`, half up. Nothing else is
 * rounded: rounding the sum and never its parts avoids drift. The whole year's allowance is never rounded,
 * and rounding never crosses it, so accrued minutes never shrink from one day to the next.
 */
function rounded({ numerator, denominator, wholeYear }: Share, minutes: number): number {
  const ofWholeYear = wholeYear * denominator;
  if (numerator === ofWholeYear) return wholeYear;
  const closest = Math.floor((2 * numerator + minutes * denominator) / (2 * minutes * denominator)) * minutes;
  return numerator < ofWholeYear ? Math.min(closest, wholeYear) : Math.max(closest, wholeYear);
}

/**
 * The whole allowance on the first day, in proportion to the days left of the leave year; from the final day
 * on, in proportion to the days of employment.
 */
function yearlyGrant(account: Account, period: Period, { first, end, daysOfTwelveMonths }: LeaveYear, day: Day): Share {
  const wholeYear = allowanceOn(account, first);
  const isOver = period.last !== null && period.last <= day;
  const days = (isOver ? Math.min(end, period.last + 1) : end) - first;
  return { numerator: wholeYear * days, denominator: daysOfTwelveMonths, wholeYear };
}

/** Divisible by 28, 29, 30 and 31, so that parts of a month are whole numbers of these. */
const PARTS_OF_MONTH = 377_580;

/**
 * A twelfth on the first of each month; the first one after a start and the last one before an end in
 * proportion to the days of that month.
 */
function instalments(account: Account, period: Period, { first }: LeaveYear, day: Day): Share {
  let parts = 0;
  for (const { from, to, rules } of pieces(account.category, first, day + 1)) {
    const firstsOfMonths = placeInMonth(to - 1).month - placeInMonth(from - 1).month;
    parts += allowanceOf(rules) * firstsOfMonths * PARTS_OF_MONTH;
  }
  const start = placeInMonth(first);
  if (first === period.first && start.dayOfMonth > 1) {
    parts +=
      allowanceOn(account, first) * (start.daysInMonth - start.dayOfMonth + 1) * (PARTS_OF_MONTH / start.daysInMonth);
  }
  if (day === period.last) {
    const end = placeInMonth(day);
    const given = Math.max(day - end.dayOfMonth + 1, period.first);
    // An instalment of the previous leave year stays there: no leave year accrues a negative amount.
    if (given >= first)
      parts -= allowanceOn(account, given) * (end.daysInMonth - end.dayOfMonth) * (PARTS_OF_MONTH / end.daysInMonth);
  }
  return { numerator: parts, denominator: 12 * PARTS_OF_MONTH, wholeYear: allowanceOn(account, day) };
}

/** Four decimals, as the full-time equivalent has. */
const PARTS_OF_FULL_TIME = 10_000;

/** Day by day: the allowance in force times the full-time equivalent in force. */
function workedTime(account: Account, { first, daysOfTwelveMonths }: LeaveYear, day: Day): Share {
  let parts = 0;
  for (const { from, to, rules } of pieces(account.category, first, day + 1)) {
    for (const worked of pieces(account.fullTimeEquivalent, from, to)) {
      parts += allowanceOf(rules) * Math.round(worked.rules * PARTS_OF_FULL_TIME) * (worked.to - worked.from);
    }
  }
  return {
    numerator: parts,
    denominator: PARTS_OF_FULL_TIME * daysOfTwelveMonths,
    wholeYear: allowanceOn(account, day),
  };
}

function allowanceOn(account: Account, day: Day): number {
  return allowanceOf(inForce(account.category, day));
}

/** A category that deducts nothing has no allowance. */
function allowanceOf({ deducts_balance, annual_allowance_minutes }: BalanceCategory): number {
  return deducts_balance ? (annual_allowance_minutes ?? 0) : 0;
}
