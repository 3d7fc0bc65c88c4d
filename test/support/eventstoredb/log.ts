import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { dataOf, eventOfMessage, loggedEvent } from './event-message.js';
import type { LoggedEvent, ProposedEvent } from './events.js';

interface Stream {
  readonly events: LoggedEvent[];
  /** The revision of the first event; higher than 0 after a soft delete. */
  truncateBefore: bigint;
  tombstoned: boolean;
}

const TICKS_PER_MILLISECOND = 10_000n;

/**
 * The log of the test server, in memory and, if a file is given, on disk. Each append is one record of the
 * file, with its length before it, so that after a kill it is either complete or missing. The first event
 * belongs to the server, as on a real one.
 */
export class Log {
  readonly events: LoggedEvent[] = [];
  private readonly streams = new Map<string, Stream>();
  private readonly places = new Map<bigint, number>();
  private readonly listeners = new Set<(event: LoggedEvent) => void>();
  private readonly descriptor: number | null;
  private end = 0n;

  constructor(file: string | null) {
    if (file !== null && existsSync(file)) this.replay(file);
    this.descriptor = file === null ? null : openSync(file, 'a');
    if (this.events.length === 0) {
      const scavenges = {
        id: '5d3c2ec2-43a6-4b7e-8a3b-3c9ae1ff5a11',
        type: '$metadata',
        contentType: 'application/json',
      };
      this.write('$$$scavenges', [{ ...scavenges, data: Buffer.from('{"$maxCount":1}'), metadata: Buffer.alloc(0) }]);
    }
  }

  /** Returns the visible events of a stream; null where it does not exist or is soft-deleted. */
  visible(name: string): readonly LoggedEvent[] | null {
    const stream = this.streams.get(name);
    if (stream === undefined) return null;
    if (stream.truncateBefore === 0n) return stream.events;
    const events = stream.events.slice(Number(stream.truncateBefore));
    return events.length === 0 ? null : events;
  }

  isTombstoned(name: string): boolean {
    return this.streams.get(name)?.tombstoned ?? false;
  }

  /** Returns the revision of the last event, deleted or not; -1 where there never was one. */
  lastRevision(name: string): bigint {
    return this.streams.get(name)?.events.at(-1)?.revision ?? -1n;
  }

  eventAt(name: string, revision: bigint): LoggedEvent | undefined {
    return this.streams.get(name)?.events[Number(revision)];
  }

  /**
   * Returns the index in `events` of the event at a position; its length for the end and later positions;
   * null where no event starts there.
   */
  placeOf(position: bigint): number | null {
    if (position >= this.end) return this.events.length;
    return this.places.get(position) ?? null;
  }

  /**
   * Appends events to a stream and notifies the listeners. `time` is the server's time stamp in milliseconds
   * since 1970.
   */
  write(stream: string, proposed: readonly ProposedEvent[], time = Date.now()): readonly LoggedEvent[] {
    const created = BigInt(time) * TICKS_PER_MILLISECOND;
    let revision = this.lastRevision(stream);
    let position = this.end;
    const events = proposed.map((event) => {
      revision += 1n;
      const logged = loggedEvent(event, { stream, revision, position, created });
      position += sizeOf(logged);
      return logged;
    });
    if (this.descriptor !== null) writeSync(this.descriptor, recordOf(events));
    for (const event of events) this.add(event);
    for (const event of events) for (const listen of this.listeners) listen(event);
    return events;
  }

  /** Hides a stream's events; the next append continues at the next revision. */
  softDelete(stream: string): LoggedEvent {
    const data = Buffer.from('{"$tb":9223372036854775807}');
    return this.write(`$$${stream}`, [
      { id: crypto.randomUUID(), type: '$metadata', contentType: 'application/json', data, metadata: Buffer.alloc(0) },
    ])[0]!;
  }

  /** Ends a stream permanently with a system event. */
  tombstone(stream: string): LoggedEvent {
    const nothing = { data: Buffer.from('{}'), metadata: Buffer.alloc(0) };
    return this.write(stream, [
      { id: crypto.randomUUID(), type: '$streamDeleted', contentType: 'application/json', ...nothing },
    ])[0]!;
  }

  listen(listener: (event: LoggedEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    if (this.descriptor !== null) closeSync(this.descriptor);
  }

  private add(event: LoggedEvent): void {
    this.places.set(event.position, this.events.length);
    this.events.push(event);
    this.end = event.position + sizeOf(event);
    const stream = this.streams.get(event.stream) ?? { events: [], truncateBefore: 0n, tombstoned: false };
    this.streams.set(event.stream, stream);
    stream.events.push(event);
    if (event.type === '$streamDeleted') stream.tombstoned = true;
    const subject =
      event.type === '$metadata' && event.stream.startsWith('$$') ? this.streams.get(event.stream.slice(2)) : undefined;
    if (subject !== undefined) subject.truncateBefore = truncationOf(event, subject.events.length);
  }

  private replay(file: string): void {
    const bytes = readFileSync(file);
    let end = 0;
    for (let record = recordAt(bytes, end); record !== null; record = recordAt(bytes, end)) {
      for (const message of messagesIn(record)) this.add(eventOfMessage(message));
      end += LENGTH_BYTES + record.length;
    }
    if (end < bytes.length) truncateSync(file, end);
  }
}

const LENGTH_BYTES = 4;

/** The record of an append: its length, then each event's message with its own length before it. */
function recordOf(events: readonly LoggedEvent[]): Buffer {
  const size = events.reduce((sum, { message }) => sum + LENGTH_BYTES + message.length, 0);
  const record = Buffer.allocUnsafe(LENGTH_BYTES + size);
  let at = record.writeUInt32BE(size);
  for (const { message } of events) {
    at = record.writeUInt32BE(message.length, at);
    at += message.copy(record, at);
  }
  return record;
}

/** The content of the record at a place of the file; null where none is complete. */
function recordAt(bytes: Buffer, start: number): Buffer | null {
  const from = start + LENGTH_BYTES;
  if (from > bytes.length) return null;
  const to = from + bytes.readUInt32BE(start);
  return to > bytes.length ? null : bytes.subarray(from, to);
}

function messagesIn(record: Buffer): readonly Buffer[] {
  const messages: Buffer[] = [];
  for (let start = 0; start < record.length;) {
    const message = recordAt(record, start)!;
    messages.push(message);
    start += LENGTH_BYTES + message.length;
  }
  return messages;
}

function sizeOf(event: LoggedEvent): bigint {
  return BigInt(event.message.length);
}

/**
 * Returns `$tb` of a stream's metadata. A soft delete sets the highest number, which hides all current
 * events.
 */
function truncationOf(metadata: LoggedEvent, length: number): bigint {
  const match = /"\$tb"\s*:\s*(\d+)/.exec(dataOf(metadata.message).toString('utf8'));
  if (match === null) return 0n;
  const before = BigInt(match[1]!);
  return before > BigInt(length) ? BigInt(length) : before;
}
