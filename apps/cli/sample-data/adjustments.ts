import { addDays, type LocalDate } from '#kernel/dates.js';
import type { AdjustmentReason } from '#time-off/balances/ledger.js';

/** A made-up adjustment of a person's annual leave. */
export interface MadeAdjustment {
  /** Signed. */
  readonly minutes: number;
  readonly on: LocalDate;
  readonly reason: AdjustmentReason;
  /** Whether it is taken back again. */
  readonly isReversed: boolean;
}

/**
 * The adjustments of those who were there first: long service, a slip that was put right, days carried over
 * and paid out.
 */
export function generateAdjustments(number: number, today: LocalDate): readonly MadeAdjustment[] {
  const newYear = `${today.slice(0, 4)}-01-01`;
  switch (number) {
    case 1:
      return [{ minutes: 450, on: newYear, reason: 'grant', isReversed: false }];
    case 2:
      return [{ minutes: -225, on: newYear, reason: 'correction', isReversed: false }];
    case 3:
      return [{ minutes: 900, on: newYear, reason: 'other', isReversed: true }];
    case 4:
      return [{ minutes: 675, on: newYear, reason: 'carry_over', isReversed: false }];
    case 5:
      return [{ minutes: -900, on: addDays(today, -1), reason: 'payout', isReversed: false }];
    default:
      return [];
  }
}
