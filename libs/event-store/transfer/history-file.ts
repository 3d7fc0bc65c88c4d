import { parseJson } from '#kernel/json.js';
import type { ImportedEvent, Position, RecordedEvent } from '../event-store.js';
import { asStored } from '../upcasters.js';

/**
 * The format of history files: one JSON object per line: a header, the events in the order of the log, a
 * trailer.
 */
export const HISTORY_FORMAT = 'workforce-events/1';

/** The first line. */
export interface HistoryHeader {
  readonly format: typeof HISTORY_FORMAT;
  readonly events: number;
  readonly streams: number;
  /** When the export began, ISO 8601. */
  readonly exported_at: string;
  /** The position of the exporting store up to which events had been published; null if none were. */
  readonly told_up_to: Position | null;
}

/** The last line: `sha256` (hex) over all bytes before it. A file without it was cut off. */
export interface HistoryTrailer {
  readonly end: true;
  readonly events: number;
  readonly sha256: string;
}

/** An event of a file, with its position in the store that it comes from. */
export interface ExportedEvent extends ImportedEvent {
  readonly position: Position;
}

/**
 * The file is not a history file, was cut off or changed, or does not match the event store. The message
 * contains the remedy.
 */
export class HistoryFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HistoryFileError';
  }
}

/** An event's line, with its line end: the event as stored, before upcasters. */
export function lineOf(event: RecordedEvent): string {
  const { stream, revision, id, type, recordedAt, position, data, metadata } = asStored(event);
  return `${JSON.stringify({ stream, revision, id, type, recorded_at: recordedAt, position, data, metadata })}\n`;
}

/** Parses the object of a line. Throws {@link HistoryFileError}. */
export function objectOfLine(line: string, number: number): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(line);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Reported below.
  }
  throw new HistoryFileError(
    `Line ${number} of the file is not a JSON object: use a file that workforce events export wrote.`,
  );
}

/** Parses the event of a line's object. Throws {@link HistoryFileError} if a part is missing. */
export function eventOfObject(object: Readonly<Record<string, unknown>>, number: number): ExportedEvent {
  const { stream, revision, id, type, recorded_at: recordedAt, position, data, metadata } = object;
  const texts = [stream, id, type, recordedAt, position].every((value) => typeof value === 'string');
  const objects = [data, metadata].every((value) => typeof value === 'object' && value !== null);
  if (!texts || !objects || !Number.isSafeInteger(revision)) {
    throw new HistoryFileError(
      `Line ${number} of the file is not an event: use a file that workforce events export wrote.`,
    );
  }
  return { stream, revision, id, type, recordedAt, position, data, metadata } as ExportedEvent;
}
