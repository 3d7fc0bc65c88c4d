import type { Account, Period } from './account.rules.js';
import { accruedBy } from './accrual.rules.js';
import {
  type Amount,
  type AmountName,
  type Line,
  type LineFact,
  type LineRule,
  NOTHING,
  ofEntries,
  one,
  type Reason,
  sumOf,
} from './amount.rules.js';
import { datedInForce, type Day, inForce, type Run } from './dated.rules.js';
import { firstLeaveYear, type LeaveYear, nextLeaveYear } from './leave-year.rules.js';

// The rules of balances: docs/reference/balances.md explains them, balance.rules.spec.ts gives examples.

/** A balance in whole minutes; docs/reference/balances.md explains each field. */
export type Balance = Readonly<Record<AmountName, number>>;

/** The amounts of a balance with their lines. */
export type Amounts = Readonly<Record<AmountName, Amount>>;

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

/** A balance with the lines of its amounts, and its leave year. */
export interface Statement {
  readonly amounts: Amounts;
  readonly year: LeaveYear;
}

/** For `knownBy`: everything recorded counts, no matter when it became known. */
export const KNOWN_AT_ANY_TIME: Day = Number.POSITIVE_INFINITY;

/**
 * The balance at the end of a day, calculated from the facts up to that day. Minutes after the day count as
 * they were known at the end of `knownBy`, so that later records do not change the result.
 */
export function balanceOn(account: Account, day: Day, knownBy: Day = day): Balance {
  const statement = statementOn(account, day, knownBy);
  return statement === null ? EMPTY_BALANCE : minutesOf(statement.amounts);
}

/** The same balance with the lines of its amounts; null before the first employment. */
export function statementOn(account: Account, day: Day, knownBy: Day = day): Statement | null {
  const period = account.periods.findLast(({ first }) => first <= day);
  return period === undefined ? null : new AccountOfPeriod(account, period).statementOn(day, knownBy);
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
    return minutesOf(reached.statementOn(day, KNOWN_AT_ANY_TIME).amounts);
  });
}

function minutesOf(amounts: Amounts): Balance {
  return {
    opening: amounts.opening.minutes,
    accrued: amounts.accrued.minutes,
    carried_over: amounts.carried_over.minutes,
    adjusted: amounts.adjusted.minutes,
    taken: amounts.taken.minutes,
    expired: amounts.expired.minutes,
    remaining: amounts.remaining.minutes,
    scheduled: amounts.scheduled.minutes,
    pending: amounts.pending.minutes,
    available: amounts.available.minutes,
  };
}

/** An account during one employment. It calculates leave years once, in order, from the first one on. */
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
  statementOn(day: Day, knownBy: Day): Statement {
    const { account, period } = this;
    const standsAt = period.last === null ? day : Math.min(day, period.last);
    for (; this.year.end <= standsAt; this.year = nextLeaveYear(account, this.year)) {
      const lastDay = this.year.end - 1;
      this.left = standing(account, period, {
        year: this.year,
        left: this.left,
        standsAt: lastDay,
        day: lastDay,
      }).amounts.remaining.minutes;
    }
    const { year, left } = this;
    const stands = standing(account, period, { year, left, standsAt, day });
    return { year, amounts: withWhatLiesAhead(account, period, year, stands, knownBy) };
  }
}

interface Standing {
  readonly amounts: Omit<Amounts, 'scheduled' | 'pending' | 'available'>;
  readonly standsAt: Day;
  readonly day: Day;
}

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
  const settings: LineFact = { kind: 'settings', since: year.since };
  const onFirstDay = (rule: LineRule): Reason => ({ first: year.first, last: year.first, rule, facts: [settings] });
  const maximum = year.rules.carry_over_max_minutes;
  const ofRemainder = { left_minutes: left, maximum_minutes: maximum };
  const carriedOver = Math.min(Math.max(0, left), maximum);
  const opening = Math.max(0, left) - carriedOver;
  const summands = {
    opening: one(opening, () => onFirstDay({ code: 'above_limit', ...ofRemainder })),
    accrued: accruedBy(account, period, year, standsAt),
    carried_over: one(carriedOver, () => onFirstDay({ code: 'carry_over', ...ofRemainder })),
    adjusted: sumOf(
      one(Math.min(0, left), () => onFirstDay({ code: 'overdraft' })),
      ofEntries('adjustment', account.adjusted.run(year.first, day)),
    ),
    taken: ofEntries('time_off', account.taken.run(year.first, standsAt)),
    expired: sumOf(
      one(opening, () => onFirstDay({ code: 'lapsed' })),
      expiredCarryOver(account, year, carriedOver, standsAt),
    ),
  };
  const { accrued, carried_over, adjusted, taken, expired } = summands;
  const remaining = sumOf(
    ...[plus('opening', summands.opening, day), plus('accrued', accrued, day), plus('carried_over', carried_over, day)],
    ...[plus('adjusted', adjusted, day), minus('taken', taken, day), minus('expired', expired, day)],
  );
  return { amounts: { ...summands, remaining }, standsAt, day };
}

