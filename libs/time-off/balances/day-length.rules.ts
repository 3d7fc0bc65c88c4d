import type { PatternDay } from '#organisation/working-pattern/working-pattern.js';
import { standardDay } from '../records/day-count.rules.js';
import type { Balance } from './balance.rules.js';

/** The length of a person's working day, as an exact fraction: `minutes` in `days` working days. */
export interface DayLength {
  /** Above 0. */
  readonly minutes: number;
  /** Above 0. */
  readonly days: number;
}

/** The amounts of a balance in days, to four decimals, with the length of one day. */
export type AmountsInDays = Balance & { readonly minutes_per_day: number };

/**
 * The mean working day of a working pattern, which is one day of `total_days` if all of its days are equal.
 * Without a pattern, a working day as records count it: see {@link standardDay}. Null if there is no working
 * day.
 *
 * @param pattern - null if the person has none
 */
export function dayLengthOf(
  pattern: readonly PatternDay[] | null,
  terms: { readonly contracted_weekly_minutes: number | null; readonly full_time_weekly_minutes: number | null },
): DayLength | null {
  const lengths =
    pattern === null ? [standardDay(terms.contracted_weekly_minutes, terms.full_time_weekly_minutes)] : pattern;
  const minutes = lengths
    .map(({ morning_minutes: morning, afternoon_minutes: afternoon }) => morning + afternoon)
    .filter((sum) => sum > 0);
  return minutes.length === 0 ? null : { minutes: minutes.reduce((sum, one) => sum + one, 0), days: minutes.length };
}

/** The amounts of a balance in days of this length, each rounded separately, half away from zero. */
export function inDays(balance: Balance, length: DayLength): AmountsInDays {
  const amounts = Object.entries(balance).map(([name, minutes]) => [
    name,
    rounded((minutes * length.days) / length.minutes),
  ]);
  return {
    minutes_per_day: rounded(length.minutes / length.days),
    ...(Object.fromEntries(amounts) as unknown as Balance),
  };
}

function rounded(amount: number): number {
  const whole = Math.round(Math.abs(amount) * 10_000) / 10_000;
  return amount < 0 && whole !== 0 ? -whole : whole;
}
