import { setTimeout as pause } from 'node:timers/promises';
import type { handleBidiStreamingCall, Metadata } from '@grpc/grpc-js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import grpcStatus from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { bytesOf, MAXIMUM_APPEND_SIZE, proposedFrom, writeAppend, type Appending, type ProposedMessage } from './appending.js';
import type { BatchRequest } from './batch-request.js';
import type { Expected } from './expected-version.js';
import type { ProposedEvent } from './events.js';
import { isEventId, streamName } from './wire.js';

const ALREADY_EXISTS = 6;
const NOT_FOUND = 5;
const INVALID_ARGUMENT = 3;
const UNAVAILABLE = 14;

interface Pending {
  readonly options: streams.BatchAppendReq.Options;
  readonly messages: ProposedMessage[];
}

/** Streams.BatchAppend: one long call, many appends, each answered by its correlation id. */
export function batchAppendHandler(appending: Appending): handleBidiStreamingCall<BatchRequest, streams.BatchAppendResp> {
  return (call) => {
    const pending = new Map<string, Pending>();
    call.on('error', () => undefined);
    // A half-close by the client does not end the call.
    call.on('data', ({ correlation, options, messages, isFinal }: BatchRequest) => {
      if (options !== undefined) pending.set(correlation, { options, messages: [] });
      const append = pending.get(correlation);
      append?.messages.push(...messages);
      if (append === undefined || !isFinal) return;
      pending.delete(correlation);
      if (appending.faults.hanging) return;
      void answer(appending, append, call.metadata).then((response) => {
        if (response === null || call.cancelled) return;
        call.write(
          response.setCorrelationId(new shared.UUID().setString(correlation)).setStreamIdentifier(append.options.getStreamIdentifier()),
        );
      });
    });
  };
}

/** Writes an append after those that came before it. Null: it gets no answer. */
async function answer(appending: Appending, append: Pending, metadata: Metadata): Promise<streams.BatchAppendResp | null> {
  const { faults } = appending;
  const fault = faults.nextAppendFault();
  if (fault === 'unanswered-before-writing') return null;
  if (fault === 'before-writing') return notReady();
  const time = Date.now();
  await appending.commits.turn(faults.commitDelay);
  const response = responseTo(appending, append, metadata, time);
  if (fault === 'unanswered-after-writing') return null;
  if (fault === 'after-writing')
    return failure(UNAVAILABLE, 'Timeout', 'type.googleapis.com/event_store.client.Timeout', new shared.Timeout());
  if (faults.appendDelay > 0) await pause(faults.appendDelay);
  return response;
}

function notReady(): streams.BatchAppendResp {
  return failure(UNAVAILABLE, 'Server Is Not Ready', 'type.googleapis.com/google.protobuf.Empty', new empty.Empty());
}

function responseTo(appending: Appending, { options, messages }: Pending, metadata: Metadata, time: number): streams.BatchAppendResp {
  if (appending.refusal(metadata) !== null) return notReady();
  const stream = streamName(options.getStreamIdentifier());
  const events: ProposedEvent[] = [];
  for (const message of messages) {
    const { id } = message;
    if (!isEventId(id)) return refused(INVALID_ARGUMENT, 'BadRequest', new shared.BadRequest().setMessage(`${id} is not an event id`));
    events.push(proposedFrom(message));
  }
  if (bytesOf(events) > MAXIMUM_APPEND_SIZE) {
    return refused(
      INVALID_ARGUMENT,
      'MaximumAppendSizeExceeded',
      new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAXIMUM_APPEND_SIZE),
    );
  }
  const expected = expectedOf(options);
  const verdict = writeAppend(appending, stream, expected, events, time);
  if (verdict.kind === 'deleted')
    return refused(NOT_FOUND, 'StreamDeleted', new shared.StreamDeleted().setStreamIdentifier(options.getStreamIdentifier()));
  if (verdict.kind === 'wrong') return refused(ALREADY_EXISTS, 'WrongExpectedVersion', wrongVersion(expected, verdict.actual));
  const last = verdict.last!;
  const position = new shared.AllStreamPosition().setCommitPosition(String(last.position)).setPreparePosition(String(last.position));
  return new streams.BatchAppendResp().setSuccess(
    new streams.BatchAppendResp.Success().setCurrentRevision(String(last.revision)).setPosition(position),
  );
}

function wrongVersion(expected: Expected, actual: bigint): shared.WrongExpectedVersion {
  const wrong = new shared.WrongExpectedVersion();
  if (actual < 0n) wrong.setCurrentNoStream(new empty.Empty());
  else wrong.setCurrentStreamRevision(String(actual));
  if (expected === 'no_stream') return wrong.setExpectedNoStream(new empty.Empty());
  if (expected === 'stream_exists') return wrong.setExpectedStreamExists(new empty.Empty());
  return expected === 'any' ? wrong.setExpectedAny(new empty.Empty()) : wrong.setExpectedStreamPosition(String(expected));
}

function refused(code: number, name: string, details: { serializeBinary(): Uint8Array }): streams.BatchAppendResp {
  return failure(code, name, `type.googleapis.com/event_store.client.${name}`, details);
}

function failure(code: number, message: string, typeUrl: string, details: { serializeBinary(): Uint8Array }): streams.BatchAppendResp {
  const packed = new any.Any();
  packed.setTypeUrl(typeUrl);
  packed.setValue(details.serializeBinary());
  return new streams.BatchAppendResp().setError(new grpcStatus.Status().setCode(code).setMessage(message).setDetails(packed));
}

function expectedOf(options: streams.BatchAppendReq.Options): Expected {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return options.hasStreamPosition() ? BigInt(options.getStreamPosition()) : 'any';
}
