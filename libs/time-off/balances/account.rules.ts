import { type DatedEntry, type Day, DatedMinutes, inForce, type Version } from './dated.rules.js';

/** The settings of balances. A leave year keeps the rules that are in force on its first day. */
export interface BalanceSettings {
  /** `MM-DD`, never 29 February. */
  readonly leave_year_start: string;
  readonly accrual_method: 'fixed_yearly' | 'monthly' | 'worked_time';
  readonly accrual_rounding_minutes: number;
  readonly carry_over_max_minutes: number;
  readonly carry_over_expires_after_days: number | null;
  readonly pending_counts: boolean;
}

/** The rules of a category for balances. */
export interface BalanceCategory {
  readonly deducts_balance: boolean;
  readonly annual_allowance_minutes: number | null;
}

/** One employment, its last day inclusive; null if it is open. */
export interface Period {
  readonly first: Day;
  readonly last: Day | null;
}

/**
 * The state of a record from the day on which it became known: its counted days in this category, empty if it
 * is in another category.
 */
export interface RecordState {
  readonly knownOn: Day;
  readonly status: 'pending' | 'approved' | 'rejected' | 'cancelled';
  readonly days: readonly DatedEntry[];
}

/**
 * The facts from which one person's balance in one category is calculated. Versions are in order and not
 * empty.
 */
export interface AccountFacts {
  /** Oldest first; they never overlap. */
  readonly periods: readonly Period[];
  /** Returns the periods as they were known at the end of a day. */
  readonly periodsKnownBy: (day: Day) => readonly Period[];
  /** The full-time equivalent, to four decimals. */
  readonly fullTimeEquivalent: readonly Version<number>[];
  readonly settings: readonly Version<BalanceSettings>[];
  readonly category: readonly Version<BalanceCategory>[];
  /** Each record's states over time, oldest first, never empty. */
  readonly records: readonly (readonly RecordState[])[];
  readonly adjustments: readonly DatedEntry[];
}

/** Facts with sums that every calculation needs. */
export interface Account extends AccountFacts {
  /**
   * Minutes of records that currently have this status, even if the category does not deduct them on their
   * day.
   */
  readonly booked: { readonly approved: DatedMinutes; readonly pending: DatedMinutes };
  readonly taken: DatedMinutes;
  readonly undecided: DatedMinutes;
  readonly adjusted: DatedMinutes;
  readonly withdrawn: DatedMinutes;
}

/** Calculates the sums once for all balances of an account. */
export function openAccount(facts: AccountFacts): Account {
  const deducting = ({ day }: { readonly day: Day }): boolean => inForce(facts.category, day).deducts_balance;
  const daysOf = (status: RecordState['status']) =>
    facts.records.map((instants) => instants.at(-1)!).flatMap((now) => (now.status === status ? now.days : []));
  const [approved, pending] = [daysOf('approved'), daysOf('pending')];
  return {
    ...facts,
    booked: { approved: new DatedMinutes(approved), pending: new DatedMinutes(pending) },
    taken: new DatedMinutes(approved.filter(deducting)),
    undecided: new DatedMinutes(pending.filter(deducting)),
    adjusted: new DatedMinutes(facts.adjustments),
    withdrawn: new DatedMinutes(facts.adjustments.map((entry) => ({ ...entry, minutes: Math.max(0, -entry.minutes) }))),
  };
}
