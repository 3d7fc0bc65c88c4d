import { retryingAfterSwap, type Statement } from '#database/transaction.js';
import type { Append, Appended, EventStore } from '#event-store/event-store.js';
import type { Executor } from '#projections/projection.js';
import type { Receipt, Receipts } from './receipts/receipts.js';

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
  for (const row of rows) await retryingAfterSwap(() => executor.query(row));
}

/** Writes the rows that follow from a command's events: together with the receipt in a session, else immediately. */
export async function writeRows(
  { executor }: { readonly executor: Executor },
  { session }: { readonly session?: { addRows(rows: readonly Statement[]): void } },
  rows: readonly Statement[],
): Promise<void> {
  if (session === undefined) await writeAtOnce(executor, rows);
  else session.addRows(rows);
}
