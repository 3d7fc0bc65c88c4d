import { setTimeout } from 'node:timers/promises';
import { createHash, hash } from 'node:crypto';
import type { Pool } from 'pg';
import { queryThroughSwaps, composedText, movedBy, type Statement } from '#database/transaction.js';
import { canonicalJson, type Json, type JsonObject } from '#kernel/json.js';
import { ownTurn } from '#kernel/own-turn.js';
import { IdempotencyMismatchError, InProgressError } from '../idempotency-errors.js';

/** The owner and the idempotency key of a receipt. */
export interface ReceiptKey {
  readonly organisationId: string;
  readonly environment: string;
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/** An answer as stored, for a replay. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly entityTag: string | null;
  /** The id of the request that was answered first. */
  readonly requestId: string;
}

/** An answer to the current request. */
export type GivenAnswer = Omit<StoredAnswer, 'requestId'>;

/** The answer to a write, before it is stored. */
export interface Receipt {
  readonly key: ReceiptKey;
  readonly answer: GivenAnswer;
  /** Whether storing it waits for the disk, because no event could restore the answer. */
  readonly isDurable: boolean;
}

/** The result of a claim: the stored answer, or the claimed key together with what the same statement read. */
export type Claim = { readonly stored: StoredAnswer } | { readonly stored: null; readonly read: object };

interface ClaimRow {
  readonly outcome: 'claimed' | 'running' | 'conflict' | 'stored';
  readonly status: number | null;
  readonly body: string | null;
  readonly entity_tag: string | null;
  readonly request_id: string | null;
}

const TIMEOUT_MILLISECONDS = 2_000;
const FIRST_PAUSE_MILLISECONDS = 25;
const LONGEST_PAUSE_MILLISECONDS = 100;

const CLAIM = 'select * from claim_idempotency_receipt($1, $2, $3, $4, $5, $6, $7)';
const COMPLETE = 'select complete_idempotency_receipt($1, $2, $3, $4, $5, $6::smallint, $7, $8, $9)';
const RELEASE = 'select release_idempotency_receipt($1, $2, $3, $4, $5)';

interface RunningRequest {
  readonly fingerprint: string;
  /** The number in its claim, even if the process has another number when the request ends. */
  readonly holder: number;
  readonly done: Promise<void>;
  readonly finish: () => void;
}

/** Receipts of writes. The request that claims a key first does the work; every other request under the key gets the same answer. */
export class Receipts {
  /** The one request of this process that claims or holds each key. */
  private readonly running = new Map<string, RunningRequest>();

  /** @param instance the process whose number claims contain, see {@link ProcessInstance} */
  constructor(
    private readonly pool: Pool,
    private readonly instance: { readonly number: number },
  ) {}

