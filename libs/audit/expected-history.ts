import { countOf, entryAt, entryOfRevision, type Entry, type StreamRecord } from './record.js';

/** What an anchor says of an event. */
export interface ExpectedEvent extends Entry {
  readonly anchor: number;
  /** Its place in the log, from 0. */
  readonly place: number;
}

interface Part {
  readonly anchor: number;
  /** The place in the log of the anchor's first event. */
  readonly start: number;
  readonly record: StreamRecord;
}

/** What anchors say of every event that they cover: some 50 bytes for each event are held in memory. */
export class ExpectedHistory {
  private readonly streams = new Map<string, Part[]>();
  private total = 0;

  /** Of an anchor whose record is what was signed; anchors in their order. */
  add(anchor: number, start: number, record: StreamRecord): void {
    const parts = this.streams.get(record.stream);
    this.total += countOf(record);
    if (parts === undefined) this.streams.set(record.stream, [{ anchor, start, record }]);
    else parts.push({ anchor, start, record });
  }

  /** How many events are covered. */
  get count(): number {
    return this.total;
  }

  /** The event of a revision, as the earliest anchor that covers it says; null where none does. */
  event(stream: string, revision: number): ExpectedEvent | null {
    for (const { anchor, start, record } of this.streams.get(stream) ?? []) {
      const entry = entryOfRevision(record, revision);
      if (entry !== null) return { ...entry, anchor, place: start + entry.ordinal };
    }
    return null;
  }

  /** Every stream with the last revision that is covered, and the anchor that covers it. */
  *ends(): Iterable<{ readonly stream: string; readonly revision: number; readonly anchor: number }> {
    for (const [stream, parts] of this.streams) {
      let end = { stream, revision: -1, anchor: 0 };
      for (const { anchor, record } of parts) {
        const last = entryAt(record, countOf(record) - 1);
        if (last.revision > end.revision) end = { stream, revision: last.revision, anchor };
      }
      yield end;
    }
  }
}
