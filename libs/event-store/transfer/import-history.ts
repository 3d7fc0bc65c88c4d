import type { EventStore, ImportedEvent, Position, RecordedEvent } from '../event-store.js';
import { type ExportedEvent, HistoryFileError } from './history-file.js';
import { eventsOfHistory } from './read-history.js';

/** The result of an import. */
export interface ImportedHistory {
  /** Recorded now; the others already existed. */
  readonly imported: number;
  readonly present: number;
  /** Positions in this store of the events whose positions in the other store were requested. */
  readonly positions: ReadonlyMap<Position, Position>;
  /** In this store; null for an empty history. */
  readonly first: Position | null;
  readonly last: Position | null;
}

/** Options of an import. */
export interface ImportSettings {
  /** Positions of the exporting store to convert to this one. */
  readonly requested: ReadonlySet<Position>;
  readonly onProgress?: (events: number) => void;
}

const BATCH = 2_000;

/**
 * Imports a checked history file into an event store that is empty or holds the beginning of this history,
 * such as after a killed import or a move away from this store. Throws {@link HistoryFileError} without
 * writing if it holds anything else. The log keeps the order of the file, which anchors have signed. No other
 * process may write meanwhile.
 */
export async function importHistory(
  store: EventStore,
  path: string,
  { requested, onProgress }: ImportSettings,
): Promise<ImportedHistory> {
  const positions = new Map<Position, Position>();
  const counts = { imported: 0, present: 0 };
  let first: Position | null = null;
  let last: Position | null = null;
  for await (const batch of eventsOfHistory(path, BATCH)) {
    // Past the end of the existing log, all events come from this import.
    const known: readonly RecordedEvent[] = counts.imported > 0 ? [] : await store.readAll(last, batch.length);
    for (const [index, own] of known.entries()) expectSame(own, batch[index]!);
    const missing = batch.slice(known.length);
    const needed = new Set<ImportedEvent>(
      missing.filter((event, index) => requested.has(event.position) || index === 0 || index === missing.length - 1),
    );
    const positionsOfBatch = [
      ...known.map(({ position }) => position),
      ...(missing.length === 0 ? [] : await store.importEvents(missing, (event) => needed.has(event))),
    ];
    for (const [index, event] of batch.entries())
      if (requested.has(event.position)) positions.set(event.position, positionsOfBatch[index]!);
    first ??= positionsOfBatch[0]!;
    last = positionsOfBatch.at(-1)!;
    counts.present += known.length;
    counts.imported += missing.length;
    onProgress?.(counts.present + counts.imported);
  }
  if (counts.imported === 0 && (await store.readAll(last, 1)).length > 0)
    throw new HistoryFileError('The event store holds the whole file and more events: there is nothing to import.');
  return { ...counts, first, last, positions };
}

/** Throws {@link HistoryFileError} if the log has another event than the file. */
function expectSame(own: RecordedEvent, event: ExportedEvent): void {
  const isSame =
    own.stream === event.stream &&
    own.revision === event.revision &&
    own.id === event.id &&
    own.metadata.hash === event.metadata.hash &&
    own.recordedAt === event.recordedAt;
  if (isSame) return;
  throw new HistoryFileError(
    `The event store is not empty: it holds ${own.stream} at revision ${own.revision}, where the file has ` +
      `${event.stream} at revision ${event.revision}. Import into an empty event store.`,
  );
}
