import type { Pool, PoolClient } from 'pg';
import {
  type Append,
  type Appended,
  type ExpectedRevision,
  InvalidAppendError,
  type NewEvent,
  WrongExpectedRevisionError,
} from '../event-store.js';
import { type SerialisedEvent, serialiseAppend } from '../new-events.js';
import { AS_TEXT, positionOf, type Statement, whenAvailable } from './statements.js';

/** The source of queries: the pool, for a transaction each, or the connection of the caller's transaction. */
export type Executor = Pick<Pool | PoolClient, 'query'>;

/** The lock is held before `append_under_lock` reads the stream. */
const APPEND: Statement = {
  name: 'event-store-append',
  text: `with held as materialized (select $1::text as stream, pg_advisory_xact_lock(hashtextextended($1, 0)))
    select o.outcome, o.last_revision, o.last_transaction, o.last_position,
           to_char(o.last_recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      from held cross join lateral append_under_lock(held.stream, $2::bigint, $3::uuid[], $4::text[], $5::text[],
        $6::text[]) as o`,
};

type OutcomeRow = readonly [
  outcome: string,
  revision: string,
  transactionId: string,
  place: string,
  recordedAt: string,
];

/** An expected revision in the form of the SQL functions. */
function placeOf(expected: ExpectedRevision): number {
  return expected === 'none' ? -1 : expected;
}

/** Validates and serialises events of a stream. Throws {@link InvalidAppendError}. */
export function prepare(stream: string, events: readonly NewEvent[]): readonly SerialisedEvent[] {
  const serialised = serialiseAppend(stream, events);
  // PostgreSQL's text cannot contain it; in data and metadata it is stored as an escape.
  if (stream.includes('\0') || serialised.some(({ type }) => type.includes('\0'))) {
    throw new InvalidAppendError('a stream name or an event type contains the character U+0000');
  }
  return serialised;
}

/**
 * Appends to a stream atomically. Throws {@link InvalidAppendError} and {@link WrongExpectedRevisionError}.
 */
export async function appendTo(executor: Executor, { stream, expected, events }: Append): Promise<Appended> {
  const serialised = prepare(stream, events);
  const values = [
    stream,
    placeOf(expected),
    serialised.map(({ id }) => id),
    serialised.map(({ type }) => type),
    serialised.map(({ data }) => data),
    serialised.map(({ metadata }) => metadata),
  ];
  const { rows } = await whenAvailable(() => executor.query({ ...APPEND, values, rowMode: 'array', types: AS_TEXT }));
  const [outcome, text, transactionId, place, recordedAt] = (rows as unknown as readonly OutcomeRow[])[0]!;
  const revision = Number(text);
  if (outcome === 'refused') throw new WrongExpectedRevisionError(stream, expected, revision === -1 ? null : revision);
  return { revision, position: positionOf(transactionId, place), recordedAt, repeated: outcome === 'repeated' };
}
