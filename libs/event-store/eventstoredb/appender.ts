import { randomUUID } from 'node:crypto';
import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { StoreUnavailableError, WrongExpectedRevisionError, type Append, type Appended } from '../event-store.js';
import { serialiseAppend } from '../new-events.js';
import { within, type Calls } from './calls.js';
import { appendError, isOfType } from './errors.js';
import type { Reader } from './reader.js';
import { recordedEvent, storedMetadata, writtenBy, type PlacedEvent } from './recorded-event.js';

/** An append, optionally with the times at which another store recorded its events. */
export interface TimedAppend extends Append {
  readonly recordedTimes?: readonly string[];
}

/** The revision and the position of an append's last event; the server omits the position of some repeats. */
type WrittenAt = Pick<PlacedEvent, 'revision'> & Partial<Pick<PlacedEvent, 'position'>>;

/** Appends through the single RPC, and determines the outcome of an append whose response was lost. */
export class Appender {
  constructor(
    private readonly calls: Calls,
    private readonly reader: Reader,
  ) {}

  /**
   * Implements `EventStore.append`. The server's response lacks the recorded time, so the last event is read.
   */
  async append(append: Append): Promise<Appended> {
    const call = randomUUID();
    const { revision } = await this.write(append, call);
    const last = await this.eventAt(append.stream, revision);
    return { ...placeOf(last), repeated: writtenBy(last) !== call };
  }

  /**
   * Appends without reading the recorded time. Returns the position of the last event. Throws the errors of
   * {@link append}.
   */
  async import(append: TimedAppend): Promise<NonNullable<PlacedEvent['position']>> {
    const { revision, position } = await this.write(append, randomUUID());
    return position ?? (await this.eventAt(append.stream, revision)).position;
  }

  /**
   * Sends the same ids at the same revision, and again if the outcome is unknown: the server recognises a
   * repeat, even after a restart.
   */
  private async write({ stream, expected, events, recordedTimes }: TimedAppend, call: string): Promise<WrittenAt> {
    serialiseAppend(stream, events);
    const proposed = events.map((event, index) =>
      jsonEvent({
        id: event.id,
        type: event.type,
        data: event.data,
        metadata: storedMetadata(event, call, recordedTimes?.[index]),
      }),
    );
    const expectedRevision = expected === 'none' ? NO_STREAM : BigInt(expected);
    try {
      const { nextExpectedRevision: revision, position } = await this.calls.make(({ client, options, milliseconds }) =>
        within(
          milliseconds,
          client.appendToStream(stream, proposed, { ...options, expectedRevision, deadline: milliseconds }),
        ),
      );
      return position === undefined ? { revision } : { revision, position };
    } catch (error) {
      if (!isOfType(error, 'wrong-expected-version')) throw appendError(error);
      return this.repeatOrConflict({ stream, expected, events }, error);
    }
  }

  /** Returns the event of an acknowledged revision. */
  private async eventAt(stream: string, revision: bigint): Promise<PlacedEvent> {
    const [event] = await this.reader.stream(stream, { from: Number(revision), limit: 1 });
    if (event?.revision !== revision)
      throw new StoreUnavailableError(`the append to ${stream} was acknowledged and cannot be read yet`);
    return event;
  }

  /**
   * Returns the last event of an append that the server refused although it had recorded it. Throws {@link
   * WrongExpectedRevisionError}.
   */
  private async repeatOrConflict({ stream, expected, events }: Append, refusal: unknown): Promise<PlacedEvent> {
    const from = expected === 'none' ? 0 : expected + 1;
    const present = await this.reader.stream(stream, { from, limit: events.length });
    const isRepeat =
      present.length === events.length && present.every((event, index) => event.id === events[index]!.id);
    if (isRepeat && present[0]!.revision === BigInt(from)) return present.at(-1)!;
    const { actualVersion } = refusal as { readonly actualVersion?: unknown };
    throw new WrongExpectedRevisionError(
      stream,
      expected,
      typeof actualVersion === 'bigint' ? Number(actualVersion) : null,
    );
  }
}

function placeOf(event: PlacedEvent): Pick<Appended, 'revision' | 'position' | 'recordedAt'> {
  const { revision, position, recordedAt } = recordedEvent(event);
  return { revision, position, recordedAt };
}
