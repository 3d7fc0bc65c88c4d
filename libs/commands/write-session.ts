import type { QueryResultRow } from 'pg';
import type { Statement } from '#database/transaction.js';
import type { Append, Appended, RecordedEvent, StreamQuery } from '#event-store/event-store.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { IdKind } from '#kernel/identifier.js';
import type { Executor } from '#projections/projection.js';
import type { ReceiptSeal } from './receipts/receipt-seal.js';
import type { GivenAnswer, ReceiptKey, Receipts, StoredAnswer } from './receipts/receipts.js';
import type { Recorder } from './recorder.js';

/** The id of the one thing of a kind that a request makes: the same for every attempt. */
export type NewId = (kind: IdKind) => string;

/** What a command reads before it decides: one row, or none, and a whole stream. */
export interface Preload {
  readonly row: Statement;
  readonly stream: string;
}

/** What came of a {@link Preload}. */
export interface Preloaded {
  /** Name of the statement that read the row. */
  readonly statement: string;
  readonly row: object | undefined;
  /** Null where the row is not there: the stream was not read then. */
  readonly events: readonly RecordedEvent[] | null;
  readonly stream: string;
  /** A moment before it was read (`performance.now()`): what could not change since then is as it was read. */
  readonly since: number;
}

/** A write as it arrives, before anything is read or decided. */
export interface WriteRequest {
  readonly receiptKey: ReceiptKey;
  /** SHA-256 of the request. */
  readonly fingerprint: string;
  readonly requestId: string;
  /** Seals the receipt; null where it may rest in the clear. */
  readonly seal: ReceiptSeal | null;
  /** Read together with the claim of the key where events are in the same database; otherwise the command reads it. */
  readonly preload: Preload | null;
  /** Told why the receipt of a write that is done could not be kept. */
  readonly onLostReceipt: (error: unknown) => void;
}

/** An answer that is stored already, or the session of a write that is the caller's to do. */
export type BegunWrite = { readonly stored: StoredAnswer } | { readonly stored: null; readonly session: WriteSession };

/** Begins writes; one for each listener. */
export class WriteSessions {
  /** @param parts.streams - how streams are read in statements of the receipts' pool; null where events rest elsewhere */
  constructor(
    private readonly parts: {
      readonly receipts: Receipts;
      readonly recorder: Recorder;
      readonly streams: StreamQuery | null;
      readonly mint: IdMint;
    },
  ) {}

  /**
   * Claims the idempotency key, and preloads in the same statement where events rest in the database of the receipts.
   * Throws {@link InProgressError} and {@link IdempotencyMismatchError}.
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

  /** The ids that a request of this seed gives to what it makes. */
  newIdsOf(organisationId: string, seed: readonly string[]): NewId {
    return (kind) => this.parts.mint.prefixed(kind, organisationId, ...seed);
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
  /** Null where there was no row to read. */
  readonly is_there: true | null;
  readonly stream_events: unknown;
}

/**
 * One write: what it read first, and what it records last. Commands reach it through their `CommandContext`, load and append through it, and
 * leave the rows here that their answer shows; whoever answers ends it with {@link complete}, {@link refuse} or {@link release}.
 */
export class WriteSession {
  private preloaded: Preloaded | null;
  private readonly rows: Statement[] = [];
  private hasFound = false;
  private hasRecorded = false;
  private isOpen = true;

  constructor(
    private readonly parts: Pick<WriteRequest, 'receiptKey' | 'seal' | 'onLostReceipt'> & {
      readonly recorder: Recorder;
      readonly preloaded: Preloaded | null;
      /** Gives the claim of the idempotency key up. */
      readonly release: () => Promise<void>;
    },
  ) {
    this.preloaded = parts.preloaded;
  }

  /** The row of a statement, where it was preloaded and `isCurrent` says that what was read at that moment still counts. */
  preloadedRow(statement: string, isCurrent: (since: number) => boolean): { readonly row: object | undefined } | null {
    const { preloaded } = this.parts;
    return preloaded?.statement === statement && isCurrent(preloaded.since) ? preloaded : null;
  }

  /** The whole stream, where it was preloaded: once, because a command after that must see what was appended meanwhile. */
  takeStream(stream: string): readonly RecordedEvent[] | null {
    if (this.preloaded?.stream !== stream) return null;
    const { events } = this.preloaded;
    this.preloaded = null;
    return events;
  }

  /** Records events, as `EventStore.append` does. */
  async append(append: Append): Promise<Appended> {
    const [appended] = await this.parts.recorder.record({ appends: [append], rows: [], receipt: null });
    this.hasRecorded = true;
    return appended!;
  }

  /** Takes over the rows of what was appended: they are written before anybody gets an answer, the last of them together with the receipt. */
  addRows(rows: readonly Statement[]): void {
    this.rows.push(...rows);
  }

  /** Notes that an earlier attempt of the same request had recorded something already, so that nothing was decided again. */
  noteFound(): void {
    this.hasFound = true;
  }

  /** Whether an earlier attempt had recorded everything: the answer repeats an outcome, and nothing happened now. */
  get isReplay(): boolean {
    return this.hasFound && !this.hasRecorded;
  }

  /**
   * Records the rows, and the answer in the receipt. Throws where the rows cannot be written, because every later read must show what the
   * answer shows: the session is then still to be ended. Without rows a lost receipt is no failure: the events bring it back.
   */
  async complete(answer: GivenAnswer): Promise<void> {
    if (this.rows.length === 0) return this.end(() => this.record(answer, false));
    await this.record(answer, false);
    this.isOpen = false;
  }

  /** Keeps an answer that says why nothing was recorded, durably: no event would bring it back. */
  refuse(answer: GivenAnswer): Promise<void> {
    this.rows.length = 0;
    return this.end(() => this.record(answer, true));
  }

  /** Gives the claim up, so that a retry decides anew. Nothing happens where the session has ended. */
  release(): Promise<void> {
    return this.end(this.parts.release);
  }

  private async record({ status, body, entityTag }: GivenAnswer, isDurable: boolean): Promise<void> {
    const { recorder, receiptKey: key, seal } = this.parts;
    const answer = { status, body: seal === null ? body : seal.seal(body), entityTag };
    await recorder.record({ appends: [], rows: this.rows, receipt: { key, answer, isDurable } });
  }

  private async end(work: () => Promise<void>): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    try {
      await work();
    } catch (error) {
      this.parts.onLostReceipt(error);
    }
  }
}

const always = (): boolean => true;

/**
 * The row of a statement as the session has preloaded it, or as it is now; undefined where there is none. `isCurrent` says whether what was
 * read at a moment (`performance.now()`) still counts.
 */
export async function readRow<Row extends QueryResultRow>(
  executor: Executor,
  { session }: { readonly session?: WriteSession },
  statement: Statement,
  isCurrent: (since: number) => boolean = always,
): Promise<Row | undefined> {
  const preloaded = session?.preloadedRow(statement.name, isCurrent) ?? null;
  if (preloaded !== null) return preloaded.row as Row | undefined;
  return (await executor.query<Row>(statement)).rows[0];
}
