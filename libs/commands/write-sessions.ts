import type { Pool } from 'pg';
import type { Statement } from '#database/transaction.js';
import type { EventStore, StreamQuery } from '#event-store/event-store.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { appendsAhead } from './batches/appends-ahead.js';
import { BatchRecorder } from './batches/batch-recorder.js';
import { type Found, WriteLookups } from './batches/write-lookups.js';
import { IdempotencyMismatchError } from './idempotency-errors.js';
import type { ReceiptSeal } from './receipts/receipt-seal.js';
import type { ReceiptKey, Receipts, StoredAnswer } from './receipts/receipts.js';
import { type NewId, type Preload, type Preloaded, type Recorder, WriteSession } from './write-session.js';

/** A write on its arrival, before anything is read or decided. */
export interface WriteRequest {
  readonly receiptKey: ReceiptKey;
  /** SHA-256 of the request. */
  readonly fingerprint: string;
  readonly requestId: string;
  /** Encrypts the receipt; null where it may be stored unencrypted. */
  readonly seal: ReceiptSeal | null;
  /** Read together with the claim of the key where events are in the same database; otherwise the command reads it. */
  readonly preload: Preload | null;
  /** Called with the reason if the receipt of a completed write could not be stored. */
  readonly onLostReceipt: (error: unknown) => void;
  /**
   * Which event stores let the command record everything at once (`WriteSession.recordLater`), so that its key is not claimed; null where
   * an attempt of the request was overtaken.
   */
  readonly wholeIn: WholeIn | null;
}

/**
 * A command that can record everything at once, and two requests under one key may do what it does before. `any_store`: it appends to one
 * stream, and depends on nothing but that stream's revision. `one_database`: it needs a transaction of events and rows.
 */
export type WholeIn = 'any_store' | 'one_database';

/** The stored answer, or the session of a write that the caller must execute. */
export type BegunWrite = { readonly stored: StoredAnswer } | { readonly stored: null; readonly session: WriteSession };

/** Looks up and records writes together. */
export class WriteBatches {
  readonly lookups: WriteLookups;
  readonly recorder: BatchRecorder;
  /** Whether one transaction stores events, rows and receipts. */
  readonly isTransactional: boolean;

  constructor(
    readonly store: EventStore,
    pool: Pool,
  ) {
    const appends = store.capabilities.batchAppends?.(pool) ?? null;
    this.isTransactional = appends !== null;
    this.lookups = new WriteLookups(pool, appends);
    this.recorder = new BatchRecorder({ pool, appends: appends ?? appendsAhead(store) });
  }
}

/** Begins writes; one instance for each listener. */
export class WriteSessions {
  /**
   * @param parts.streams - how statements of the receipts' pool read streams; null where events are stored elsewhere
   */
  constructor(
    private readonly parts: {
      readonly receipts: Receipts;
      readonly recorder: Recorder;
      readonly streams: StreamQuery | null;
      readonly batches: WriteBatches;
      readonly mint: IdMint;
    },
  ) {}

  /**
   * Claims the idempotency key, unless the write needs no claim. Where events are in the database of the receipts, the same statement
   * preloads. Throws {@link InProgressError} and {@link IdempotencyMismatchError}.
   */
  async begin(request: WriteRequest): Promise<BegunWrite> {
    return (await this.beginWhole(request)) ?? this.beginClaimed(request);
  }

  private async beginClaimed(request: WriteRequest): Promise<BegunWrite> {
    const { receipts, recorder } = this.parts;
    const { receiptKey, requestId, seal, onLostReceipt } = request;
    const preload = this.parts.streams === null ? null : request.preload;
    const since = performance.now();
    const fingerprint = seal?.fingerprint(request.fingerprint) ?? request.fingerprint;
    const claim = await receipts.claim(receiptKey, fingerprint, requestId, preload === null ? null : this.statementOf(preload));
    if (claim.stored !== null) return { stored: seal === null ? claim.stored : { ...claim.stored, body: seal.open(claim.stored.body) } };
    const preloaded = preload === null ? null : this.preloadedOf(preload, claim.read as PreloadRow, since);
    const release = (): Promise<void> => receipts.release(receiptKey);
    return { stored: null, session: new WriteSession({ recorder, preloaded, receiptKey, seal, release, onLostReceipt, whole: null }) };
  }

  /** Null where the write has to claim its key: another request has claimed it and not ended, or an answer under it is older than seven days. */
  private async beginWhole(request: WriteRequest): Promise<BegunWrite | null> {
    const { receiptKey: key, fingerprint, preload, seal, wholeIn } = request;
    const { batches, receipts } = this.parts;
    if (wholeIn === null || preload === null || seal !== null) return null;
    if (wholeIn === 'one_database' && !batches.isTransactional) return null;
    await receipts.enter(key, fingerprint);
    const since = performance.now();
    const found = await batches.lookups.find({ key, row: preload.row, stream: preload.stream }).catch((error: unknown) => {
      receipts.leave(key);
      throw error;
    });
    const { receipt } = found;
    if (receipt === null) return { stored: null, session: this.wholeSession(request, batches, found, since) };
    receipts.leave(key);
    if (receipt.isExpired && !receipt.isInUse) return null;
    if (receipt.fingerprint !== fingerprint) throw new IdempotencyMismatchError();
    return receipt.isInUse ? null : { stored: receipt };
  }

  private wholeSession(request: WriteRequest, { recorder: batch, store }: WriteBatches, { row, end }: Found, since: number): WriteSession {
    const { receipts, recorder } = this.parts;
    const { receiptKey, fingerprint, requestId, onLostReceipt } = request;
    const { stream, row: statement } = request.preload!;
    const release = (): Promise<void> => Promise.resolve(receipts.leave(receiptKey));
    const preloaded = { statement: statement.name, row, events: null, stream, since };
    const whole = { fingerprint, requestId, stream, end, batch, store };
    return new WriteSession({ recorder, preloaded, receiptKey, seal: null, release, onLostReceipt, whole });
  }

  /** Returns the generator of ids for the resources that a request with this seed creates. */
  newIdsOf(organisationId: string, seed: readonly string[]): NewId {
    const { mint } = this.parts;
    return (kind) => (kind === 'person' ? mint.newPerson(organisationId, seed) : mint.prefixed(kind, organisationId, ...seed));
  }

  private statementOf({ row, stream }: Preload): Statement {
    const values = [...row.values, stream];
    const events = this.parts.streams!.expression(`$${values.length}`);
    return { name: row.name, text: `select true as is_there, row.*, ${events} as stream_events from (${row.text}) row`, values };
  }

  private preloadedOf({ row, stream }: Preload, read: PreloadRow, since: number): Preloaded {
    const isThere = read.is_there === true;
    const events = isThere ? this.parts.streams!.eventsOf(read.stream_events) : null;
    return { statement: row.name, row: isThere ? read : undefined, events, stream, since };
  }
}

interface PreloadRow {
  /** Null where no row was found. */
  readonly is_there: true | null;
  readonly stream_events: unknown;
}