/** An amount as a summand of another one. */
function plus(amount: AmountName, { minutes }: Amount, day: Day, facts: readonly LineFact[] = []): Amount {
  return one(minutes, () => ({ first: day, last: day, rule: { code: 'amount', amount }, facts }));
}

function minus(amount: AmountName, { minutes }: Amount, day: Day, facts: readonly LineFact[] = []): Amount {
  return plus(amount, { minutes: -minutes, lines: () => [] }, day, facts);
}

/** The carried-over minutes that have expired. Time off taken and negative adjustments use them first. */
function expiredCarryOver(account: Account, { first, rules, since }: LeaveYear, carriedOver: number, day: Day): Amount {
  const { carry_over_expires_after_days: afterDays } = rules;
  if (afterDays === null) return NOTHING;
  const expiresOn = first + afterDays;
  if (day < expiresOn) return NOTHING;
  const used = account.taken.sum(first, expiresOn - 1) + account.withdrawn.sum(first, expiresOn - 1);
  return one(Math.max(0, carriedOver - used), () => ({
    first: expiresOn,
    last: expiresOn,
    rule: {
      code: 'carry_over_expired',
      carried_over_minutes: carriedOver,
      used_minutes: used,
      after_days: afterDays,
    },
    facts: [{ kind: 'settings', since }],
  }));
}

function withWhatLiesAhead(
  account: Account,
  period: Period,
  year: LeaveYear,
  { standsAt, day, amounts }: Standing,
  knownBy: Day,
): Amounts {
  const ahead = (status: 'approved' | 'pending'): Run =>
    standsAt === period.last ? NO_ENTRIES : entriesAhead(account, status, day, year.end, knownBy);
  const scheduled = ofEntries('time_off', ahead('approved'));
  const pending = ofEntries('time_off', account.undecided.run(year.first, standsAt), ahead('pending'));
  const { rules, since } = datedInForce(account.settings, day);
  const facts: readonly LineFact[] = [{ kind: 'settings', since }];
  const available = sumOf(
    plus('remaining', amounts.remaining, day),
    minus('scheduled', scheduled, day),
    rules.pending_counts ? minus('pending', pending, day, facts) : notCounted(pending, day, facts),
  );
  return { ...amounts, scheduled, pending, available };
}

/** An amount of 0 minutes with a line for the pending time off that does not count. */
function notCounted({ minutes }: Amount, day: Day, facts: readonly LineFact[]): Amount {
  const line: Line = { minutes: 0, first: day, last: day, rule: { code: 'pending_not_counted' }, facts };
  return { minutes: 0, lines: () => (minutes === 0 ? [] : [line]) };
}

const NO_ENTRIES: Run = { minutes: 0, entries: () => [] };

/**
 * Entries after the day in its leave year, of records that had this status at the end of `knownBy`, up to the
 * final day of the employment as it was known then.
 */
function entriesAhead(account: Account, status: 'approved' | 'pending', day: Day, end: Day, knownBy: Day): Run {
  if (!inForce(account.category, day).deducts_balance) return NO_ENTRIES;
  const known = account.periodsKnownBy(knownBy).findLast(({ first }) => first <= day);
  const last = known === undefined || known.last === null || known.last < day ? end - 1 : Math.min(end - 1, known.last);
  if (knownBy === KNOWN_AT_ANY_TIME) return account.booked[status].run(day + 1, last);
  const entries = account.records.flatMap((instants) => {
    const instant = instants.findLast(({ knownOn }) => knownOn <= knownBy);
    return instant?.status === status ? instant.days.filter((booked) => booked.day > day && booked.day <= last) : [];
  });
  return { minutes: entries.reduce((sum, { minutes }) => sum + minutes, 0), entries: () => entries };
}
