import { retryingAfterSwap, type Statement } from '#database/transaction.js';
import type { Append, Appended, EventStore } from '#event-store/event-store.js';
import type { Executor } from '#projections/projection.js';
import type { Receipt, Receipts } from './receipts/receipts.js';

/** What one write records, or a part of it: a value, which a recorder may take alone or together with those of other writes. */
export interface Recording {
  /** In this order, each to another stream. */
  readonly appends: readonly Append[];
  /** Statements that write rows of read tables; each may be run twice. */
  readonly rows: readonly Statement[];
  readonly receipt: Receipt | null;
}

/** Records what writes came to. How many of its parts land together is up to it; none is ever there without those before it. */
export interface Recorder {
  /**
   * Resolves once everything of the recording is durable (a receipt only where it asks for that), and gives where each append landed.
   * Throws what `EventStore.append` and the database throw; then none of what comes after the failed part is there.
   */
  record(recording: Recording): Promise<readonly Appended[]>;
}

/**
 * One part after the other: events, rows, receipt, the last statement of the rows together with the receipt. A crash in between
 * leaves what the catch-up and a retry of the request complete, so events may be in another database than tables and receipts.
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

/** Writes the rows of what a command has appended: when its session records the receipt, at once where it has none. */
export async function writeRows(
  { executor }: { readonly executor: Executor },
  { session }: { readonly session?: { addRows(rows: readonly Statement[]): void } },
  rows: readonly Statement[],
): Promise<void> {
  if (session === undefined) await writeAtOnce(executor, rows);
  else session.addRows(rows);
}
