import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { sqlState } from '#database/errors.js';
import { VERSION_RETIRED } from '#database/key-rings/person-key-seal.js';
import { plainArray, textArray } from '#database/arrays.js';
import { againAfterSwap, composedText } from '#database/transaction.js';
import { type AppendsOfBatch, type BatchedAppends, InvalidAppendError, type WriteOutcome } from '#event-store/event-store.js';
import type { RowWrite } from '#projections/projector.js';
import { RECEIPT_LIFETIME } from '../receipts/receipts.sql.js';
import type { GivenAnswer, ReceiptKey } from '../receipts/receipts.js';
import { BatchQueue } from '#kernel/batch-queue.js';

/**
 * Stands for the time at which a write is recorded, until it is: in rows and answers, as text. It sorts after every time, and no caller can
 * know it.
 */
export const RECORDED_AT = `@recorded ${randomUUID()}@`;

/** All that one write records: its events, the rows that show them, and its receipt, with {@link RECORDED_AT} for the time. */
export interface WholeWrite extends BatchedAppends {
  readonly key: ReceiptKey;
  readonly fingerprint: string;
  readonly requestId: string;
  readonly answer: GivenAnswer;
  readonly rows: Pick<RowWrite, 'name' | 'values' | 'expressions'>;
}

/**
 * A write was decided on a state that is not current any more, or another request under its key, or to its stream, is being recorded. Nothing
 * was recorded: the write has to begin again, with a claim of its key.
 */
export class WriteOvertakenError extends Error {
  constructor(options: ErrorOptions = {}) {
    super('another write was recorded first', options);
    this.name = 'WriteOvertakenError';
  }
}

type Outcome = WriteOutcome | { readonly outcome: 'failed'; readonly error: unknown };

/**
 * What another write can have caused: something with the same key exists already, or a key of the installation was retired. A command that does the same step by step finds out what.
 */
const CAUSED_BY_OTHERS: ReadonlySet<string | null> = new Set(['23505', VERSION_RETIRED]);

/** The columns of a receipt and their types, in the order of the statement's parameters. */
const RECEIPT_COLUMNS = {
  environment: 'text',
  key_id: 'text',
  idempotency_key: 'text',
  fingerprint: 'text',
  request_id: 'text',
  status: 'smallint',
  body: 'text',
  entity_tag: 'text',
} as const;
const PLACE_OF_TIME = '$1';
const PLACE_OF_ORGANISATION = '$2';
const FIRST_APPEND = 3;

/**
 * Records events, rows and receipts of all writes that wait in this process for one organisation and the same read tables. Where one
 * transaction stores them all, a write is recorded as a whole or not at all; where events are elsewhere, they come first, and the catch-up
 * and a retry of the request complete the rest after a crash. A write is acknowledged when its events are durable. A receipt is not written
 * before its events, so its key needs no claim.
 */
export class BatchRecorder {
  private readonly queue = new BatchQueue<WholeWrite, Outcome>({
    laneOf: ({ key, rows }) => `${rows.name} ${key.organisationId}`,
    aloneBy: ({ key, appends }) => [
      ...appends.map(({ stream }) => stream),
      JSON.stringify([key.environment, key.keyId, key.idempotencyKey]),
    ],
    charactersOf: ({ answer, rows }) => answer.body.length + rows.values.reduce((sum, json) => sum + json.length, 0),
    run: (writes) => this.recordAll(writes),
  });

  constructor(private readonly parts: { readonly pool: Pool; readonly appends: AppendsOfBatch }) {}

  /**
   * Returns the time at which the events were recorded, once all of the write is durable. Throws {@link WriteOvertakenError}, and what the
   * store and the database throw.
   */
  async record(write: WholeWrite): Promise<string> {
    const recorded = await this.queue.add(write);
    if (recorded.outcome === 'failed') throw recorded.error;
    if (recorded.outcome !== 'appended') throw new WriteOvertakenError();
    return recorded.recorded;
  }

