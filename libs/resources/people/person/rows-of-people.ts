import type { StreamProjection } from '#projections/projection.js';
import { storedRevisionsStatement, streamsAheadStatement, type Upsert, upsertHead } from '#projections/upsert.js';
import type { RowKeys } from '#projections/one-row-table.js';

/** SQL for the key of the stream of a row of `live` with a person. */
const STREAM_KEY = `live.organisation_id || '.' || live.person_id`;

/** How to find the row in a table with one row a person, whose stream is named after the person. */
export const ROWS_OF_PEOPLE: RowKeys = {
  primaryKey: ['organisation_id', 'person_id'],
  others: [],
  values: (organisationId, entityId) => ({ organisation_id: organisationId, person_id: entityId }),
  storedRevisions: (table) => storedRevisionsStatement(table, 'person_id', 'revision'),
  streamKey: STREAM_KEY,
};

/**
 * How to write and find rows in a table in which a person's stream owns many. A row's revision is that of the last event about it, and each
 * event concerns one row, so the latest revision of a person's rows is the stream's.
 *
 * @param id - which of an event's data is the id of its row; the primary key is (`organisation_id`, `id`)
 */
export function manyRowsOfPerson(upsert: Upsert, id: string): Omit<StreamProjection, 'category' | 'rows'> {
  const { table } = upsert;
  return {
    expressions: (tables, source) => upsertHead(upsert, tables, source),
    storedRevisions: (tables) => `select s.organisation_id || '.' || s.person_id as key, max(s.revision) as revision
    from unnest($1::text[]) as wanted(key)
    join ${tables(table)} s on s.organisation_id = left(wanted.key, 34) and s.person_id = substr(wanted.key, 36)
   group by s.organisation_id, s.person_id`,
    rowOfEvent: {
      id: (event) => event.data[id] as string,
      behind: (tables) => `select distinct wanted.key from unnest($1::text[], $2::text[], $3::bigint[]) as wanted(key, id, revision)
     where not exists (
       select from ${tables(table)} s where s.organisation_id = left(wanted.key, 34) and s.id = wanted.id and s.revision >= wanted.revision)`,
    },
    streamsAhead: (tables) => `select distinct ahead.key from (${streamsAheadStatement(table, tables(table), upsert, STREAM_KEY)}) ahead`,
  };
}
