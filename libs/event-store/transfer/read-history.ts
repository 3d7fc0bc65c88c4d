import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { hasItsOwnHash } from '../new-events.js';
import {
  eventOfObject,
  type ExportedEvent,
  HISTORY_FORMAT,
  type HistoryHeader,
  HistoryFileError,
  objectOfLine,
} from './history-file.js';

/** A history file that was read completely and is valid. */
export interface CheckedHistory {
  readonly header: HistoryHeader;
  /** SHA-256 over everything before the trailer. */
  readonly sha256: string;
}

const LINE_END = 0x0a;

/**
 * Checks the whole file before it is used: it is complete and unchanged, each stream begins at 0 and has no
 * gaps, and every hash chain is intact. Throws {@link HistoryFileError}.
 */
export async function checkHistory(
  path: string,
  onProgress?: (events: number, total: number) => void,
): Promise<CheckedHistory> {
  const check = new FileCheck();
  for await (const line of linesOf(path)) {
    check.take(line);
    if (check.events % 5_000 === 0 && check.header !== null) onProgress?.(check.events, check.header.events);
  }
  return check.finish();
}

/** The events of a checked file, in batches. */
export async function* eventsOfHistory(path: string, batchSize: number): AsyncIterable<readonly ExportedEvent[]> {
  let number = 0;
  let batch: ExportedEvent[] = [];
  for await (const { text } of linesOf(path)) {
    number += 1;
    const object = objectOfLine(text, number);
    if (number === 1 || object['end'] === true) continue;
    batch.push(eventOfObject(object, number));
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

interface Line {
  readonly text: string;
  /** Including the line end. */
  readonly bytes: Buffer;
}

/**
 * Split at line feeds alone: JSON texts may contain other line separators. Text without a line end is not a
 * line.
 */
async function* linesOf(path: string): AsyncIterable<Line> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      const bytes = Buffer.concat([...rest, chunk.subarray(start, end + 1)]);
      rest = [];
      start = end + 1;
      yield { bytes, text: bytes.toString('utf8', 0, bytes.length - 1) };
    }
    if (start < chunk.length) rest.push(Buffer.from(chunk.subarray(start)));
  }
}

class FileCheck {
  events = 0;
  header: HistoryHeader | null = null;
  private number = 0;
  private trailer: Readonly<Record<string, unknown>> | null = null;
  private readonly sum = createHash('sha256');
  private readonly streams = new Map<string, { readonly revision: number; readonly hash: string }>();

  take({ text, bytes }: Line): void {
    this.number += 1;
    if (this.trailer !== null)
      throw new HistoryFileError(`Line ${this.number} is after the end of the file: two files were joined.`);
    const object = objectOfLine(text, this.number);
    if (this.header === null) this.header = headerOf(object);
    else if (object['end'] === true) this.trailer = object;
    else this.takeEvent(eventOfObject(object, this.number));
    if (this.trailer === null) this.sum.update(bytes);
  }

  finish(): CheckedHistory {
    if (this.header === null || this.trailer === null)
      throw new HistoryFileError(
        'The file was cut off: its last line is missing. Export again, and copy the whole file.',
      );
    const sha256 = this.sum.digest('hex');
    if (this.trailer['sha256'] !== sha256)
      throw new HistoryFileError('The file was changed after its export: its digest differs. Export again.');
    if (
      this.events !== this.header.events ||
      this.events !== this.trailer['events'] ||
      this.streams.size !== this.header.streams
    ) {
      throw new HistoryFileError(
        'The file does not contain the numbers of events and streams of its header and trailer: export again.',
      );
    }
    return { header: this.header, sha256 };
  }

  private takeEvent(event: ExportedEvent): void {
    this.events += 1;
    const before = this.streams.get(event.stream);
    const isNext = event.revision === (before?.revision ?? -1) + 1;
    if (!isNext || event.metadata.previous_hash !== (before?.hash ?? null) || !hasItsOwnHash(event)) {
      throw new HistoryFileError(
        `The hash chain of ${event.stream} is broken at revision ${event.revision}: run workforce audit verify on ` +
          'the event store that was exported.',
      );
    }
    this.streams.set(event.stream, { revision: event.revision, hash: event.metadata.hash });
  }
}

function headerOf(object: Readonly<Record<string, unknown>>): HistoryHeader {
  const { format, events, streams } = object;
  if (format !== HISTORY_FORMAT || typeof events !== 'number' || typeof streams !== 'number') {
    throw new HistoryFileError(
      `The file does not begin like ${HISTORY_FORMAT}: use a file that workforce events export wrote.`,
    );
  }
  return object as unknown as HistoryHeader;
}
