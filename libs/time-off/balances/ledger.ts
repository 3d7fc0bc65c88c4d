import { accept, type Decision, defineAggregate, type DomainEvent, partsOfStream, reject } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';
import { manyRowsOfPerson } from '#people/person/rows-of-people.js';
import type { Projection, Row, Stream, StreamProjection } from '#projections/projection.js';
import type { Upsert } from '#projections/upsert.js';

export const ADJUSTMENT_REASONS = ['grant', 'correction', 'carry_over', 'payout', 'other'] as const;
export type AdjustmentReason = (typeof ADJUSTMENT_REASONS)[number];

/** Minutes of a year of 365 days. */
export const MAX_ADJUSTMENT_MINUTES = 525_600;

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

/**
 * One person's adjustments of all categories, in the order in which they were recorded. Entries are reversed,
 * never changed.
 */
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

/** The events of a command, or the reason for its refusal. */
export function decideLedger({ adjustment }: LedgerCommand, ledger: LedgerState): Decision<LedgerEvent> {
  if (ledger.some(({ adjustment_id: id }) => id === adjustment.adjustment_id))
    return reject(conflict('id', 'an adjustment with this id exists already'));
  const rejection = amountRejection(adjustment) ?? reversalRejection(adjustment, ledger);
  return rejection === null ? accept({ type: 'BalanceAdjusted', data: adjustment }) : reject(rejection);
}

function amountRejection({ amount_minutes: amount }: Adjustment): Rejection | null {
  if (amount === 0) return invalid('amount_minutes', 'must not be 0');
  const isFine = Number.isInteger(amount) && Math.abs(amount) <= MAX_ADJUSTMENT_MINUTES;
  return isFine
    ? null
    : invalid('amount_minutes', `must be a whole number from -${MAX_ADJUSTMENT_MINUTES} to ${MAX_ADJUSTMENT_MINUTES}`);
}

/** A reversal is the exact opposite of its entry, and an entry is reversed at most once. */
function reversalRejection(adjustment: Adjustment, ledger: LedgerState): Rejection | null {
  if (adjustment.reverses === null) return null;
  const reversed = ledger.find(({ adjustment_id: id }) => id === adjustment.reverses);
  if (reversed === undefined) return notFound('reverses', 'there is no such adjustment of this person');
  if (reversed.reverses !== null) return conflict('reverses', 'reverses another adjustment: record a new one instead');
  if (ledger.some(({ reverses }) => reverses === reversed.adjustment_id))
    return conflict('reverses', 'is already reversed');
  if (adjustment.category_id !== reversed.category_id)
    return conflict('category_id', 'is not the category of the adjustment that is reversed');
  if (adjustment.amount_minutes !== -reversed.amount_minutes)
    return conflict('amount_minutes', `must be ${-reversed.amount_minutes}, to reverse the adjustment`);
  if (adjustment.effective_date < reversed.effective_date)
    return conflict('effective_date', 'is before that of the adjustment that is reversed');
  return null;
}

export const ledgerAggregate = defineAggregate({
  category: 'time-off-balance',
  initial: initialLedger,
  evolve: evolveLedger,
});

/**
 * The read table of the ledgers' entries. A person's stream owns all rows of the person; a row's revision is
 * that of its event, and it never changes.
 */
export const BALANCE_ADJUSTMENTS_SCHEMA = `
create table balance_adjustments (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  category_id text collate "C" not null,
  amount_minutes integer not null,
  effective_date date not null,
  reason_code text not null,
  reverses text collate "C",
  created_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index balance_adjustments_of_people on balance_adjustments (organisation_id, person_id, effective_date);
`;

const PRIMARY_KEY = ['organisation_id', 'id'];

const UPSERT: Upsert = {
  table: 'balance_adjustments',
  primaryKey: PRIMARY_KEY,
  columns: [
    'person_id',
    'revision',
    'category_id',
    'amount_minutes',
    'effective_date',
    'reason_code',
    'reverses',
    'created_at',
  ],
  revision: 'revision',
  ownsMany: true,
};

/** The entries of a person's ledger. */
function adjustmentRows(stream: Stream): readonly Row[] {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  return stream.map((event) => {
    const { adjustment_id: id, ...entry } = event.data as unknown as Adjustment;
    return {
      organisation_id: organisationId,
      id,
      person_id: entityId,
      revision: event.revision,
      ...entry,
      created_at: event.recordedAt,
    };
  });
}

const ledgers: StreamProjection = {
  category: 'time-off-balance',
  rows: (stream) => ({ balance_adjustments: adjustmentRows(stream) }),
  ...manyRowsOfPerson(UPSERT, 'adjustment_id'),
};

/** Adjustments of balances. */
export const balanceAdjustmentProjection: Projection = {
  name: 'balance_adjustments',
  needsPersonKeys: false,
  tables: [
    {
      name: 'balance_adjustments',
      primaryKey: PRIMARY_KEY,
      columns: [...PRIMARY_KEY, ...UPSERT.columns],
      bookkeeping: [],
    },
  ],
  streams: [ledgers],
};
