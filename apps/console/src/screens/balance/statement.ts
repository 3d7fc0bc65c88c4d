import type { Schemas } from '../../data/client.js';
import { timeText } from '../../data/days.js';
import { readFromConsole } from '../../data/session.js';

/** The answer of `/console/people/{personId}/balance-statement`, see docs/reference/balances.md. */
export interface BalanceStatement {
  readonly person: { readonly id: string; readonly display_name: string };
  readonly as_of: string;
  /** Null where the length of the person's day is not known. */
  readonly minutes_per_day: number | null;
  readonly statements: readonly CategoryStatement[];
}

export type AmountName =
  | 'opening'
  | 'accrued'
  | 'carried_over'
  | 'adjusted'
  | 'taken'
  | 'expired'
  | 'remaining'
  | 'scheduled'
  | 'pending'
  | 'available';

export interface CategoryStatement {
  readonly category: { readonly id: string; readonly label: string };
  readonly unit: string;
  readonly leave_year: { readonly first_day: string; readonly last_day: string } | null;
  readonly amounts: Readonly<Record<AmountName, { readonly minutes: number; readonly lines: readonly Line[] }>>;
}

/** A summand of an amount. */
export interface Line {
  readonly minutes: number;
  readonly first_day: string;
  readonly last_day: string;
  readonly rule: Rule;
  readonly facts: readonly Fact[];
}

export type Rule =
  | {
      readonly code: 'yearly_grant';
      readonly allowance_minutes: number;
      readonly days: number;
      readonly of_days: number;
    }
  | { readonly code: 'monthly'; readonly allowance_minutes: number; readonly months: number }
  | {
      readonly code: 'part_of_month' | 'after_final_day';
      readonly allowance_minutes: number;
      readonly days: number;
      readonly of_days: number;
    }
  | {
      readonly code: 'worked_time';
      readonly allowance_minutes: number;
      readonly full_time_equivalent: number;
      readonly days: number;
      readonly of_days: number;
    }
  | { readonly code: 'rounding'; readonly multiple_of_minutes: number }
  | { readonly code: 'carry_over' | 'above_limit'; readonly left_minutes: number; readonly maximum_minutes: number }
  | { readonly code: 'overdraft' | 'adjustment' | 'lapsed' | 'pending_not_counted' }
  | { readonly code: 'time_off'; readonly days: number }
  | {
      readonly code: 'carry_over_expired';
      readonly carried_over_minutes: number;
      readonly used_minutes: number;
      readonly after_days: number;
    }
  | { readonly code: 'amount'; readonly amount: AmountName };

export type AdjustmentFact = {
  readonly kind: 'adjustment';
  readonly id: string;
  readonly reason_code: Schemas['AdjustmentResponse']['reason_code'];
  readonly recorded_at: string;
  readonly reverses: string | null;
  readonly reversed_by: string | null;
};

export type Fact =
  | AdjustmentFact
  | {
      readonly kind: 'time_off';
      readonly id: string;
      readonly start_date: string;
      readonly end_date: string;
      readonly status_code: Schemas['TimeOffResponse']['status_code'];
    }
  | { readonly kind: 'employment'; readonly first_day: string | null; readonly final_day: string | null }
  | { readonly kind: 'settings' | 'category' | 'full_time_equivalent'; readonly applies_from: string | null };

/** The balances of a person at the end of a day, with the lines of their amounts. */
export const readStatement = (personId: string, asOf: string): Promise<BalanceStatement> =>
  readFromConsole<BalanceStatement>(`/console/people/${encodeURIComponent(personId)}/balance-statement?as_of=${asOf}`);

/** The length of a day in minutes, with which amounts are shown in days; null for hours alone. */
export const dayOf = ({ unit }: Pick<CategoryStatement, 'unit'>, minutesPerDay: number | null): number | null =>
  unit === 'days' ? minutesPerDay : null;

/** Minutes in days, where a day has a length, and in hours: 2 days (15 h). */
export const minutesText = (minutes: number, day: number | null): string =>
  timeText(minutes, day === null ? null : minutes / day, 2);

/** The same with the sign of a summand: +2 days (15 h). */
export const signedText = (minutes: number, day: number | null): string =>
  `${minutes < 0 ? '−' : '+'}${minutesText(Math.abs(minutes), day)}`;
