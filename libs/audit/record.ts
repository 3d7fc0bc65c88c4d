import { createHash } from 'node:crypto';
import type { RecordedEvent } from '#event-store/event-store.js';

/** An anchor's record of one event. */
export interface Entry {
  readonly revision: number;
  /** Position among the events that the anchor added, from 0, in the order of the log. */
  readonly ordinal: number;
  /** Milliseconds since 1970. */
  readonly recordedAt: number;
  /** 32 bytes: the event's hash in its stream's chain. */
  readonly hash: Buffer;
}

/** An anchor's record of one stream: entries one after another, in the order of the log. */
export interface StreamRecord {
  readonly stream: string;
  readonly entries: Buffer;
}

/**
 * Storage format, covered by signatures: revision, ordinal (32 bits each), time (64 bits), hash; big-endian.
 */
const ENTRY_BYTES = 48;
const ORDINAL_AT = 4;
const TIME_AT = 8;
const HASH_AT = 16;

/** An anchor's record of consecutive events of the log, streams in byte order of their names. */
export function recordOf(events: readonly RecordedEvent[]): readonly StreamRecord[] {
  const streams = new Map<string, Buffer[]>();
  for (const [ordinal, event] of events.entries()) {
    const entries = streams.get(event.stream);
    const entry = entryOf(event, ordinal);
    if (entries === undefined) streams.set(event.stream, [entry]);
    else entries.push(entry);
  }
  return [...streams]
    .map(([stream, entries]) => ({ stream, entries: Buffer.concat(entries) }))
    .sort((one, other) => Buffer.compare(Buffer.from(one.stream), Buffer.from(other.stream)));
}

/** SHA-256 (hex) over a record whose streams come in byte order. */
export class RecordDigest {
  private readonly sum = createHash('sha256');

  add({ stream, entries }: StreamRecord): void {
    const name = Buffer.from(stream);
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(name.length, 0);
    lengths.writeUInt32BE(entries.length, 4);
    this.sum.update(lengths).update(name).update(entries);
  }

  /** Call once, at the end. */
  text(): string {
    return this.sum.digest('hex');
  }
}

/** The digest of a whole record. */
export function digestOf(record: readonly StreamRecord[]): string {
  const digest = new RecordDigest();
  for (const one of record) digest.add(one);
  return digest.text();
}

/** The number of entries in a stream's record. */
export function countOf({ entries }: StreamRecord): number {
  return Math.floor(entries.length / ENTRY_BYTES);
}

/** The entry at an index, from 0. */
export function entryAt({ entries }: StreamRecord, place: number): Entry {
  const at = place * ENTRY_BYTES;
  return {
    revision: entries.readUInt32BE(at),
    ordinal: entries.readUInt32BE(at + ORDINAL_AT),
    recordedAt: Number(entries.readBigInt64BE(at + TIME_AT)),
    hash: entries.subarray(at + HASH_AT, at + ENTRY_BYTES),
  };
}

/** The entry of a revision; null if the record has none. Takes constant time for revisions without gaps. */
export function entryOfRevision(record: StreamRecord, revision: number): Entry | null {
  const count = countOf(record);
  if (count === 0) return null;
  const likely = revision - entryAt(record, 0).revision;
  if (likely >= 0 && likely < count && entryAt(record, likely).revision === revision) return entryAt(record, likely);
  for (let place = 0; place < count; place += 1)
    if (entryAt(record, place).revision === revision) return entryAt(record, place);
  return null;
}

/** An event's hash as 32 bytes; for an invalid text, the hash of the text. */
export function hashBytesOf(event: RecordedEvent): Buffer {
  const hash: unknown = (event.metadata as { readonly hash?: unknown } | null)?.hash;
  if (typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)) return Buffer.from(hash, 'hex');
  return createHash('sha256').update(String(hash)).digest();
}

function entryOf(event: RecordedEvent, ordinal: number): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.writeUInt32BE(event.revision, 0);
  entry.writeUInt32BE(ordinal, ORDINAL_AT);
  entry.writeBigInt64BE(BigInt(Date.parse(event.recordedAt)), TIME_AT);
  hashBytesOf(event).copy(entry, HASH_AT);
  return entry;
}
