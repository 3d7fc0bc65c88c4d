import type { Pool, PoolClient } from 'pg';
import { plainArray, textArray } from '#database/arrays.js';
import { inTransaction } from '#database/transaction.js';
import { type ImportedEvent, type Position, WrongExpectedRevisionError } from '../event-store.js';
import { positionOf } from './statements.js';

/** Each stream takes a lock in the server's shared lock table, whose size is 64 per connection by default. */
const MOST_STREAMS = 250;
const MOST_EVENTS = 2_000;

/** Imports as `EventStore.importEvents` does, in transactions of some events each, so that the log has the given order. */
export async function importInto(pool: Pool, events: readonly ImportedEvent[]): Promise<readonly Position[]> {
  const positions: Position[] = [];
  for (const chunk of chunksOf(events)) positions.push(...(await inTransaction(pool, (connection) => importChunk(connection, chunk))));
  return positions;
}

function chunksOf(events: readonly ImportedEvent[]): readonly (readonly ImportedEvent[])[] {
  const chunks: ImportedEvent[][] = [];
  let streams = new Set<string>();
  for (const event of events) {
    const chunk = chunks.at(-1);
    if (chunk === undefined || chunk.length === MOST_EVENTS || (streams.size === MOST_STREAMS && !streams.has(event.stream))) {
      chunks.push([event]);
      streams = new Set([event.stream]);
    } else {
      chunk.push(event);
      streams.add(event.stream);
    }
  }
  return chunks;
}

/** The streams' locks are taken before anything is written, as in appends: taking them assigns no transaction id. */
const LOCK = `select pg_advisory_xact_lock(key) from (select distinct hashtextextended(t.name, 0) as key from unnest($1::text[]) as t (name) order by key) as keys`;

const INSERT = `
insert into events (stream, revision, event_id, type, data, metadata, recorded_at)
select n.stream, n.revision, n.id, n.type, n.data::json, n.metadata::json, n.recorded_at
  from unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
       with ordinality as n (stream, revision, id, type, data, metadata, recorded_at, place)
 order by n.place
on conflict (stream, revision) do nothing`;

/** The event now stored at each place, and the last revision of its stream; \`follows\`: there is no gap before it. */
const PRESENT = `
select e.event_id = n.id as is_own, e.transaction_id::text as transaction_id, e.position::text as position,
       n.revision = 0 or exists (select from events b where b.stream = n.stream and b.revision = n.revision - 1) as follows,
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

async function importChunk(connection: PoolClient, events: readonly ImportedEvent[]): Promise<readonly Position[]> {
  const streams = events.map(({ stream }) => stream);
  const keys = [textArray(streams), plainArray(events.map(({ revision }) => revision)), plainArray(events.map(({ id }) => id))];
  // Prepared, because the demo's history is imported event by event.
  await connection.query({ name: 'import-lock', text: LOCK, values: [keys[0]] });
  await connection.query({
    name: 'import-events',
    text: INSERT,
    values: [
      ...keys,
      textArray(events.map(({ type }) => type)),
      textArray(events.map(({ data }) => JSON.stringify(data))),
      textArray(events.map(({ metadata }) => JSON.stringify(metadata))),
      events.map(({ recordedAt }) => recordedAt),
    ],
  });
  const { rows } = await connection.query<PresentRow>({ name: 'imported-events', text: PRESENT, values: keys });
  return rows.map((row, index) => {
    const { stream, revision } = events[index]!;
    if (!row.is_own || !row.follows) {
      // The last revision without the rows of this transaction, which is rolled back.
      throw new WrongExpectedRevisionError(stream, revision === 0 ? 'none' : revision - 1, row.is_own ? null : Number(row.last_revision));
    }
    return positionOf(row.transaction_id, row.position);
  });
}
