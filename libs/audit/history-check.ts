import type { RecordedEvent } from '#event-store/event-store.js';
import { hasItsOwnHash } from '#event-store/new-events.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { ExpectedEvent, ExpectedHistory } from './expected-history.js';
import type { Finding, FindingKind, Findings } from './findings.js';
import { hashBytesOf } from './record.js';

interface StreamState {
  /** The next revision. */
  next: number;
  /** The hash of the previous event; undefined if it is unknown, because the event is missing. */
  hash: string | null | undefined;
  /** Skipped revisions. */
  readonly missing: Set<number>;
}

/**
 * The maximum number of missing events that are listed for a gap, because a forged revision may be any
 * number.
 */
const MAX_MISSING_EVENTS = 1_000;

/**
 * Checks events one by one, in the order of the log, against their streams' chains and against the records of
 * anchors.
 */
export class HistoryCheck {
  private readonly streams = new Map<string, StreamState>();
  private events = 0;
  /** The position, by the anchors, of the last covered event; and the number of covered events so far. */
  private lastPlace = -1;
  private covered = 0;
  /** Events without an anchor, before a possible later event with one. */
  private uncovered: RecordedEvent[] = [];

  /**
   * @param isWhole - whether `expected` has every event up to its last one: any other event among them was
   * inserted
   */
  constructor(
    private readonly expected: ExpectedHistory,
    private readonly findings: Findings,
    private readonly isWhole: boolean,
  ) {}

  get counts(): { readonly events: number; readonly streams: number } {
    return { events: this.events, streams: this.streams.size };
  }

  /** The events and streams of each organisation, by its id. */
  get countsOfOrganisations(): Readonly<Record<string, { readonly events: number; readonly streams: number }>> {
    const counts: Record<string, { events: number; streams: number }> = {};
    for (const [stream, { next }] of this.streams) {
      const ofOrganisation = (counts[partsOfStream(stream).organisationId] ??= { events: 0, streams: 0 });
      ofOrganisation.events += next;
      ofOrganisation.streams += 1;
    }
    return counts;
  }

  /** The revision of the last event of a stream so far; null if there is none. */
  lastRevision(stream: string): number | null {
    const state = this.streams.get(stream);
    return state === undefined ? null : state.next - 1;
  }

  take(event: RecordedEvent): void {
    this.events += 1;
    const state = this.stateOf(event.stream);
    const isNext = this.checkPlace(event, state);
    this.checkContent(event, isNext ? state.hash : undefined);
    this.checkAnchor(event);
    if (event.revision < state.next) return;
    state.next = event.revision + 1;
    state.hash = claimedHash(event);
  }

  /** Records the missing events, after the last event. */
  finish(): void {
    for (const [stream, { missing }] of this.streams) {
      for (const revision of missing)
        this.report('missing', { stream, revision }, 'the event is missing, and there are later ones in its stream');
    }
    for (const { stream, revision, anchor } of this.expected.ends()) {
      const state = this.streams.get(stream);
      if (state === undefined) {
        this.report(
          'removed',
          { stream, revision: null },
          `the whole stream is missing: anchor ${anchor} covers its events 0 to ${revision}`,
        );
      } else if (state.next <= revision) {
        this.report(
          'truncated',
          { stream, revision: state.next },
          `the end of the stream is missing: anchor ${anchor} covers its events up to ${revision}`,
        );
      }
    }
  }

  private stateOf(stream: string): StreamState {
    const known = this.streams.get(stream);
    if (known !== undefined) return known;
    const state: StreamState = { next: 0, hash: null, missing: new Set() };
    this.streams.set(stream, state);
    return state;
  }

  private checkPlace(event: RecordedEvent, state: StreamState): boolean {
    if (event.revision === state.next) return true;
    if (event.revision < state.next) {
      state.missing.delete(event.revision);
      this.report('order', event, 'the event is in the log behind a later one of its stream');
      return false;
    }
    const end = Math.min(event.revision, state.next + MAX_MISSING_EVENTS);
    for (let revision = state.next; revision < end; revision += 1) state.missing.add(revision);
    return false;
  }

  private checkContent(event: RecordedEvent, before: string | null | undefined): void {
    if (!isRecord(event.metadata) || !hasItsOwnHash(event)) {
      this.report('changed', event, 'the content of the event does not match its hash');
    } else if (before !== undefined && event.metadata.previous_hash !== before) {
      this.report(
        'not_linked',
        event,
        'the event does not continue the one before it: one of the two was replaced, or an event was removed or ' +
          'inserted',
      );
    }
  }

  private checkAnchor(event: RecordedEvent): void {
    const expected = this.expected.event(event.stream, event.revision);
    if (expected === null) {
      if (this.isWhole && this.covered < this.expected.count) this.uncovered.push(event);
      return;
    }
    this.covered += 1;
    for (const earlier of this.uncovered.splice(0))
      this.report(
        'inserted',
        earlier,
        `the event is in the log before events of anchor ${expected.anchor}, which does not cover it`,
      );
    this.compare(event, expected);
    if (expected.place < this.lastPlace)
      this.report('order', event, `the event is in the log behind events that follow it in anchor ${expected.anchor}`);
    this.lastPlace = expected.place;
  }

  private compare(event: RecordedEvent, expected: ExpectedEvent): void {
    if (!expected.hash.equals(hashBytesOf(event))) {
      this.report('replaced', event, `the event differs from the one that anchor ${expected.anchor} covers`);
    }
    if (expected.recordedAt !== Date.parse(event.recordedAt)) {
      this.report(
        'recorded_time',
        event,
        `the event was recorded at ${new Date(expected.recordedAt).toISOString()} according to anchor ` +
          `${expected.anchor}, and claims ${event.recordedAt}`,
      );
    }
  }

  private report(kind: FindingKind, { stream, revision }: Pick<Finding, 'stream' | 'revision'>, message: string): void {
    this.findings.add({ kind, stream, revision, message });
  }
}

function claimedHash(event: RecordedEvent): string | null | undefined {
  return isRecord(event.metadata) ? event.metadata.hash : undefined;
}

/** Forged data may be any JSON. */
function isRecord(metadata: unknown): boolean {
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
}
