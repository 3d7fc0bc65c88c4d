import { setTimeout as pause } from 'node:timers/promises';
import type { handleServerStreamingCall, ServiceError } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Appending } from './appending.js';
import type { LoggedEvent } from './events.js';
import { Outlet, type ReadCall, type ReadMessage } from './outlet.js';
import { LogSubscription, type Subscriptions } from './subscriptions.js';
import { handlerError, streamDeletedError, unknownPlaceError, streamIdentifier, streamName } from './wire.js';

/** Streams.Read: streams and the log in both directions, and subscriptions to the log. */
export function readHandler(
  appending: Appending,
  subscriptions: Subscriptions,
): handleServerStreamingCall<streams.ReadReq, ReadMessage> {
  return (call) => {
    call.on('error', () => undefined);
    if (appending.faults.hanging) return;
    const refusal = appending.refusal(call.metadata);
    if (refusal !== null) return fail(call, refusal);
    try {
      const options = call.request.getOptions();
      if (options === undefined) throw handlerError();
      // As measured: a real server never answers a read of zero events from the log, and refuses one from a
      // stream.
      if (options.hasAll() && options.hasCount() && Number(options.getCount()) === 0) return;
      if (options.hasSubscription())
        subscriptions.add(
          new LogSubscription(appending, call, startOfSubscription(appending, options), subscriptions.settings),
        );
      else
        void send(
          call,
          options.hasAll() ? logPage(appending, options) : streamPage(appending, options),
          appending.faults.readDelay,
        );
    } catch (error) {
      fail(call, error as ServiceError);
    }
  };
}

function fail(call: ReadCall, error: ServiceError): void {
  call.emit('error', error);
}

async function send(call: ReadCall, messages: readonly ReadMessage[], delay: number): Promise<void> {
  if (delay > 0) await pause(delay);
  const outlet = new Outlet(call);
  for (const message of messages) {
    if (outlet.isClosed) return;
    const read = outlet.write(message);
    if (read !== undefined) await read;
  }
  call.end();
}

function countOf(options: streams.ReadReq.Options): number {
  const count = Number(options.getCount());
  if (count === 0) throw handlerError();
  return count;
}

const isBackwards = (options: streams.ReadReq.Options): boolean => Number(options.getReadDirection()) === 1;

function streamPage({ log }: Appending, options: streams.ReadReq.Options): readonly ReadMessage[] {
  const from = options.getStream();
  const name = streamName(from?.getStreamIdentifier());
  const count = countOf(options);
  if (from === undefined || name === '') throw handlerError();
  if (log.isTombstoned(name)) throw streamDeletedError(name);
  if (from.hasEnd() && !isBackwards(options)) throw handlerError();
  const events = log.visible(name);
  if (events === null) {
    const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(name));
    return [new streams.ReadResp().setStreamNotFound(missing)];
  }
  // Revisions have no gaps.
  const place = Number(BigInt(from.hasRevision() ? from.getRevision() : 0) - events[0]!.revision);
  const last = from.hasEnd() ? events.length : Math.min(place + 1, events.length);
  const selected = isBackwards(options)
    ? events.slice(Math.max(last - count, 0), Math.max(last, 0)).reverse()
    : events.slice(Math.max(place, 0), Math.max(place, 0) + count);
  return selected.map(messageOf);
}

function logPage({ log }: Appending, options: streams.ReadReq.Options): readonly ReadMessage[] {
  const count = countOf(options);
  const place = placeOf(options, (position) => log.placeOf(position), log.events.length, unknownPlaceError);
  // Inclusive forwards, exclusive backwards.
  const selected: readonly LoggedEvent[] = isBackwards(options)
    ? log.events.slice(Math.max(place - count, 0), place).reverse()
    : log.events.slice(place, place + count);
  return selected.map(messageOf);
}

function messageOf({ message }: LoggedEvent): Buffer {
  return message;
}

/** Returns the index of the first event for a subscription, which starts after the given position. */
function startOfSubscription({ log }: Appending, options: streams.ReadReq.Options): number {
  if (!options.hasAll()) throw handlerError();
  const place = placeOf(options, (position) => log.placeOf(position), log.events.length);
  return options.getAll()?.hasPosition() === true ? Math.min(place + 1, log.events.length) : place;
}

function placeOf(
  options: streams.ReadReq.Options,
  find: (position: bigint) => number | null,
  length: number,
  unknown: () => ServiceError = handlerError,
): number {
  const all = options.getAll();
  if (all === undefined) throw handlerError();
  if (all.hasStart()) return 0;
  if (all.hasEnd()) return length;
  const commit = BigInt(all.getPosition()?.getCommitPosition() ?? '0');
  const prepare = BigInt(all.getPosition()?.getPreparePosition() ?? '0');
  const place = prepare > commit ? null : find(commit);
  if (place === null) throw unknown();
  return place;
}
