import { randomUUID } from 'node:crypto';
import { ANY, jsonEvent } from '@eventstore/db-client';
import type { ConcurrencyLimiter } from '#database/concurrency-limiter.js';
import { InstantAheadError } from '../event-store.js';
import { type ClockReading, waitForClock } from '../wait-for-clock.js';
import { within, type Calls } from './calls.js';
import type { Reader } from './reader.js';
import { MARKS_STREAM } from './recorded-event.js';

/**
 * No two clocks differ by so much, in milliseconds: an instant that is further ahead of ours is refused
 * without asking the server.
 */
const SURELY_AHEAD_MILLISECONDS = 3_600_000;

/** What reading and marking the log takes. */
export interface LogSettlingParts {
  readonly calls: Calls;
  readonly reader: Reader;
  /** Bounds the calls that are in progress. */
  readonly limiter: ConcurrencyLimiter;
}

/**
 * Finds out up to which instant EventStoreDB's log is settled. The leader stamps events (`created`) in the
 * one thread that writes them, and events become visible in the order of the log. So once an event is visible
 * that is stamped after an instant, every event before it is visible too, and every later one is stamped at
 * or after it: nothing can appear any more that was stamped by the instant. Where the log has no such event
 * yet, one is appended to {@link MARKS_STREAM}; it is acknowledged when it is visible.
 *
 * That holds as long as the leader's clock is not set back, by hand or by an election that a node with a
 * slower clock wins.
 */
export class LogSettling {
  /** The latest stamp that was seen, in milliseconds since 1970. */
  private latest = -Infinity;
  private reading: Promise<ClockReading> | null = null;
  private marking: Promise<ClockReading> | null = null;

  constructor(private readonly parts: LogSettlingParts) {}

  /**
   * Resolves once no event can appear any more that was stamped at or before the instant; throws as
   * {@link EventStore.settle} does.
   */
  async reach(instant: string): Promise<void> {
    const time = Date.parse(instant);
    if (this.latest > time) return;
    if (time - Date.now() > SURELY_AHEAD_MILLISECONDS) throw new InstantAheadError(instant);
    const { clock } = await this.read();
    if (clock <= time) await waitForClock(instant, () => this.mark());
  }

  /**
   * Looks at the log's last event. Readers who come meanwhile share the look, and a mark below: what it finds
   * is true for them as well.
   */
  private read(): Promise<ClockReading> {
    this.reading ??= this.lastStamp().finally(() => (this.reading = null));
    return this.reading;
  }

  private mark(): Promise<ClockReading> {
    this.marking ??= this.append()
      .then(() => this.lastStamp())
      .finally(() => (this.marking = null));
    return this.marking;
  }

  /**
   * A stamp in whole milliseconds is at most one earlier than the event's own: nothing that is later in the
   * log has an earlier one.
   */
  private async lastStamp(): Promise<ClockReading> {
    const { limiter, reader } = this.parts;
    const stamp = await limiter.run(() => reader.lastStamp());
    if (stamp !== null) this.latest = Math.max(this.latest, stamp);
    return { clock: this.latest };
  }

  /** Where the outcome is unknown the mark is sent again: written twice, it does no harm. */
  private async append(): Promise<void> {
    const { limiter, calls } = this.parts;
    const mark = jsonEvent({ id: randomUUID(), type: 'InstantPassed', data: {} });
    await limiter.run(() =>
      calls.make(({ client, options, milliseconds }) =>
        within(
          milliseconds,
          client.appendToStream(MARKS_STREAM, mark, { ...options, expectedRevision: ANY, deadline: milliseconds }),
        ),
      ),
    );
  }
}
