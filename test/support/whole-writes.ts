import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Append } from '#event-store/event-store.js';
import { newEvent } from '../contract/event-store.support.js';
import { RECORDED_AT, type WholeWrite } from '#commands/batches/batch-recorder.js';

export const ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';
/** The table of the rows of {@link write}. */
export const WRITTEN = "create table written (word text primary key, recorded_at timestamptz(3) not null check (word <> 'refused'))";

/** A write of one event to each of these streams, and of one row with this word. */
export function write(word: string, appends: readonly Append[], more: Partial<WholeWrite> = {}): WholeWrite {
  return {
    key: { organisationId: ORGANISATION, environment: 'live', keyId: 'key_1', idempotencyKey: word },
    fingerprint: `print of ${word}`,
    requestId: `req_${word}`,
    answer: { status: 200, body: `{"at":"${RECORDED_AT}"}`, entityTag: null },
    appends,
    conditions: [],
    rows: {
      name: 'written',
      values: [JSON.stringify([{ word, recorded_at: RECORDED_AT }])],
      expressions: ({ rows }) => `head as (
        insert into written (word, recorded_at)
        select i.word, i.recorded_at from json_populate_recordset(null::written, ${rows(1)}) i returning word)`,
    },
    ...more,
  };
}

/** A stream that does not exist. */
export const fresh = (): string => `test-${ORGANISATION}.${randomUUID()}`;
/** An append of so many events to a stream that does not exist. */
export const toNew = (stream = fresh(), events = 1): Append => ({
  stream,
  expected: 'none',
  events: Array.from({ length: events }, () => newEvent()),
});

/** The records of a word beside its events: whether its row was written, and the body of its receipt. */
export interface Records {
  readonly row: boolean;
  readonly receipt: string | null;
}

export const NOTHING: Records = { row: false, receipt: null };

/** Reads the records of a word. */
export async function recordsOf(pool: Pool, word: string): Promise<Records> {
  const { rows } = await pool.query<Records>(
    `select exists (select from written where word = $1) as row,
       (select body from idempotency_receipts where idempotency_key = $1 and organisation_id = $2) as receipt`,
    [word, ORGANISATION],
  );
  return rows[0]!;
}
