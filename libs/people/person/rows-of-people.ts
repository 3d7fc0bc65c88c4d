import type { StreamProjection } from '#projections/projection.js';
import { type Upsert, upsertHead } from '#projections/upsert.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { RowKeys } from '#projections/one-row-table.js';

/** How to find the row in a table with one row per person, whose stream is named after the person. */
export const ROWS_OF_PEOPLE: RowKeys = {
  primaryKey: ['organisation_id', 'person_id'],
  others: [],
  values: (organisationId, entityId) => ({ organisation_id: organisationId, person_id: entityId }),
  streamKey: `organisation_id || '.' || person_id`,
};

/**
 * How to write and find rows in a table in which a person's stream owns many: each event concerns one row,
 * which has the revision of its last event.
 *
 * @param id - the member of an event's data with the id of its row; the primary key is (`organisation_id`,
 * `id`)
 */
export function manyRowsOfPerson(upsert: Upsert, id: string): Omit<StreamProjection, 'category' | 'rows'> {
  return {
    expressions: (tables) => upsertHead(upsert, tables),
    revisionsInRows: {
      table: upsert.table,
      revision: upsert.revision,
      key: ({ stream, data }) => ({ organisation_id: partsOfStream(stream).organisationId, id: data[id] as string }),
      stream: ROWS_OF_PEOPLE.streamKey,
    },
  };
}
