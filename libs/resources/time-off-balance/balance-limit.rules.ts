import type { Account, Period } from './account.rules.js';
import { ALL_THAT_IS_KNOWN, balanceOn, firstLeaveYear, nextLeaveYear } from './balance.rules.js';
import { type Day, dateOf } from './dated.rules.js';

/** What would change, and what must not be undercut. */
export interface LimitQuestion {
  readonly before: Account;
  readonly after: Account;
  /** How far below zero the available balance may go, in minutes. */
  readonly limit: number;
  /** The first and the last day of what is recorded. */
  readonly first: Day;
  readonly last: Day;
}

/**
 * The first day from `first` to the end of the leave year after that of `last` on which the available balance would be
 * further below zero than the limit, and further than it is without the change; null where there is none. What makes an
 * overdraft smaller is never refused.
 */
export function firstDayBelow({ before, after, limit, first, last }: LimitQuestion): string | null {
  const broken = daysToLookAt(after, first, last).find((day) => {
    const { available } = balanceOn(after, day, ALL_THAT_IS_KNOWN);
    return available < -limit && available < balanceOn(before, day, ALL_THAT_IS_KNOWN).available;
  });
  return broken === undefined ? null : dateOf(broken);
}

/**
 * Between two of these days what is available only grows: what is booked stays booked, and more accrues. A rehire on the
 * morrow of a final day lets time off reach into the next employment, which has leave years of its own.
 */
function daysToLookAt(account: Account, first: Day, last: Day): readonly Day[] {
  const begun = account.periods.findLast((candidate) => candidate.first <= first);
  if (begun === undefined) return [];
  const end = endOfYearAfter(account, begun, last);
  const days = [first, ...account.adjustments.map(({ day }) => day), ...account.settings.map(({ from }) => from), ...account.category.map(({ from }) => from)];
  for (const period of account.periods.filter((one) => one.first >= begun.first && one.first < end)) {
    if (period.last !== null) days.push(period.last);
    for (let year = firstLeaveYear(account, period); year.first < end; year = nextLeaveYear(account, year)) {
      const { carry_over_expires_after_days: expiresAfter } = year.rules;
      days.push(year.first, ...(expiresAfter === null ? [] : [year.first + expiresAfter]));
    }
  }
  return [...new Set(days)].filter((day) => day >= first && day < end).sort((one, other) => one - other);
}

/** The morrow of the leave year after the one of the day. */
function endOfYearAfter(account: Account, period: Period, day: Day): Day {
  let year = firstLeaveYear(account, period);
  while (year.first <= day) year = nextLeaveYear(account, year);
  return year.end;
}
