import { type ImportedEvent, type Position, WrongExpectedRevisionError } from '../event-store.js';
import { type Executor, prepare } from './appends.js';
import { positionOf } from './statements.js';

/** Taking locks assigns no transaction id. */
const LOCK = {
  name: 'event-store-lock',
  text: `select pg_advisory_xact_lock(k.key) from (
    select distinct hashtextextended(t.name, 0) as key from unnest($1::text[]) as t (name) order by key) as k`,
};

const INSERT = `
insert into events (stream, revision, event_id, type, data, metadata, recorded_at)
select n.stream, n.revision, n.id, n.type, n.data::json, n.metadata::json, n.recorded_at
  from unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
       with ordinality as n (stream, revision, id, type, data, metadata, recorded_at, place)
 order by n.place
on conflict (stream, revision) do nothing`;

/**
 * The event now stored at each place, and the last revision of its stream; `follows`: it directly follows the
 * preceding one.
 */
const PRESENT = `
select e.event_id = n.id as is_own, e.transaction_id::text as transaction_id, e.position::text as position,
       n.revision = 0 or exists (select from events b where b.stream = n.stream
       and b.revision = n.revision - 1) as follows,
       (select max(l.revision) from events l where l.stream = n.stream) as last_revision
  from unnest($1::text[], $2::bigint[], $3::uuid[]) with ordinality as n (stream, revision, id, place)
  left join events e on e.stream = n.stream and e.revision = n.revision
 order by n.place`;

interface PresentRow {
  readonly is_own: boolean;
  readonly transaction_id: string;
  readonly position: string;
  readonly follows: boolean;
  readonly last_revision: string;
}

/** Imports as `EventStore.importEvents` does, in one transaction, so that the log has the given order. */
export async function importEvents(
  connection: Executor,
  events: readonly ImportedEvent[],
): Promise<readonly Position[]> {
  const texts = events.map(({ stream, ...event }) => prepare(stream, [event])[0]!);
  const keys = [events.map(({ stream }) => stream), events.map(({ revision }) => revision), events.map(({ id }) => id)];
  // Before anything is written, as in appends.
  await connection.query({ ...LOCK, values: [keys[0]] });
  // Prepared, because the demo's history is imported event by event.
  await connection.query({
    name: 'import-events',
    text: INSERT,
    values: [
      ...keys,
      texts.map(({ type }) => type),
      texts.map(({ data }) => data),
      texts.map(({ metadata }) => metadata),
      events.map(({ recordedAt }) => recordedAt),
    ],
  });
  const { rows } = await connection.query<PresentRow>({ name: 'imported-events', text: PRESENT, values: keys });
  return rows.map((row, index) => {
    const { stream, revision } = events[index]!;
    if (!row.is_own || !row.follows) {
      // The last revision without the rows of this transaction, which is rolled back.
      throw new WrongExpectedRevisionError(
        stream,
        revision === 0 ? 'none' : revision - 1,
        row.is_own ? null : Number(row.last_revision),
      );
    }
    return positionOf(row.transaction_id, row.position);
  });
}
