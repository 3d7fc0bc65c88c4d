import { countOf, entryAt, entryOfRevision, type Entry, type StreamRecord } from './record.js';

/** An anchor's record of an event. */
export interface ExpectedEvent extends Entry {
  readonly anchor: number;
  /** Its position in the log, from 0. */
  readonly place: number;
}

interface Part {
  readonly anchor: number;
  /** The position in the log of the anchor's first event. */
  readonly start: number;
  readonly record: StreamRecord;
}

/** The records of all anchored events: some 50 bytes per event are held in memory. */
export class ExpectedHistory {
  private readonly streams = new Map<string, Part[]>();
  private total = 0;

  /** Adds a record of an anchor that matches its signed digest. Anchors are added in their order. */
  add(anchor: number, start: number, record: StreamRecord): void {
    const parts = this.streams.get(record.stream);
    this.total += countOf(record);
    if (parts === undefined) this.streams.set(record.stream, [{ anchor, start, record }]);
    else parts.push({ anchor, start, record });
  }

  /** The number of covered events. */
  get count(): number {
    return this.total;
  }

  /** The event of a revision, from the earliest anchor that covers it; null if there is none. */
  event(stream: string, revision: number): ExpectedEvent | null {
    for (const { anchor, start, record } of this.streams.get(stream) ?? []) {
      const entry = entryOfRevision(record, revision);
      if (entry !== null) return { ...entry, anchor, place: start + entry.ordinal };
    }
    return null;
  }

  /** Every stream with its last covered revision, and the anchor that covers it. */
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
