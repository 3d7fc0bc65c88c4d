import { unreachable } from '#kernel/unreachable.js';
import type { Account, BalanceCategory, Period } from './account.rules.js';
import { type Amount, type LineFact, ofShare, type Reason, type Share } from './amount.rules.js';
import { datedInForce, type Day, pieces, placeInMonth } from './dated.rules.js';
import type { LeaveYear } from './leave-year.rules.js';

/** The minutes that have accrued in a leave year at the end of a day. */
export function accruedBy(account: Account, period: Period, year: LeaveYear, day: Day): Amount {
  const multiple = year.rules.accrual_rounding_minutes;
  return ofShare(shareBy(account, period, year, day), multiple, () => ({
    first: day,
    last: day,
    rule: { code: 'rounding', multiple_of_minutes: multiple },
    facts: [{ kind: 'settings', since: year.since }],
  }));
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
 * The whole allowance on the first day, in proportion to the days left of the leave year; from the final day
 * on, in proportion to the days of employment.
 */
function yearlyGrant(account: Account, period: Period, year: LeaveYear, day: Day): Share {
  const { first, end, daysOfTwelveMonths } = year;
  const { allowance, since } = allowanceOn(account, first);
  const isOver = period.last !== null && period.last <= day;
  const to = isOver ? Math.min(end, period.last + 1) : end;
  const days = to - first;
  const isPartial = first === period.first || isOver;
  const reason = (): Reason => ({
    first,
    last: to - 1,
    rule: { code: 'yearly_grant', allowance_minutes: allowance, days, of_days: daysOfTwelveMonths },
    facts: factsOf(year, since, isPartial ? period : null),
  });
  const parts = partOf(allowance * days, reason);
  return { parts, denominator: daysOfTwelveMonths, wholeYear: allowance };
}

/** The least common multiple of 28, 29, 30 and 31: each day of a month is a whole number of these parts. */
const PARTS_OF_MONTH = 377_580;

/**
 * A twelfth on the first of each month; the first one after a start and the last one before an end in
 * proportion to the days of that month.
 */
function instalments(account: Account, period: Period, year: LeaveYear, day: Day): Share {
  const { first } = year;
  const whole = pieces(account.category, first, day + 1).flatMap(({ from, to, rules, since }) => {
    const months = placeInMonth(to - 1).month - placeInMonth(from - 1).month;
    const allowance = allowanceOf(rules);
    return partOf(allowance * months * PARTS_OF_MONTH, () => ({
      first: from,
      last: to - 1,
      rule: { code: 'monthly', allowance_minutes: allowance, months },
      facts: factsOf(year, since, null),
    }));
  });
  return {
    parts: [...partOfFirstMonth(account, period, year), ...whole, ...partAfterFinalDay(account, period, year, day)],
    denominator: 12 * PARTS_OF_MONTH,
    wholeYear: allowanceOn(account, day).allowance,
  };
}

function partOfFirstMonth(account: Account, period: Period, year: LeaveYear): Share['parts'] {
  const { first } = year;
  const { dayOfMonth, daysInMonth } = placeInMonth(first);
  if (first !== period.first || dayOfMonth === 1) return [];
  const { allowance, since } = allowanceOn(account, first);
  const days = daysInMonth - dayOfMonth + 1;
  return partOf(allowance * days * (PARTS_OF_MONTH / daysInMonth), () => ({
    first,
    last: first + days - 1,
    rule: { code: 'part_of_month', allowance_minutes: allowance, days, of_days: daysInMonth },
    facts: factsOf(year, since, period),
  }));
}

function partAfterFinalDay(account: Account, period: Period, year: LeaveYear, day: Day): Share['parts'] {
  if (day !== period.last) return [];
  const { dayOfMonth, daysInMonth } = placeInMonth(day);
  const given = Math.max(day - dayOfMonth + 1, period.first);
  // An instalment of the previous leave year stays there: no leave year accrues a negative amount.
  if (given < year.first) return [];
  const { allowance, since } = allowanceOn(account, given);
  const days = daysInMonth - dayOfMonth;
  return partOf(-allowance * days * (PARTS_OF_MONTH / daysInMonth), () => ({
    first: day + 1,
    last: day + days,
    rule: { code: 'after_final_day', allowance_minutes: allowance, days, of_days: daysInMonth },
    facts: factsOf(year, since, period),
  }));
}

/** Four decimals, as the full-time equivalent has. */
const PARTS_OF_FULL_TIME = 10_000;

/** Day by day: the allowance in force times the full-time equivalent in force. */
function workedTime(account: Account, year: LeaveYear, day: Day): Share {
  const { first, daysOfTwelveMonths } = year;
  const parts = pieces(account.category, first, day + 1).flatMap(({ from, to, rules, since }) =>
    pieces(account.fullTimeEquivalent, from, to).flatMap((worked) => {
      const allowance = allowanceOf(rules);
      const days = worked.to - worked.from;
      return partOf(allowance * Math.round(worked.rules * PARTS_OF_FULL_TIME) * days, () => ({
        first: worked.from,
        last: worked.to - 1,
        rule: {
          code: 'worked_time',
          allowance_minutes: allowance,
          full_time_equivalent: worked.rules,
          days,
          of_days: daysOfTwelveMonths,
        },
        facts: [...factsOf(year, since, null), { kind: 'full_time_equivalent', since: worked.since }],
      }));
    }),
  );
  return {
    parts,
    denominator: PARTS_OF_FULL_TIME * daysOfTwelveMonths,
    wholeYear: allowanceOn(account, day).allowance,
  };
}

function partOf(numerator: number, reason: () => Reason): Share['parts'] {
  return numerator === 0 ? [] : [{ numerator, reason }];
}

/** The versions of the category and of the settings, and the employment if it limits the days. */
function factsOf(year: LeaveYear, category: Day | null, period: Period | null): readonly LineFact[] {
  const ofEmployment: readonly LineFact[] = period === null ? [] : [{ kind: 'employment', ...period }];
  return [{ kind: 'category', since: category }, { kind: 'settings', since: year.since }, ...ofEmployment];
}

function allowanceOn(account: Account, day: Day): { readonly allowance: number; readonly since: Day | null } {
  const { rules, since } = datedInForce(account.category, day);
  return { allowance: allowanceOf(rules), since };
}

/** A category that deducts nothing has no allowance. */
function allowanceOf({ deducts_balance, annual_allowance_minutes }: BalanceCategory): number {
  return deducts_balance ? (annual_allowance_minutes ?? 0) : 0;
}
