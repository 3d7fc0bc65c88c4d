import { randomUUID } from 'node:crypto';
import { ANY, jsonEvent, NO_STREAM, type AppendResult } from '@eventstore/db-client';
import { InvalidAppendError, StoreUnavailableError, WrongExpectedRevisionError, type Append, type Appended, type ExpectedRevision } from '../event-store.js';
import { serialiseAppend } from '../validate-append.js';
import type { Connection } from './connection.js';
import { describe, isOfType, isOutcomeUnknown } from './errors.js';
import type { Reader } from './reader.js';
import { recordedEvent, storedMetadata, writtenBy, type PlacedEvent } from './recorded-event.js';
import { retrying, within, type Patience } from './retrying.js';

/** How much longer than the client's deadline our own timer waits, for what the deadline does not cover, in milliseconds. */
const DEADLINE_MARGIN = 500;
/** How far behind a stream's end an `any` append of unknown outcome is looked for, beside its own events. */
const OTHERS_AT_THE_END = 100;

/** Appends through the single RPC, and finds out what became of an append whose answer was lost. */
export class Appender {
  constructor(
    private readonly connection: Connection,
    private readonly reader: Reader,
    private readonly patience: Patience,
    private readonly closing: AbortSignal,
  ) {}

  /** As {@link EventStore.append}. */
  async append(append: Append): Promise<Appended> {
    serialiseAppend(append.stream, append.events);
    const call = randomUUID();
    try {
      const landed = await this.send(append, call);
      return appendedOf(landed, call);
    } catch (error) {
      if (describe(error).type === 'maximum-append-size-exceeded') throw new InvalidAppendError('the append is over the limit of the server');
      throw error;
    }
  }

  private async send(append: Append, call: string): Promise<PlacedEvent> {
    if (append.expected === 'any') return this.sendOnce(append, call);
    try {
      // The same ids at the same revision: the server knows a repeat, even after a restart.
      const { nextExpectedRevision } = await retrying(this.patience, this.closing, (milliseconds) => this.attempt(append, call, milliseconds));
      return await this.eventAt(append.stream, nextExpectedRevision);
    } catch (error) {
      if (!isOfType(error, 'wrong-expected-version')) throw error;
      return this.repeatOrConflict(append, append.expected, error);
    }
  }

  /** With `any` the server does not know repeats for good, so an append of unknown outcome is looked for and never sent again. */
  private async sendOnce(append: Append, call: string): Promise<PlacedEvent> {
    try {
      const { nextExpectedRevision } = await this.attempt(append, call, this.patience.attempt);
      return await this.eventAt(append.stream, nextExpectedRevision);
    } catch (cause) {
      if (!isOutcomeUnknown(cause)) throw cause;
      const limit = append.events.length + OTHERS_AT_THE_END;
      const atTheEnd = await this.reader.stream(append.stream, { direction: 'backwards', limit });
      const landed = atTheEnd.find((event) => writtenBy(event) === call);
      if (landed !== undefined) return landed;
      throw new StoreUnavailableError('EventStoreDB did not answer, and the append was not found', { cause });
    }
  }

  private async attempt({ stream, expected, events }: Append, call: string, deadline: number): Promise<AppendResult> {
    const { client, credentials } = this.connection;
    const proposed = events.map((event) => jsonEvent({ id: event.id, type: event.type, data: event.data, metadata: storedMetadata(event, call) }));
    const result = await within(
      deadline + DEADLINE_MARGIN,
      client.appendToStream(stream, proposed, { expectedRevision: revisionOf(expected), credentials, deadline }),
    );
    // Where the connection string turns refusals into results.
    if (!result.success) throw Object.assign(new Error('refused'), { type: 'wrong-expected-version' });
    return result;
  }

  private async eventAt(stream: string, revision: bigint): Promise<PlacedEvent> {
    const [event] = await this.reader.stream(stream, { from: Number(revision), limit: 1 });
    if (event?.revision !== revision) throw new StoreUnavailableError(`the append to ${stream} landed and cannot be read yet`);
    return event;
  }

  private async repeatOrConflict({ stream, events }: Append, expected: 'none' | number, refusal: unknown): Promise<PlacedEvent> {
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

function revisionOf(expected: ExpectedRevision): bigint | typeof ANY | typeof NO_STREAM {
  if (expected === 'any') return ANY;
  return expected === 'none' ? NO_STREAM : BigInt(expected);
}

function actualOf(refusal: unknown): number | null {
  const { actualVersion } = refusal as { actualVersion?: unknown };
  return typeof actualVersion === 'bigint' ? Number(actualVersion) : null;
}

function appendedOf(last: PlacedEvent, call: string): Appended {
  const { revision, position, recordedAt } = recordedEvent(last);
  return { revision, position, recordedAt, repeated: writtenBy(last) !== call };
}
