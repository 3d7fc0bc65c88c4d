import type { Pool, PoolClient } from 'pg';
import { type Append, type Appended, type ExpectedRevision, InvalidAppendError, WrongExpectedRevisionError } from '../event-store.js';
import { type SerialisedEvent, serialiseAppend } from '../new-events.js';
import { AS_TEXT, positionOf, type Statement, whenAvailable } from './statements.js';

/** What makes queries: the pool, for a transaction of each, or a connection of the caller's transaction. */
export type Executor = Pick<Pool | PoolClient, 'query'>;

/** An append that was checked. */
export interface PreparedAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly SerialisedEvent[];
}

/** The streams of `$1`, in the order of their locks' keys; taking locks assigns no transaction id. */
const LOCKS = `select pg_advisory_xact_lock(k.key) from (
  select distinct hashtextextended(t.name, 0) as key from unnest($1::text[]) as t (name) order by key) as k`;

export const LOCK: Statement = { name: 'event-store-lock', text: LOCKS };

/**
 * The n-th element of the first three arrays is an append: its stream, the expected revision as `append_under_lock` takes it, and the number
 * of its events, which are next in the other arrays. No row of `wanted` comes before all locks are held.
 */
const APPEND: Statement = {
  name: 'event-store-append',
  text: `with held as materialized (select count(*) from (${LOCKS}) as locks),
    wanted as materialized (
      select a.*, (sum(a.events) over (order by a.n))::int as last
        from held, unnest($1::text[], $2::bigint[], $3::int[]) with ordinality as a (stream, expected, events, n))
    select o.outcome, o.last_revision, o.last_transaction, o.last_position,
           to_char(o.last_recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      from wanted w cross join lateral (select w.last - w.events + 1) as f (first)
     cross join lateral append_under_lock(w.stream, w.expected, ($4::uuid[])[f.first:w.last], ($5::text[])[f.first:w.last],
           ($6::text[])[f.first:w.last], ($7::text[])[f.first:w.last]) as o
     order by w.n`,
};

type OutcomeRow = readonly [outcome: string, revision: string, transactionId: string, place: string, recordedAt: string];

/** Checks and serialises an append. Throws {@link InvalidAppendError}. */
export function prepare({ stream, expected, events }: Append): PreparedAppend {
  const serialised = serialiseAppend(stream, events);
  // PostgreSQL's text cannot contain it; in data and metadata it is stored as an escape.
  if (stream.includes('\0') || serialised.some(({ type }) => type.includes('\0'))) {
    throw new InvalidAppendError('a stream name or an event type contains the character U+0000');
  }
  return { stream, expected, events: serialised };
}

/** An expected revision as the SQL functions take it. */
export function placeOf(expected: ExpectedRevision): number {
  return expected === 'none' ? -1 : expected;
}

/** Makes appends to different streams, each of them all or nothing, in their order. */
export async function appendTo(
  executor: Executor,
  appends: readonly PreparedAppend[],
): Promise<readonly (Appended | WrongExpectedRevisionError)[]> {
  const events = appends.flatMap((append) => append.events);
  const values = [
    appends.map(({ stream }) => stream),
    appends.map(({ expected }) => placeOf(expected)),
    appends.map((append) => append.events.length),
    events.map(({ id }) => id),
    events.map(({ type }) => type),
    events.map(({ data }) => data),
    events.map(({ metadata }) => metadata),
  ];
  const { rows } = await whenAvailable(() => executor.query({ ...APPEND, values, rowMode: 'array', types: AS_TEXT }));
  return (rows as unknown as readonly OutcomeRow[]).map((row, index) => outcomeOf(appends[index]!, row));
}

function outcomeOf({ stream, expected }: PreparedAppend, row: OutcomeRow): Appended | WrongExpectedRevisionError {
  const [outcome, text, transactionId, place, recordedAt] = row;
  const revision = Number(text);
  if (outcome === 'refused') return new WrongExpectedRevisionError(stream, expected, revision === -1 ? null : revision);
  return { revision, position: positionOf(transactionId, place), recordedAt, repeated: outcome === 'repeated' };
}
