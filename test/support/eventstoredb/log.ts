import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

/** An event that a client proposes. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** An event in the log. */
export interface LoggedEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** A byte offset: rising, but not contiguous. */
  readonly position: bigint;
  /** Ticks of 100 ns since 1970. */
  readonly created: bigint;
}

interface Stream {
  readonly events: LoggedEvent[];
  /** The revision of the first event; higher than 0 after a soft delete. */
  truncateBefore: bigint;
  tombstoned: boolean;
}

const RECORD_OVERHEAD = 84;
const TICKS_PER_MILLISECOND = 10_000n;

/**
 * The log of the test server, in memory and, if a file is given, on disk. Each append is one line, so that after a kill it is
 * either complete or missing. The first event belongs to the server, as on a real one.
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
      const scavenges = { id: '5d3c2ec2-43a6-4b7e-8a3b-3c9ae1ff5a11', type: '$metadata', contentType: 'application/json' };
      this.write('$$$scavenges', [{ ...scavenges, data: Buffer.from('{"$maxCount":1}'), metadata: Buffer.alloc(0) }]);
    }
  }

  /** Returns the visible events of a stream; null where it does not exist or is soft-deleted. */
  visible(name: string): readonly LoggedEvent[] | null {
    const stream = this.streams.get(name);
    if (stream === undefined) return null;
    const events = stream.events.filter(({ revision }) => revision >= stream.truncateBefore);
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
   * Returns the index in `events` of the event at a position; its length for the end and later positions; null where no event
   * starts there.
   */
  placeOf(position: bigint): number | null {
    if (position >= this.end) return this.events.length;
    return this.places.get(position) ?? null;
  }

  /** Appends events to a stream and notifies the listeners. `time` is the server's time stamp in milliseconds since 1970. */
  write(stream: string, proposed: readonly ProposedEvent[], time = Date.now()): readonly LoggedEvent[] {
    const created = BigInt(time) * TICKS_PER_MILLISECOND;
    let revision = this.lastRevision(stream);
    let position = this.end;
    const events = proposed.map((event) => {
      revision += 1n;
      const logged = { ...event, stream, revision, position, created };
      position += sizeOf(logged);
      return logged;
    });
    if (this.descriptor !== null) writeSync(this.descriptor, `${JSON.stringify(events.map(toLine))}\n`);
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
    return this.write(stream, [{ id: crypto.randomUUID(), type: '$streamDeleted', contentType: 'application/json', ...nothing }])[0]!;
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
    const subject = event.type === '$metadata' && event.stream.startsWith('$$') ? this.streams.get(event.stream.slice(2)) : undefined;
    if (subject !== undefined) subject.truncateBefore = truncationOf(event, subject.events.length);
  }

  private replay(file: string): void {
    const text = readFileSync(file, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
    for (const line of whole.split('\n')) {
      if (line !== '') for (const event of (JSON.parse(line) as readonly Line[]).map(fromLine)) this.add(event);
    }
  }
}

function sizeOf(event: LoggedEvent): bigint {
  const { stream, type, data, metadata } = event;
  return BigInt(RECORD_OVERHEAD + Buffer.byteLength(stream) + Buffer.byteLength(type) + data.length + metadata.length);
}

/** Returns `$tb` of a stream's metadata. A soft delete sets the highest number, which hides all current events. */
function truncationOf(metadata: LoggedEvent, length: number): bigint {
  const match = /"\$tb"\s*:\s*(\d+)/.exec(metadata.data.toString('utf8'));
  if (match === null) return 0n;
  const before = BigInt(match[1]!);
  return before > BigInt(length) ? BigInt(length) : before;
}

type Line = Record<'id' | 'type' | 'contentType' | 'data' | 'metadata' | 'stream' | 'revision' | 'position' | 'created', string>;

function toLine(event: LoggedEvent): Line {
  const { revision, position, created, data, metadata, ...rest } = event;
  const numbers = { revision: String(revision), position: String(position), created: String(created) };
  return { ...rest, ...numbers, data: data.toString('base64'), metadata: metadata.toString('base64') };
}

function fromLine(line: Line): LoggedEvent {
  const numbers = { revision: BigInt(line.revision), position: BigInt(line.position), created: BigInt(line.created) };
  return { ...line, ...numbers, data: Buffer.from(line.data, 'base64'), metadata: Buffer.from(line.metadata, 'base64') };
}
