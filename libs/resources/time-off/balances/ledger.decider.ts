import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';

export const ADJUSTMENT_REASONS = ['grant', 'correction', 'carry_over', 'payout', 'other'] as const;
export type AdjustmentReason = (typeof ADJUSTMENT_REASONS)[number];

/** Minutes of a year of 365 days. */
export const LARGEST_ADJUSTMENT_MINUTES = 525_600;

/** An entry of a person's ledger. */
export type Adjustment = {
  readonly adjustment_id: string;
  readonly category_id: string;
  /** Signed, never 0. */
  readonly amount_minutes: number;
  readonly effective_date: LocalDate;
  readonly reason_code: AdjustmentReason;
  /** The entry that this one reverses. */
  readonly reverses: string | null;
};

// These names and fields are the storage format: add new ones, never rename or remove.
export type LedgerEvent = DomainEvent<'BalanceAdjusted', Adjustment>;

/** One person's adjustments of all categories, in the order in which they were recorded. Entries are reversed, never changed. */
export type LedgerState = readonly Adjustment[];

export const initialLedger: LedgerState = [];

/** The ledger with one more entry. */
export function evolveLedger(ledger: LedgerState, event: LedgerEvent): LedgerState {
  return [...ledger, event.data];
}

export interface LedgerCommand {
  readonly type: 'adjust';
  readonly adjustment: Adjustment;
}

/** What a command records, or why it is refused. */
export function decideLedger({ adjustment }: LedgerCommand, ledger: LedgerState): Decision<LedgerEvent> {
  if (ledger.some(({ adjustment_id: id }) => id === adjustment.adjustment_id))
    return reject(conflict('id', 'an adjustment with this id exists already'));
  const rejection = amountRejection(adjustment) ?? reversalRejection(adjustment, ledger);
  return rejection === null ? accept({ type: 'BalanceAdjusted', data: adjustment }) : reject(rejection);
}

function amountRejection({ amount_minutes: amount }: Adjustment): Rejection | null {
  if (amount === 0) return invalid('amount_minutes', 'must not be 0');
  const isFine = Number.isInteger(amount) && Math.abs(amount) <= LARGEST_ADJUSTMENT_MINUTES;
  return isFine
    ? null
    : invalid('amount_minutes', `must be a whole number from -${LARGEST_ADJUSTMENT_MINUTES} to ${LARGEST_ADJUSTMENT_MINUTES}`);
}

/** A reversal is the exact opposite of its entry, and an entry is reversed at most once. */
function reversalRejection(adjustment: Adjustment, ledger: LedgerState): Rejection | null {
  if (adjustment.reverses === null) return null;
  const reversed = ledger.find(({ adjustment_id: id }) => id === adjustment.reverses);
  if (reversed === undefined) return notFound('reverses', 'there is no such adjustment of this person');
  if (reversed.reverses !== null) return conflict('reverses', 'takes back another adjustment: record a new one instead');
  if (ledger.some(({ reverses }) => reverses === reversed.adjustment_id)) return conflict('reverses', 'was taken back already');
  if (adjustment.category_id !== reversed.category_id)
    return conflict('category_id', 'is not the category of the adjustment that is taken back');
  if (adjustment.amount_minutes !== -reversed.amount_minutes)
    return conflict('amount_minutes', `must be ${-reversed.amount_minutes}, to take the adjustment back`);
  if (adjustment.effective_date < reversed.effective_date)
    return conflict('effective_date', 'lies before that of the adjustment that is taken back');
  return null;
}

export const ledgerAggregate = defineAggregate({
  category: 'time-off-balance',
  initial: initialLedger,
  evolve: evolveLedger,
});
