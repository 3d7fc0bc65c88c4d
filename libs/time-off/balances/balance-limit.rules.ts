import type { Account, Period } from './account.rules.js';
import { balancesOn } from './balance.rules.js';
import { type Day, dateOf } from './dated.rules.js';
import { firstLeaveYear, nextLeaveYear } from './leave-year.rules.js';

/** A change of an account, and the limit that the balance must not go below. */
export interface LimitQuestion {
  /** Evaluated only if the balance is below the limit after the change, which is rare. */
  readonly before: () => Account;
  readonly after: Account;
  /** How far below zero the available balance may go, in minutes. */
  readonly limit: number;
  /** The first and the last day of the recorded time off. */
  readonly first: Day;
  readonly last: Day;
}

/**
 * The first day from `first` on, in any leave year, on which the available balance would be further below
 * zero than the limit allows and further than without the change; null if there is none. A change that
 * reduces an overdraft is never refused.
 */
export function firstDayBelow({ before, after, limit, first, last }: LimitQuestion): string | null {
  const days = daysToLookAt(after, first, last);
  const available = availableOn(after, days);
  if (available.every((minutes) => minutes >= -limit)) return null;
  const without = availableOn(before(), days);
  const broken = days.findIndex((_, index) => available[index]! < -limit && available[index]! < without[index]!);
  return broken === -1 ? null : dateOf(days[broken]!);
}

function availableOn(account: Account, days: readonly Day[]): readonly number[] {
  return balancesOn(account, days).map((balance) => balance.available);
}

/**
 * The days to check, in order. Between two of them the available balance only grows: booked minutes stay
 * booked, and more minutes accrue. The check ends with the leave year after the last one with a record: later
 * leave years begin with at most the overdraft of the one before, and no record uses them up.
 */
function daysToLookAt(account: Account, first: Day, last: Day): readonly Day[] {
  const changes = [
    ...account.adjustments.map(({ day }) => day),
    ...account.settings.map(({ from }) => from),
    ...account.category.map(({ from }) => from),
  ];
  const lastRecorded = Math.max(
    last,
    ...changes,
    account.booked.approved.last ?? last,
    account.booked.pending.last ?? last,
  );
  const days = [first, ...changes, ...account.periods.flatMap((period) => daysOfPeriod(account, period, lastRecorded))];
  return [...new Set(days)].filter((day) => day >= first).sort((one, other) => one - other);
}

/**
 * The first and the final day, and each day on which a leave year begins or carried-over minutes expire, up
 * to the leave year after that of `lastRecorded`.
 */
function daysOfPeriod(account: Account, period: Period, lastRecorded: Day): readonly Day[] {
  const days: Day[] = [];
  const final = period.last ?? Number.POSITIVE_INFINITY;
  for (let year = firstLeaveYear(account, period); ; year = nextLeaveYear(account, year)) {
    const { carry_over_expires_after_days: expiresAfter } = year.rules;
    days.push(year.first, ...(expiresAfter === null ? [] : [year.first + expiresAfter]));
    if (final < year.end) return [...days, final];
    if (year.first > lastRecorded) return days;
  }
}
