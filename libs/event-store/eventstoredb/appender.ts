import { randomUUID } from 'node:crypto';
import { jsonEvent, NO_STREAM, type AppendResult } from '@eventstore/db-client';
import { StoreUnavailableError, WrongExpectedRevisionError, type Append, type Appended, type ExpectedRevision } from '../event-store.js';
import { serialiseAppend } from '../new-events.js';
import { within, type Attempt, type Calls } from './calls.js';
import { appendError, isOfType } from './errors.js';
import type { Reader } from './reader.js';
import { recordedEvent, storedMetadata, writtenBy, type PlacedEvent } from './recorded-event.js';

/** How much longer than the client's deadline our own timer waits, for what the deadline does not cover, in milliseconds. */
const DEADLINE_MARGIN = 500;

/** An append, perhaps with the times at which another store recorded its events. */
export interface TimedAppend extends Append {
  readonly recordedTimes?: readonly string[];
}

/** Appends through the single RPC, and finds out what became of an append whose answer was lost. */
export class Appender {
  constructor(
    private readonly calls: Calls,
    private readonly reader: Reader,
  ) {}

  /** As {@link EventStore.append}. */
  async append(append: TimedAppend): Promise<Appended> {
    serialiseAppend(append.stream, append.events);
    const call = randomUUID();
    try {
      const landed = await this.land(append, call);
      return appendedOf(landed, call);
    } catch (error) {
      throw appendError(error);
    }
  }

  private async land(append: TimedAppend, call: string): Promise<PlacedEvent> {
    try {
      // The same ids at the same revision: the server recognises a repeat, even after a restart.
      const { nextExpectedRevision } = await this.calls.make((attempt) => send(attempt, append, call));
      return await this.eventAt(append.stream, nextExpectedRevision);
    } catch (error) {
      if (!isOfType(error, 'wrong-expected-version')) throw error;
      return this.repeatOrConflict(append, append.expected, error);
    }
  }

  /** The event of a revision that was acknowledged. */
  async eventAt(stream: string, revision: bigint): Promise<PlacedEvent> {
    const [event] = await this.reader.stream(stream, { from: Number(revision), limit: 1 });
    if (event?.revision !== revision) throw new StoreUnavailableError(`the append to ${stream} landed and cannot be read yet`);
    return event;
  }

  /** The last event of an append that the server refused although it had recorded it. Throws {@link WrongExpectedRevisionError}. */
  async repeatOrConflict({ stream, events }: Append, expected: 'none' | number, refusal: unknown): Promise<PlacedEvent> {
    const from = expected === 'none' ? 0 : expected + 1;
    const present = await this.reader.stream(stream, { from, limit: events.length });
    const repeated = present.length === events.length && present.every((event, index) => event.id === events[index]!.id);
    if (repeated && present[0]?.revision === BigInt(from)) return present.at(-1)!;
    throw new WrongExpectedRevisionError(stream, expected, actualOf(refusal) ?? (await this.lastRevision(stream)));
  }

  private async lastRevision(stream: string): Promise<number | null> {
    const [last] = await this.reader.stream(stream, { direction: 'backwards', limit: 1 });
    return last === undefined ? null : Number(last.revision);
  }
}

function send(
  { client, options, milliseconds }: Attempt,
  { stream, expected, events, recordedTimes }: TimedAppend,
  call: string,
): Promise<AppendResult> {
  const proposed = events.map((event, index) =>
    jsonEvent({ id: event.id, type: event.type, data: event.data, metadata: storedMetadata(event, call, recordedTimes?.[index]) }),
  );
  const sent = client.appendToStream(stream, proposed, { ...options, expectedRevision: revisionOf(expected), deadline: milliseconds });
  return within(milliseconds + DEADLINE_MARGIN, sent);
}

function revisionOf(expected: ExpectedRevision): bigint | typeof NO_STREAM {
  return expected === 'none' ? NO_STREAM : BigInt(expected);
}

function actualOf(refusal: unknown): number | null {
  const { actualVersion } = refusal as { actualVersion?: unknown };
  return typeof actualVersion === 'bigint' ? Number(actualVersion) : null;
}

/** What an append answers, by its last event. */
export function appendedOf(last: PlacedEvent, call: string): Appended {
  const { revision, position, recordedAt } = recordedEvent(last);
  return { revision, position, recordedAt, repeated: writtenBy(last) !== call };
}
