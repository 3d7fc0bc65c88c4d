import type { Statement } from '#database/transaction.js';
import type { StreamQuery } from '#event-store/event-store.js';
import type { IdMint } from '#identifiers/id-mint.js';
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
}

/** The stored answer, or the session of a write that the caller must execute. */
export type BegunWrite = { readonly stored: StoredAnswer } | { readonly stored: null; readonly session: WriteSession };

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
      readonly mint: IdMint;
    },
  ) {}

  /**
   * Claims the idempotency key. Where events are in the database of the receipts, the same statement preloads. Throws
   * {@link InProgressError} and {@link IdempotencyMismatchError}.
   */
  async begin(request: WriteRequest): Promise<BegunWrite> {
    const { receipts, recorder } = this.parts;
    const { receiptKey, requestId, seal, onLostReceipt } = request;
    const preload = this.parts.streams === null ? null : request.preload;
    const since = performance.now();
    const fingerprint = seal?.fingerprint(request.fingerprint) ?? request.fingerprint;
    const claim = await receipts.claim(receiptKey, fingerprint, requestId, preload === null ? null : this.statementOf(preload));
    if (claim.stored !== null) return { stored: seal === null ? claim.stored : { ...claim.stored, body: seal.open(claim.stored.body) } };
    const preloaded = preload === null ? null : this.preloadedOf(preload, claim.read as PreloadRow, since);
    const release = (): Promise<void> => receipts.release(receiptKey);
    return { stored: null, session: new WriteSession({ recorder, preloaded, receiptKey, seal, release, onLostReceipt }) };
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
