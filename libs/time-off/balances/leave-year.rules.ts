import type { AccountFacts, BalanceSettings, Period } from './account.rules.js';
import { datedInForce, type Day, nextAnniversary, yearBefore } from './dated.rules.js';

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
  /** The day of the version of the rules; null for the first version. */
  readonly since: Day | null;
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
  const { rules, since } = datedInForce(settings, first);
  const end = nextAnniversary(first, rules.leave_year_start);
  return { first, end, daysOfTwelveMonths: end - yearBefore(end), rules, since };
}
