import { randomUUID } from 'node:crypto';
import { ANY, jsonEvent } from '@eventstore/db-client';
import type { ConcurrencyLimiter } from '#database/concurrency-limiter.js';
import { InstantAheadError } from '../event-store.js';
import { type ClockReading, waitForClock } from '../wait-for-clock.js';
import { within, type Calls } from './calls.js';
import type { Reader } from './reader.js';
import { MARKS_STREAM } from './recorded-event.js';

/**
 * The maximum difference between two clocks, in milliseconds: an instant further ahead of this clock is
 * refused without asking the server.
 */
const SURELY_AHEAD_MILLISECONDS = 3_600_000;

/** The dependencies of {@link LogSettling}. */
export interface LogSettlingParts {
  readonly calls: Calls;
  readonly reader: Reader;
  /** Limits the calls in progress. */
  readonly limiter: ConcurrencyLimiter;
}

/**
 * Determines up to which instant EventStoreDB's log is settled. The leader stamps events (`created`) in the
 * one thread that writes them, and events become visible in the order of the log. So once an event is visible
 * that is stamped after an instant, every event before it is visible too, and every later one is stamped at
 * or after it: no more events with stamps up to the instant can appear. If the log has no such event yet, one
 * is appended to {@link MARKS_STREAM}; its acknowledgement means that it is visible.
 *
 * That holds as long as the leader's clock is not set back, by hand or by an election that a node with a
 * slower clock wins.
 */
export class LogSettling {
  /** The latest known stamp, in milliseconds since 1970. */
  private latest = -Infinity;
  private reading: Promise<ClockReading> | null = null;
  private marking: Promise<ClockReading> | null = null;

  constructor(private readonly parts: LogSettlingParts) {}

  /**
   * Resolves once no more events stamped at or before the instant can appear; throws as {@link
   * EventStore.settle} does.
   */
  async reach(instant: string): Promise<void> {
    const time = Date.parse(instant);
    if (this.latest > time) return;
    if (time - Date.now() > SURELY_AHEAD_MILLISECONDS) throw new InstantAheadError(instant);
    const { clock } = await this.read();
    if (clock <= time) await waitForClock(instant, () => this.mark());
  }

  /**
   * Reads the log's last event. Concurrent callers share one read, and one mark of {@link mark}, because the
   * result holds for all of them.
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
   * A stamp in whole milliseconds is at most one earlier than the event's own: no later event in the log has
   * an earlier stamp.
   */
  private async lastStamp(): Promise<ClockReading> {
    const { limiter, reader } = this.parts;
    const stamp = await limiter.run(() => reader.lastStamp());
    if (stamp !== null) this.latest = Math.max(this.latest, stamp);
    return { clock: this.latest };
  }

  /** If the outcome is unknown, the mark is sent again: a second mark is harmless. */
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
