import type { Projection, Row, Stream, StreamProjection } from '#projections/projection.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Upsert } from '#projections/upsert.js';
import { manyRowsOfPerson } from '../../people/person/rows-of-people.js';
import type { Adjustment } from './ledger.decider.js';

const PRIMARY_KEY = ['organisation_id', 'id'];

const UPSERT: Upsert = {
  table: 'balance_adjustments',
  primaryKey: PRIMARY_KEY,
  columns: ['person_id', 'revision', 'category_id', 'amount_minutes', 'effective_date', 'reason_code', 'reverses', 'created_at'],
  revision: 'revision',
  ownsMany: true,
};

/** The entries of a person's ledger. */
export function adjustmentRows(stream: Stream): readonly Row[] {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  return stream.map((event) => {
    const { adjustment_id: id, ...entry } = event.data as unknown as Adjustment;
    return { organisation_id: organisationId, id, person_id: entityId, revision: event.revision, ...entry, created_at: event.recordedAt };
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
  tables: [{ name: 'balance_adjustments', primaryKey: PRIMARY_KEY, columns: [...PRIMARY_KEY, ...UPSERT.columns], bookkeeping: [] }],
  streams: [ledgers],
};