  /**
   * Claims the key, or returns the stored answer. `preload` reads one row, or none, in the same statement. Waits for another
   * request under the key for up to 2 s, then throws {@link InProgressError}. Throws {@link IdempotencyMismatchError} immediately
   * where the key was used for another request.
   */
  async claim(key: ReceiptKey, fingerprint: string, requestId: string, preload: Statement | null): Promise<Claim> {
    const deadline = performance.now() + TIMEOUT_MILLISECONDS;
    for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS)) {
      await this.takeTurn(nameOf(key), fingerprint, deadline);
      const row = await this.tryClaim(key, fingerprint, requestId, preload);
      if (row.outcome === 'claimed') return { stored: null, read: row };
      if (row.outcome === 'conflict') throw new IdempotencyMismatchError();
      if (row.outcome === 'stored') {
        return { stored: { status: row.status!, body: row.body!, entityTag: row.entity_tag, requestId: row.request_id! } };
      }
      if (performance.now() + pause > deadline) throw new InProgressError();
      await setTimeout(pause);
    }
  }

  /**
   * Stores the answer of a claim. With `row`, one statement writes the answer and the row that it shows:
   * both or neither. The text of `row` must end in a FROM clause of one table. If the statement fails, the claim is still held and must be
   * released.
   */
  async complete(receipt: Receipt, row: Statement | null): Promise<void> {
    if (row !== null) {
      await queryThroughSwaps(this.pool, this.completionWith(receipt, row));
      return this.finish(receipt.key);
    }
    try {
      await this.pool.query(this.completion(receipt));
    } finally {
      this.finish(receipt.key);
    }
  }

  /** Releases a claim, so that a retry decides again. */
  async release(key: ReceiptKey): Promise<void> {
    try {
      await this.pool.query({ name: 'http-release-receipt', text: RELEASE, values: [...partsOf(key), this.holderOf(key)] });
    } finally {
      this.finish(key);
    }
  }

  private completion({ key, answer, isDurable }: Receipt): Statement {
    return {
      name: 'http-complete-receipt',
      text: COMPLETE,
      values: [...partsOf(key), this.holderOf(key), answer.status, answer.body, answer.entityTag, isDurable],
    };
  }

  private completionWith(receipt: Receipt, row: Statement): Statement {
    const { text, values } = this.completion(receipt);
    const name = `${row.name}-and-receipt`;
    const joined = composedText(name, () => `${row.text} right join (${movedBy(row.values.length, text)}) as receipt on true`);
    return { name, text: joined, values: [...row.values, ...values] };
  }

  /** Lets one request of this process at a time claim a key, and only while no other one holds it. */
  private async takeTurn(name: string, fingerprint: string, deadline: number): Promise<void> {
    for (let other = this.running.get(name); other !== undefined; other = this.running.get(name)) {
      if (other.fingerprint !== fingerprint) throw new IdempotencyMismatchError();
      const giveUp = new AbortController();
      const elapsed = setTimeout(Math.max(0, deadline - performance.now()), 'late', { signal: giveUp.signal });
      const outcome = await Promise.race([other.done, elapsed]);
      giveUp.abort();
      elapsed.catch(() => undefined);
      if (outcome === 'late') throw new InProgressError();
    }
    let finish = (): void => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    this.running.set(name, { fingerprint, holder: this.instance.number, done, finish });
  }

  private async tryClaim(key: ReceiptKey, fingerprint: string, requestId: string, preload: Statement | null): Promise<ClaimRow> {
    let row: ClaimRow | undefined;
    try {
      const claim = { name: 'http-claim-receipt', text: CLAIM, values: [...partsOf(key), fingerprint, requestId, this.holderOf(key)] };
      const { rows } = await this.pool.query<ClaimRow>(preload === null ? claim : claimAndRead(claim, preload));
      row = rows[0]!;
      return row;
    } finally {
      if (row?.outcome !== 'claimed') this.finish(key);
    }
  }

  private holderOf(key: ReceiptKey): number {
    return this.running.get(nameOf(key))?.holder ?? this.instance.number;
  }

  private finish(key: ReceiptKey): void {
    const name = nameOf(key);
    this.running.get(name)?.finish();
    this.running.delete(name);
  }
}

/** Removes receipts older than seven days in small batches and returns their number. The worker's retention calls it. */
export async function purgeExpiredReceipts(pool: Pool, batchSize = 1_000): Promise<number> {
  let purged = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from idempotency_receipts where ctid in (
         select ctid from idempotency_receipts where expires_at < now() and status is not null limit $1 for update skip locked)`,
      [batchSize],
    );
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return purged;
  }
}

/**
 * Joins a claim and a read in one statement. The read sees the state at its start, so the command appends with the revision that
 * it read.
 */
function claimAndRead(claim: Statement, read: Statement): Statement {
  const name = `${claim.name}-${read.name}`;
  const text = composedText(
    name,
    () =>
      `select c.*, a.* from (${claim.text}) c left join lateral (${movedBy(claim.values.length, read.text)}) a on c.outcome = 'claimed'`,
  );
  return { name, text, values: [...claim.values, ...read.values] };
}

function partsOf(key: ReceiptKey): readonly string[] {
  return [key.organisationId, key.environment, key.keyId, key.idempotencyKey];
}

function nameOf(key: ReceiptKey): string {
  return JSON.stringify(partsOf(key));
}

/** The parts of a request that a repeat must have in common with it. */
export interface RequestIdentity {
  readonly method: string;
  /** The pattern of the route. */
  readonly route: string;
  /** Ids of the path: the same body for another person is another request. */
  readonly parameters: JsonObject;
  /** The body as sent; null where there was none. */
  readonly body: Json;
}

/** Returns the SHA-256 (hex) of method, route, path ids and canonical body. If-Match is not included (docs/reference/http.md). */
export function fingerprintOf(request: RequestIdentity): string {
  return hash('sha256', identityText(request), 'hex');
}

/** In bytes: what is hashed before others have a turn. */
const HASHED_AT_ONCE = 1_048_576;

/** Returns the same as {@link fingerprintOf} for a request of megabytes, which keeps the event loop for a part of it at a time. */
export async function fingerprintInTurns(request: RequestIdentity): Promise<string> {
  const bytes = Buffer.from(identityText(request));
  const sum = createHash('sha256');
  for (let start = 0; start < bytes.length; start += HASHED_AT_ONCE) {
    await ownTurn();
    sum.update(bytes.subarray(start, start + HASHED_AT_ONCE));
  }
  return sum.digest('hex');
}

function identityText({ method, route, parameters, body }: RequestIdentity): string {
  return canonicalJson([method, route, parameters, body]);
}