  private async recordAll(writes: readonly WholeWrite[]): Promise<readonly Outcome[]> {
    try {
      return await this.recordTogether(writes);
    } catch (error) {
      // Of a lost connection nobody knows whether the batch was recorded; an error that PostgreSQL reports has undone it, an append that can
      // never succeed is not sent, and the writes that did not cause it are recorded alone.
      if (sqlState(error) === null && !(error instanceof InvalidAppendError)) throw error;
      if (writes.length === 1) return [await this.recordAlone(writes[0]!, error)];
      const outcomes: Outcome[] = [];
      for (const write of writes) outcomes.push(...(await this.recordAll([write])));
      return outcomes;
    }
  }

  private async recordAlone(write: WholeWrite, failure: unknown): Promise<Outcome> {
    try {
      const [outcome] = await againAfterSwap(failure, () => this.recordTogether([write]));
      return outcome!;
    } catch (error) {
      return { outcome: 'failed', error: CAUSED_BY_OTHERS.has(sqlState(error)) ? new WriteOvertakenError({ cause: error }) : error };
    }
  }

  private async recordTogether(writes: readonly WholeWrite[]): Promise<readonly WriteOutcome[]> {
    const { appends, pool } = this.parts;
    const { key, rows } = writes[0]!;
    const records = [
      ...receiptValues(writes),
      // Without the brackets of the JSON array, so that the statement can join them.
      ...rows.values.map((_, table) => textArray(writes.map((write) => write.rows.values[table]!.slice(1, -1)))),
    ];
    const name = `record${appends.isTransactional ? '' : '-after-append'}-${rows.name}`;
    const text = composedText(name, () => recordText(rows, appends));
    return appends.run(writes, async (appended) => {
      const values = [RECORDED_AT, key.organisationId, ...appended, ...records];
      return (await pool.query<WriteOutcome>({ name, text, values })).rows;
    });
  }
}

/** In the order of {@link RECEIPT_COLUMNS}. */
function receiptValues(writes: readonly WholeWrite[]): readonly unknown[] {
  const texts = (of: (write: WholeWrite) => string | null): Buffer => textArray(writes.map(of));
  return [
    texts(({ key }) => key.environment),
    texts(({ key }) => key.keyId),
    texts(({ key }) => key.idempotencyKey),
    texts(({ fingerprint }) => fingerprint),
    texts(({ requestId }) => requestId),
    plainArray(writes.map(({ answer }) => answer.status)),
    texts(({ answer }) => answer.body),
    texts(({ answer }) => answer.entityTag),
  ];
}

/** The statement that records writes with rows of one kind. Which appends landed decides which receipts and rows follow. */
function recordText(rows: WholeWrite['rows'], appends: AppendsOfBatch): string {
  const firstReceipt = FIRST_APPEND + appends.parameters;
  const names = Object.keys(RECEIPT_COLUMNS);
  const tables = rows.values.map((_, index) => `rows_${index + 1}`);
  const types = [...Object.values(RECEIPT_COLUMNS), ...tables.map(() => 'text')];
  const parameters = types.map((type, index) => `$${firstReceipt + index}::${type}[]`);
  const atItsTime = (column: string): string => `replace(a.${column}, ${PLACE_OF_TIME}, a.recorded)`;
  const expressions = rows.expressions({
    rows: (place) =>
      `(select coalesce('[' || string_agg(${atItsTime(`rows_${place}`)}, ',') filter (where a.rows_${place} <> '') || ']', '[]')::json from accepted a)`,
    // What is lost with rows and receipts is found again in events that are stored elsewhere.
    isDurable: appends.isTransactional,
  });
  const kept = names.map((name) => (name === 'body' ? atItsTime(name) : `a.${name}`));
  return `with recorded as materialized (select r.* from ${appends.call(FIRST_APPEND)} r),
accepted as materialized (
  select w.*, r.recorded from recorded r
    join unnest(${parameters.join(', ')}) with ordinality as w(${[...names, ...tables].join(', ')}, place) on w.place = r.write
   where r.outcome = 'appended'
),
receipts as (
  insert into idempotency_receipts (organisation_id, ${names.join(', ')}, holder, expires_at)
  select ${PLACE_OF_ORGANISATION}::text, ${kept.join(', ')}, 0, now() + ${RECEIPT_LIFETIME} from accepted a order by a.environment, a.key_id, a.idempotency_key
),
${expressions}
select r.outcome, r.recorded from recorded r order by r.write`;
}
