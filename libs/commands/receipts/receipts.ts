import type { Pool } from 'pg';
import { inTransaction } from '#database/transaction.js';
import type { Executor } from '#projections/projection.js';
import { IdempotencyMismatchError, InProgressError } from '../idempotency-errors.js';
import { RECEIPT_LIFETIME } from './receipts.sql.js';

/** The owner and the idempotency key of a receipt. */
export interface ReceiptKey {
  readonly organisationId: string;
  readonly environment: string;
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/** A stored response, for a replay. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly entityTag: string | null;
  /** The id of the request that was first answered with it. */
  readonly requestId: string;
}

/** The response to the current request. */
export type GivenAnswer = Omit<StoredAnswer, 'requestId'>;

/** The receipt of a request in progress. */
export interface PendingReceipt {
  readonly key: ReceiptKey;
  /** SHA-256 of the request, in stored form. */
  readonly fingerprint: string;
  readonly requestId: string;
  /** The number of erased people of the organisation when the request was planned. */
  readonly erasures: number;
  /**
   * Converts the result of a command into its stored response.
   * @param isReplay - whether an earlier attempt had recorded everything
   */
  answerOf(result: unknown, isReplay: boolean): GivenAnswer;
}

/**
 * The name of the lock that requests of an organisation share while they are recorded, and that an erasure
 * takes exclusively to destroy a key.
 */
export function erasuresLock(organisationId: string): string {
  return `erasures of ${organisationId}`;
}

/** The request was already answered, before or during this attempt. */
export class AnsweredError extends Error {
  constructor(readonly stored: StoredAnswer) {
    super('the request was answered before');
    this.name = 'AnsweredError';
  }
}

interface FoundRow {
  readonly erasures: number;
  readonly fingerprint: string | null;
  readonly status: number | null;
  readonly body: string | null;
  readonly entity_tag: string | null;
  readonly request_id: string | null;
}

/** The result of {@link findAnswer}: the stored response, or the data for planning the request. */
export type FoundAnswer = { readonly stored: StoredAnswer } | { readonly stored: null; readonly erasures: number };

const ERASURES = '(select count(*)::integer from person_keys where organisation_id = $1 and key is null)';

/** Returns the stored response to a request, if there is one. Throws {@link IdempotencyMismatchError}. */
export async function findAnswer(executor: Executor, key: ReceiptKey, fingerprint: string): Promise<FoundAnswer> {
  const { rows } = await executor.query<FoundRow>({
    name: 'find-receipt',
    text: `select e.erasures, r.fingerprint, r.status, r.body, r.entity_tag, r.request_id
             from (select ${ERASURES} as erasures) e
             left join idempotency_receipts r on r.organisation_id = $1 and r.environment = $2 and r.key_id = $3
               and r.idempotency_key = $4
               and r.expires_at > now()`,
    values: [...partsOf(key)],
  });
  const row = rows[0]!;
  if (row.fingerprint === null) return { stored: null, erasures: row.erasures };
  if (row.fingerprint !== fingerprint) throw new IdempotencyMismatchError();
  return { stored: storedOf(row) };
}

interface BegunRow extends FoundRow {
  readonly outcome: 'begun' | 'running' | 'other_request' | 'stored';
}

/**
 * Begins a write in a transaction, by the SQL function of `receipts.sql.ts`. In this order: it takes the
 * advisory lock of the key, for which it waits up to 2 s; reads the receipt of another request under it;
 * takes the lock that an erasure takes exclusively; and takes the locks of the streams in the order of their
 * keys, within the time limit of statements. None of them assigns a transaction id. Returns the number of
 * erased people of the organisation; null without a receipt. Throws {@link InProgressError}, {@link
 * IdempotencyMismatchError}, and {@link AnsweredError} if the other request was answered.
 */
export async function beginWrite(
  connection: Executor,
  receipt: PendingReceipt | null,
  streams: readonly string[],
): Promise<number | null> {
  const key = receipt === null ? [null, null, null, null] : partsOf(receipt.key);
  const { rows } = await connection.query<BegunRow>({
    name: 'begin-write',
    text: `select outcome, erasures, status, body, entity_tag, request_id
      from begin_write($1, $2, $3, $4, $5, $6::text[])`,
    values: [...key, receipt?.fingerprint ?? null, streams],
  });
  const row = rows[0]!;
  if (row.outcome === 'running') throw new InProgressError();
  if (row.outcome === 'other_request') throw new IdempotencyMismatchError();
  if (row.outcome === 'stored') throw new AnsweredError(storedOf(row));
  return receipt === null ? null : row.erasures;
}

function storedOf({
  status,
  body,
  entity_tag: entityTag,
  request_id: requestId,
}: Omit<FoundRow, 'fingerprint'>): StoredAnswer {
  return { status: status!, body: body!, entityTag, requestId: requestId! };
}

/** Stores the response to a request, in the transaction that {@link beginWrite} has begun. */
export async function keepAnswer(
  connection: Executor,
  { key, fingerprint, requestId }: PendingReceipt,
  { status, body, entityTag }: GivenAnswer,
): Promise<void> {
  await connection.query({
    name: 'keep-receipt',
    text: `insert into idempotency_receipts
             (organisation_id, environment, key_id, idempotency_key, fingerprint, status, body, entity_tag, request_id,
             expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + ${RECEIPT_LIFETIME})
           on conflict (organisation_id, environment, key_id, idempotency_key) do update
           set fingerprint = excluded.fingerprint,
             status = excluded.status, body = excluded.body, entity_tag = excluded.entity_tag,
             request_id = excluded.request_id,
             expires_at = excluded.expires_at`,
    values: [...partsOf(key), fingerprint, status, body, entityTag, requestId],
  });
}

/** Stores a response without recorded events, such as a refusal. Throws the errors of {@link beginWrite}. */
export async function keepAnswerAlone(pool: Pool, receipt: PendingReceipt, answer: GivenAnswer): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await beginWrite(connection, receipt, []);
    await keepAnswer(connection, receipt, answer);
  });
}

/**
 * Removes receipts older than seven days in small batches and returns their number. The worker's retention
 * calls it.
 */
export async function purgeExpiredReceipts(pool: Pool, batchSize = 1_000): Promise<number> {
  let purged = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from idempotency_receipts where ctid in (
         select ctid from idempotency_receipts where expires_at < now() limit $1 for update skip locked)`,
      [batchSize],
    );
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return purged;
  }
}

function partsOf(key: ReceiptKey): readonly string[] {
  return [key.organisationId, key.environment, key.keyId, key.idempotencyKey];
}
