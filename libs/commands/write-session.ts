import type { QueryResultRow } from 'pg';
import { queryThroughSwaps, type Statement } from '#database/transaction.js';
import type { Append, Appended, EventStore, RecordedEvent } from '#event-store/event-store.js';
import type { IdKind } from '#kernel/identifier.js';
import type { Executor } from '#projections/projection.js';
import type { ReceiptSeal } from './receipts/receipt-seal.js';
import type { GivenAnswer, Receipt, ReceiptKey, Receipts } from './receipts/receipts.js';

/** Returns the id of the one resource of a kind, or of the person, that a request creates: the same for every attempt. */
export type NewId = (kind: IdKind | 'person') => string;

/** What a command reads before it decides: one row, or none, and a whole stream. */
export interface Preload {
  readonly row: Statement;
  readonly stream: string;
}

/**
 * The {@link Preload} of one resource, named by a parameter of the path: its stream, and a statement that reads its row by the organisation
 * (`$1`) and the id (`$2`).
 */
export interface ResourcePreload {
  readonly row: Omit<Statement, 'values'>;
  readonly aggregate: { streamOf(organisationId: string, id: string): string };
  readonly parameter: string;
}

/** Returns what to preload of the resource with this id. */
export function preloadOf({ row, aggregate }: ResourcePreload, organisationId: string, id: string): Preload {
  return { row: { ...row, values: [organisationId, id] }, stream: aggregate.streamOf(organisationId, id) };
}

/** The result of a {@link Preload}. */
export interface Preloaded {
  /** The name of the statement that read the row. */
  readonly statement: string;
  readonly row: object | undefined;
  /** Null where the stream was not read, as where the row does not exist. */
  readonly events: readonly RecordedEvent[] | null;
  readonly stream: string;
  /** A moment before the read (`performance.now()`): data that cannot have changed since that moment is current. */
  readonly since: number;
}

/** The records of one write, or of a part of it: a value, which a recorder may write alone or together with those of other writes. */
export interface Recording {
  /** In this order, each to a different stream. */
  readonly appends: readonly Append[];
  /** Statements that write rows of read tables. Each must be safe to run twice. */
  readonly rows: readonly Statement[];
  readonly receipt: Receipt | null;
}

/** Stores recordings. It decides how many parts are written together, but never stores a part without the parts before it. */
export interface Recorder {
  /**
   * Resolves once all of the recording is durable, and returns the position of each append. A receipt is durable only where the
   * recording asks for it. Throws what `EventStore.append` and the database throw; no part after the failed one is then stored.
   */
  record(recording: Recording): Promise<readonly Appended[]>;
}

/**
 * Writes one part after the other: events, rows, receipt. The last row and the receipt share one statement. After a crash in
 * between, the catch-up and a retry of the request complete the rest, so events may be in another database than tables and
 * receipts.
 */
export class SafeOrderRecorder implements Recorder {
  constructor(private readonly parts: { readonly store: EventStore; readonly executor: Executor; readonly receipts: Receipts }) {}

  async record({ appends, rows, receipt }: Recording): Promise<readonly Appended[]> {
    const { store, executor, receipts } = this.parts;
    const appended: Appended[] = [];
    for (const { stream, expected, events } of appends) appended.push(await store.append(stream, expected, events));
    const last = receipt === null ? null : (rows.at(-1) ?? null);
    await writeAtOnce(executor, last === null ? rows : rows.slice(0, -1));
    if (receipt !== null) await receipts.complete(receipt, last);
    return appended;
  }
}

/** Runs statements that write rows, one after the other. */
export async function writeAtOnce(executor: Executor, rows: readonly Statement[]): Promise<void> {
  for (const row of rows) await queryThroughSwaps(executor, row);
}

/**
 * One write: the data that it read first, and the rows that it records last. Commands reach it through their `CommandContext`.
 * They load and append through it, and add the rows that their answer shows. The code that answers the request ends it with
 * {@link complete}, {@link refuse} or {@link release}.
 */
export class WriteSession {
  private preloaded: Preloaded | null;
  private readonly rows: Statement[] = [];
  private hasFound = false;
  private hasRecorded = false;
  private isOpen = true;

  constructor(
    private readonly parts: {
      readonly receiptKey: ReceiptKey;
      /** Encrypts the receipt; null where it may be stored unencrypted. */
      readonly seal: ReceiptSeal | null;
      /** Called with the reason if the receipt of a completed write could not be stored. */
      readonly onLostReceipt: (error: unknown) => void;
      readonly recorder: Recorder;
      readonly preloaded: Preloaded | null;
      /** Releases the idempotency key. */
      readonly release: () => Promise<void>;
    },
  ) {
    this.preloaded = parts.preloaded;
  }

  /** Returns the row of a statement if it was preloaded and `isCurrent` returns true for the moment of that read. */
  preloadedRow(statement: string, isCurrent: (since: number) => boolean): { readonly row: object | undefined } | null {
    const { preloaded } = this.parts;
    return preloaded?.statement === statement && isCurrent(preloaded.since) ? preloaded : null;
  }

  /** Returns the whole stream if it was preloaded, but only once: a later command must see events appended in the meantime. */
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

  /** Adds the rows of appended events. They are written before the request is answered, the last of them together with the receipt. */
  addRows(rows: readonly Statement[]): void {
    this.rows.push(...rows);
  }

  /** Notes that an earlier attempt of the same request had recorded events, so that the command was not decided again. */
  noteFound(): void {
    this.hasFound = true;
  }

  /** Whether an earlier attempt had recorded everything: the answer repeats its outcome, and this attempt changed nothing. */
  get isReplay(): boolean {
    return this.hasFound && !this.hasRecorded;
  }

  /**
   * Records the rows, and the answer in the receipt. Throws where the rows cannot be written, because later reads must show what
   * the answer shows; the session must then still be ended. Without rows, a lost receipt is not a failure, because the events
   * restore it.
   */
  async complete(answer: GivenAnswer): Promise<void> {
    if (this.rows.length > 0) {
      await this.record(answer, false);
      this.isOpen = false;
    } else {
      await this.end(() => this.record(answer, false));
    }
  }

  /** Stores durably the answer to a refused write: no event could restore it. */
  refuse(answer: GivenAnswer): Promise<void> {
    this.rows.length = 0;
    return this.end(() => this.record(answer, true));
  }

  /** Releases the claim, so that a retry decides again. Does nothing after the session has ended. */
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

/** Writes the rows that follow from a command's events: together with the receipt in a session, else immediately. */
export async function writeRows(
  { executor }: { readonly executor: Executor },
  { session }: { readonly session?: WriteSession },
  rows: readonly Statement[],
): Promise<void> {
  if (session === undefined) await writeAtOnce(executor, rows);
  else session.addRows(rows);
}

const always = (): boolean => true;

/**
 * Returns the row of a statement, preloaded or read now; undefined where there is none. `isCurrent` returns whether data read at
 * a moment (`performance.now()`) is still current.
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
