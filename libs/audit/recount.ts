import type { RecordedEvent } from '#event-store/event-store.js';
import type { Anchor } from './anchor.js';
import type { Findings } from './findings.js';
import { digestOf, recordOf } from './record.js';

/**
 * Compares history with anchors whose record is lost or damaged: their digests are calculated again from the
 * events at their positions in the log. This reveals whether events differ, but not which.
 */
export class Recount {
  private readonly events = new Map<Anchor, RecordedEvent[]>();
  private place = 0;

  constructor(anchors: readonly Anchor[]) {
    for (const anchor of anchors) this.events.set(anchor, []);
  }

  take(event: RecordedEvent): void {
    for (const [anchor, events] of this.events) {
      const { events: end, added } = anchor.document;
      if (this.place >= end - added && this.place < end) events.push(event);
    }
    this.place += 1;
  }

  finish(findings: Findings): void {
    for (const [{ document }, events] of this.events) {
      if (digestOf(recordOf(events)) === document.record) continue;
      const range = `${document.events - document.added + 1} to ${document.events}`;
      findings.add({
        kind: 'anchor',
        stream: null,
        revision: null,
        message: `events ${range} of the log differ from those of anchor ${document.number}`,
      });
    }
  }
}
