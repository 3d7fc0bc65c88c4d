import type { EventStore, ImportedEvent, Position, RecordedEvent } from '../event-store.js';
import { pagesOfLog } from '../pages-of-log.js';
import { type ExportedEvent, HistoryFileError } from './history-file.js';
import { eventsOfHistory } from './read-history.js';

/** What came of an import. */
export interface ImportedHistory {
  /** Recorded now; the others were there. */
  readonly imported: number;
  readonly present: number;
  /** Positions in this store of the events whose positions in the other one were asked for. */
  readonly positions: ReadonlyMap<Position, Position>;
  /** In this store; null for an empty history. */
  readonly first: Position | null;
  readonly last: Position | null;
}

/** Options of an import. */
export interface ImportSettings {
  /** Positions of the exporting store that have to be known in this one. */
  readonly wanted: ReadonlySet<Position>;
  readonly onProgress?: (events: number) => void;
}

const BATCH = 2_000;

/**
 * Brings a checked file of history into an event store that is empty or holds the beginning of this very history, which an
 * import that was killed leaves, and a store that was moved away from. Nothing is written where it holds anything else: throws
 * {@link HistoryFileError}. The log gets the order of the file, which anchors have signed. No other process may write meanwhile.
 */
export async function importHistory(store: EventStore, path: string, { wanted, onProgress }: ImportSettings): Promise<ImportedHistory> {
  const present = new PresentEvents(store);
  const positions = new Map<Position, Position>();
  const ends: { first: Position | null; last: Position | null } = { first: null, last: null };
  const counts = { imported: 0, present: 0 };
  for await (const batch of readAhead(eventsOfHistory(path, BATCH))) {
    const known = await present.begin(batch);
    const missing = batch.slice(known.length);
    const needed = new Set<ImportedEvent>(
      batch.filter((event, index) => wanted.has(event.position) || index === 0 || index === batch.length - 1),
    );
    const landed = [...known, ...(missing.length === 0 ? [] : await store.importEvents(missing, (event) => needed.has(event)))];
    for (const [index, event] of batch.entries()) if (wanted.has(event.position)) positions.set(event.position, landed[index]!);
    counts.present += known.length;
    counts.imported += missing.length;
    ends.first ??= landed[0]!;
    ends.last = landed.at(-1)!;
    onProgress?.(counts.present + counts.imported);
  }
  await present.expectNoMore();
  return { ...counts, ...ends, positions };
}

/** The same batches, of which the next one is read while one is recorded. */
async function* readAhead<Batch>(batches: AsyncIterable<Batch>): AsyncIterable<Batch> {
  const iterator = batches[Symbol.asyncIterator]();
  let next = iterator.next();
  for (let batch = await next; batch.done !== true; batch = await next) {
    next = iterator.next();
    // Awaited below, unless the caller leaves early.
    next.catch(() => undefined);
    yield batch.value;
  }
}

/** What the store held before, in the order of its log, compared with the file. */
class PresentEvents {
  private waiting: RecordedEvent[] = [];
  private pages: AsyncIterator<readonly RecordedEvent[]> | null = null;
  private hasEnded = false;

  constructor(private readonly store: EventStore) {}

  /** The positions of those events, at the beginning of a batch, that the store holds. Throws {@link HistoryFileError} where it holds others. */
  async begin(batch: readonly ExportedEvent[]): Promise<readonly Position[]> {
    const positions: Position[] = [];
    for (const event of batch) {
      const own = await this.next();
      if (own === undefined) break;
      if (!isSame(own, event)) {
        throw new HistoryFileError(
          `The event store is not empty: it holds ${own.stream} at revision ${own.revision}, where the file has ${event.stream} at revision ${event.revision}. Import into an empty event store.`,
        );
      }
      positions.push(own.position);
    }
    return positions;
  }

  async expectNoMore(): Promise<void> {
    if (!this.hasEnded && (await this.next()) !== undefined) {
      throw new HistoryFileError('The event store holds the whole file and more: there is nothing to import.');
    }
  }

  private async next(): Promise<RecordedEvent | undefined> {
    if (this.waiting.length === 0 && !this.hasEnded) await this.fetch();
    return this.waiting.shift();
  }

  private async fetch(): Promise<void> {
    if (this.pages === null) {
      const head = await this.store.head();
      if (head !== null) this.pages = pagesOfLog(this.store, null, head)[Symbol.asyncIterator]();
    }
    const page = await this.pages?.next();
    if (page === undefined || page.done === true) this.hasEnded = true;
    else this.waiting = [...page.value];
  }
}

function isSame(own: RecordedEvent, event: ExportedEvent): boolean {
  return (
    own.stream === event.stream &&
    own.revision === event.revision &&
    own.id === event.id &&
    own.metadata.hash === event.metadata.hash &&
    own.recordedAt === event.recordedAt
  );
}
