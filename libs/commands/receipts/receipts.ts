import { setTimeout } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { movedBy, retryingAfterSwap, type Statement } from '#database/transaction.js';
import { canonicalJson, type Json, type JsonObject } from '#kernel/json.js';
import { IdempotencyMismatchError, InProgressError } from '../idempotency-errors.js';

/** Whose receipt it is. */
export interface ReceiptKey {
  readonly organisationId: string;
  readonly environment: string;
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/** An answer as it is kept and given again. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly entityTag: string | null;
  /** Of the request that was answered first. */
  readonly requestId: string;
}

/** An answer as it is given. */
export type GivenAnswer = Omit<StoredAnswer, 'requestId'>;

/** The answer of a claim, on its way to be stored. */
export interface Receipt {
  readonly key: ReceiptKey;
  readonly answer: GivenAnswer;
  /** Whether storing it waits for the disk, because no event would bring the answer back. */
  readonly isDurable: boolean;
}

/** What became of a claim: an answer that is stored already, or the key is the caller's, with what was read in the same statement. */
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
  /** Whom its claim names, whatever number the process has by the time that it ends. */
  readonly holder: number;
  readonly done: Promise<void>;
  readonly finish: () => void;
}

/** Receipts of writes: who claims a key first does the work, everybody else gets the same answer. */
export class Receipts {
  /** The one request of this process that claims, or holds, each key. */
  private readonly running = new Map<string, RunningRequest>();

  /** @param instance whose number claims name; {@link ProcessInstance}. */
  constructor(
    private readonly pool: Pool,
    private readonly instance: { readonly number: number },
  ) {}

  /**
   * Claims the key, or gives the answer that is stored. `preload` reads one row, or none, in the same statement. Waits for another request under the key for up to 2 s, then throws
   * {@link InProgressError}; throws {@link IdempotencyMismatchError} at once where the key was used for another request.
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
   * Stores the answer of a claim; with a statement that writes what it shows, in one: both or neither. That statement's text ends in a FROM
   * clause of one table, and where it fails the claim is still held, and is to be released.
   */
  async complete(receipt: Receipt, row: Statement | null): Promise<void> {
    if (row !== null) {
      await retryingAfterSwap(() => this.pool.query(this.completionWith(receipt, row)));
      return this.finish(receipt.key);
    }
    try {
      await this.pool.query(this.completion(receipt));
    } finally {
      this.finish(receipt.key);
    }
  }

  /** Gives a claim up, so that a retry decides anew. */
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
    const completion = `right join (${movedBy(row.values.length, text)}) as receipt on true`;
    return { name: `${row.name}-and-receipt`, text: `${row.text} ${completion}`, values: [...row.values, ...values] };
  }

  /** One request of this process at a time asks for a key, and only while no other one holds it. */
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

/** Removes receipts whose seven days are over, a small batch at a time; returns how many. For the worker's retention. */
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

/** What is read is as it was when the statement began: whoever decides from it appends with the revision that it saw. */
function claimAndRead(claim: Statement, read: Statement): Statement {
  const text = `select c.*, a.* from (${claim.text}) c left join lateral (${movedBy(claim.values.length, read.text)}) a on c.outcome = 'claimed'`;
  return { name: `${claim.name}-${read.name}`, text, values: [...claim.values, ...read.values] };
}

function partsOf(key: ReceiptKey): readonly string[] {
  return [key.organisationId, key.environment, key.keyId, key.idempotencyKey];
}

function nameOf(key: ReceiptKey): string {
  return JSON.stringify(partsOf(key));
}

/** What makes two requests the same one. */
export interface RequestIdentity {
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  /** Ids of the path: the same body for another person is another request. */
  readonly parameters: JsonObject;
  /** As it was sent, null where there was none. */
  readonly body: Json;
}

/** SHA-256 (hex) of method, route, path ids and canonical body. If-Match is no part of it (docs/reference/http.md). */
export function fingerprintOf({ method, route, parameters, body }: RequestIdentity): string {
  return createHash('sha256')
    .update(canonicalJson([method, route, parameters, body]))
    .digest('hex');
}
