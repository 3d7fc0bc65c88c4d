import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Attempt, Calls } from './calls.js';
import { AnsweredError, NoAnswerError } from './errors.js';
import { batchAppendRequest, batchAppendResponse, type BatchAppendResponse } from './messages.js';
import type { Place, PreparedAppend } from './prepared-append.js';
import type { StreamsCall } from './streams-client.js';

/** What came of an append; the error says that its stream was at another revision. */
export type BatchOutcome = Place | AnsweredError;

/** How appends are sent. */
export interface BatchSettings {
  /** Sends nothing more once an append was refused; what was in flight by then has an outcome as well. */
  readonly stopsAtRefusal: boolean;
}

/** Appends in flight, by number and by bytes. */
const MOST_IN_FLIGHT = 256;
const MOST_BYTES_IN_FLIGHT = 4_000_000;

type BatchCall = ClientDuplexStream<Buffer, BatchAppendResponse>;

/**
 * Makes appends over one call of BatchAppend, which the server takes and records in the order in which they were sent; appends whose outcome
 * is unknown are sent again, with all after them, in the same order. Whatever part of them had landed, each lands after the one before it:
 * a connection delivers a beginning of what was sent, and a repeat changes nothing. Only a server that refuses one append for a moment and
 * takes the next one breaks that, so after each failure the first append is sent alone. An undefined outcome was not sent.
 */
export async function appendInOrder(
  calls: Calls,
  appends: readonly PreparedAppend[],
  settings: BatchSettings,
): Promise<readonly (BatchOutcome | undefined)[]> {
  const batch = new Batch(appends, settings);
  await calls.make(({ client, options, milliseconds }: Attempt) => client.call(options, (call) => batch.attempt(open(call), milliseconds)));
  return batch.outcomes;
}

function open({ client, metadata, options }: StreamsCall): BatchCall {
  const { path } = streamsService.StreamsService.batchAppend;
  return client.makeBidiStreamRequest(path, (message: Buffer) => message, batchAppendResponse, metadata, options);
}

class Batch {
  readonly outcomes: (BatchOutcome | undefined)[];
  private isRefused = false;

  constructor(
    private readonly appends: readonly PreparedAppend[],
    private readonly settings: BatchSettings,
  ) {
    this.outcomes = appends.map(() => undefined);
  }

  /** Sends what has no outcome. Throws where one remains unknown: {@link NoAnswerError} when nothing is answered for so long. */
  async attempt(call: BatchCall, milliseconds: number): Promise<void> {
    const inFlight = new InFlight(call, this.appends);
    let next = 0;
    let mostInFlight = 1;
    let timer: NodeJS.Timeout | undefined;
    const sendMore = (): boolean => {
      while (next < this.appends.length && !this.isOver && inFlight.hasRoom(mostInFlight)) {
        if (this.outcomes[next] === undefined) inFlight.send(next);
        next += 1;
      }
      return inFlight.count > 0;
    };
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(new NoAnswerError(milliseconds)), milliseconds);
        // Stays after the end: cancelling makes an error, too.
        call.on('error', reject);
        call.on('end', () => reject(new NoAnswerError(milliseconds)));
        call.on('data', (response: BatchAppendResponse) => {
          const place = inFlight.answered(response);
          if (place === null) return;
          const outcome = outcomeOf(response);
          if (outcome instanceof AnsweredError && outcome.type !== 'wrong-expected-version') return reject(outcome);
          this.outcomes[place] = outcome;
          this.isRefused ||= outcome instanceof AnsweredError;
          mostInFlight = MOST_IN_FLIGHT;
          timer?.refresh();
          if (!sendMore()) resolve();
        });
        if (!sendMore()) resolve();
      });
    } finally {
      clearTimeout(timer);
      // The server does not end the call when the client does.
      call.cancel();
    }
  }

  private get isOver(): boolean {
    return this.isRefused && this.settings.stopsAtRefusal;
  }
}

/** What was sent over one call and is not answered. */
class InFlight {
  private readonly places = new Map<string, { readonly place: number; readonly bytes: number }>();
  private bytes = 0;

  constructor(
    private readonly call: BatchCall,
    private readonly appends: readonly PreparedAppend[],
  ) {}

  get count(): number {
    return this.places.size;
  }

  hasRoom(most: number): boolean {
    return this.places.size < most && this.bytes < MOST_BYTES_IN_FLIGHT;
  }

  send(place: number): void {
    const append = this.appends[place]!;
    const correlation = randomUUID();
    const bytes = append.events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    this.places.set(correlation, { place, bytes });
    this.bytes += bytes;
    this.call.write(batchAppendRequest(append, correlation));
  }

  /** The place of the append that was answered; null for an answer to none. */
  answered({ correlation }: BatchAppendResponse): number | null {
    const sent = this.places.get(correlation);
    if (sent === undefined) return null;
    this.places.delete(correlation);
    this.bytes -= sent.bytes;
    return sent.place;
  }
}

/** `type.googleapis.com/event_store.client.X`: what of each kind the client calls it, and whether the outcome is known by it. */
const TYPES: Readonly<Record<string, string>> = {
  WrongExpectedVersion: 'wrong-expected-version',
  StreamDeleted: 'stream-deleted',
  MaximumAppendSizeExceeded: 'maximum-append-size-exceeded',
  AccessDenied: 'access-denied',
  BadRequest: 'bad-request',
  Timeout: 'timeout',
  // Said of a server that is starting, is too busy or knows no leader.
  Empty: 'unavailable',
};

function outcomeOf({ place, message }: BatchAppendResponse): BatchOutcome {
  if (place !== null) return place;
  const error = streams.BatchAppendResp.deserializeBinary(message).getError();
  const details = error?.getDetails();
  const name = details?.getTypeName().split('.').at(-1) ?? '';
  const wrong = name === 'WrongExpectedVersion' ? shared.WrongExpectedVersion.deserializeBinary(details!.getValue_asU8()) : null;
  const actual = wrong?.hasCurrentStreamRevision() === true ? BigInt(wrong.getCurrentStreamRevision()) : null;
  return new AnsweredError(TYPES[name] ?? 'unavailable', error?.getMessage() ?? 'the server answered neither success nor failure', actual);
}
