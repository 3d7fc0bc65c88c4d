import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  type AllStreamResolvedEvent,
  type ReadPosition,
  type RecordedEvent as ClientEvent,
} from '@eventstore/db-client';
import { AnotherEventLogError, type Position, type RecordedEvent, type StreamRange } from '../event-store.js';
import type { Calls } from './calls.js';
import { anotherLog, isNoPositionOfThisLog, isOfType } from './errors.js';
import { logPositionOf } from './positions.js';
import { readPage } from './read-page.js';
import { isOurs, recordedEvent, type PlacedEvent } from './recorded-event.js';

const STREAM_PAGE = 2_000;
const LOG_PAGE = 4_096;
/**
 * The number of events in which the head is first searched: one event, unless the last ones are system
 * events.
 */
const HEAD_PAGE = 8;

/**
 * Reads streams and the log in pages, each of them retried while the server is unavailable. Never requests
 * zero events: the server refuses that for a stream; for the log it does not answer, and is busy for
 * minutes.
 */
export class Reader {
  constructor(private readonly calls: Calls) {}

  /** The events of a stream in the client's form; empty if it does not exist or was soft-deleted. */
  async stream(
    stream: string,
    { from, direction = 'forwards', limit = Infinity }: StreamRange,
  ): Promise<readonly PlacedEvent[]> {
    const events: PlacedEvent[] = [];
    if (limit <= 0) return events;
    const step = direction === 'forwards' ? 1n : -1n;
    let revision: bigint | typeof START | typeof END =
      from === undefined ? (direction === 'forwards' ? START : END) : BigInt(from);
    for (;;) {
      const count = Math.min(STREAM_PAGE, limit - events.length);
      const page = await this.streamPage(stream, revision, direction, count);
      for (const event of page) if (isOurs(event)) events.push(event);
      const last = page.at(-1);
      if (last === undefined || page.length < count || events.length >= limit) return events;
      revision = last.revision + step;
      if (revision < 0n) return events;
    }
  }

  /**
   * A page of the log after a position, exclusive, without system events; shorter than `limit` only at the
   * end.
   */
  async log(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    if (limit <= 0) return events;
    let from: ReadPosition = after === null ? START : logPositionOf(after);
    for (;;) {
      // Inclusive: the event at the start is read again, and dropped.
      const count = Math.min(LOG_PAGE, limit - events.length + 1);
      const page: readonly AllStreamResolvedEvent[] = await this.logPage(from, FORWARDS, count);
      for (const { event } of page) {
        if (!isOurs(event)) continue;
        const recorded = recordedEvent(event);
        if (recorded.position > (events.at(-1)?.position ?? after ?? '') && events.length < limit)
          events.push(recorded);
      }
      const last = page.at(-1)?.event?.position;
      if (events.length >= limit || page.length < count || last === undefined) return events;
      from = last;
    }
  }

  /** Whether an event of the product is at the position. */
  async holds(position: Position): Promise<boolean> {
    try {
      // A read from a position includes the event there.
      const [found] = await this.logPage(logPositionOf(position), FORWARDS, 1);
      return isOurs(found?.event) && recordedEvent(found.event).position === position;
    } catch (error) {
      if (error instanceof AnotherEventLogError) return false;
      throw error;
    }
  }

  /** The last event of the log that is not a system event; null if there is none. */
  async last(): Promise<RecordedEvent | null> {
    let from: ReadPosition = END;
    let count = HEAD_PAGE;
    for (;;) {
      const page: readonly AllStreamResolvedEvent[] = await this.logPage(from, BACKWARDS, count);
      const found = page.find(({ event }) => isOurs(event));
      if (found?.event !== undefined) return recordedEvent(found.event);
      const first = page.at(-1)?.event?.position;
      if (page.length < count || first === undefined) return null;
      from = first;
      count = Math.min(count * 8, LOG_PAGE);
    }
  }

  /**
   * The recorded time of the log's last event by the server's clock, including system events; milliseconds
   * since 1970, null if there is none.
   */
  async lastStamp(): Promise<number | null> {
    const [last] = await this.logPage(END, BACKWARDS, 1);
    return last?.event?.created.getTime() ?? null;
  }

  private async streamPage(
    stream: string,
    fromRevision: bigint | typeof START | typeof END,
    direction: 'forwards' | 'backwards',
    maxCount: number,
  ): Promise<readonly ClientEvent[]> {
    return this.calls.make(async ({ client, options, milliseconds }) => {
      try {
        const range = { fromRevision, direction: direction === 'forwards' ? FORWARDS : BACKWARDS, maxCount } as const;
        const resolved = await readPage(client.readStream(stream, { ...options, ...range }), milliseconds);
        return resolved.flatMap(({ event }) => (event === undefined ? [] : [event]));
      } catch (error) {
        if (isOfType(error, 'stream-not-found')) return [];
        throw error;
      }
    });
  }

  private async logPage(
    fromPosition: ReadPosition,
    direction: typeof FORWARDS | typeof BACKWARDS,
    maxCount: number,
  ): Promise<readonly AllStreamResolvedEvent[]> {
    return this.calls.make(async ({ client, options, milliseconds }) => {
      try {
        return await readPage(client.readAll({ ...options, fromPosition, direction, maxCount }), milliseconds);
      } catch (error) {
        throw typeof fromPosition === 'object' && isNoPositionOfThisLog(error) ? anotherLog(error) : error;
      }
    });
  }
}
