import { setTimeout as pause } from 'node:timers/promises';
import type { handleClientStreamingCall, handleUnaryCall, Metadata, sendUnaryData, ServiceError } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ExpectedVersions, Verdict } from './expected-version.js';
import type { Faults } from './faults.js';
import type { Expected, LoggedEvent, ProposedEvent } from './events.js';
import type { Log } from './log.js';
import {
  appendedMessage,
  handlerError,
  isEventId,
  nothingAppendedMessage,
  rpcError,
  streamDeletedError,
  streamName,
  wrongVersionMessage,
} from './wire.js';

/** The limit for an append, data and metadata together, in bytes. */
export const MAX_APPEND_SIZE = 1_048_576;

/** The state that the handlers share. */
export interface Appending {
  readonly log: Log;
  readonly versions: ExpectedVersions;
  readonly faults: Faults;
  readonly commits: CommitQueue;
  /**
   * Returns the error of a call with this metadata: the server is starting, is not the leader, or refuses the
   * user; null for none.
   */
  refusal(metadata: Metadata): ServiceError | null;
}

/** Makes appends visible in the order of their time stamps, however long each of them takes. */
export class CommitQueue {
  private last: Promise<void> | null = null;

  /**
   * Resolves when an append that was stamped now becomes visible: after `delay` milliseconds, and not before
   * earlier appends.
   */
  async turn(delay: number): Promise<void> {
    if (delay === 0 && this.last === null) return;
    const own = Promise.all([this.last, pause(delay, undefined, { ref: false })]).then(() => {
      if (this.last === own) this.last = null;
    });
    this.last = own;
    await own;
  }
}

type WrittenVerdict =
  Exclude<Verdict, { kind: 'write' }> | { readonly kind: 'written'; readonly last: LoggedEvent | undefined };

/** Checks an append, and writes it if it is accepted. */
export function writeAppend(
  { log, versions }: Appending,
  stream: string,
  expected: Expected,
  events: readonly ProposedEvent[],
  time = Date.now(),
): WrittenVerdict {
  const verdict = versions.judge(stream, expected, events);
  if (verdict.kind !== 'write') return verdict;
  const written = log.write(stream, events, time);
  versions.remember(written);
  return { kind: 'written', last: written.at(-1) };
}

export function bytesOf(events: readonly ProposedEvent[]): number {
  return events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
}

/** Streams.Append: one call, one append. */
export function appendHandler(appending: Appending): handleClientStreamingCall<streams.AppendReq, streams.AppendResp> {
  return (call, answer) => {
    const requests: streams.AppendReq[] = [];
    call.on('data', (request: streams.AppendReq) => requests.push(request));
    call.on('error', () => undefined);
    call.on('end', () => void answerAppend(appending, requests, call.metadata, answer));
  };
}

async function answerAppend(
  appending: Appending,
  requests: readonly streams.AppendReq[],
  metadata: Metadata,
  answer: sendUnaryData<streams.AppendResp>,
): Promise<void> {
  const { faults } = appending;
  const refusal = appending.refusal(metadata);
  if (refusal !== null) return answer(refusal);
  if (faults.hanging) return;
  const fault = faults.nextAppendFault();
  if (fault === 'before-writing') return answer(rpcError(status.UNAVAILABLE, 'failed as told, before writing'));
  if (fault === 'unanswered-before-writing') return;
  let response: streams.AppendResp;
  try {
    const time = Date.now();
    await appending.commits.turn(faults.commitDelay);
    response = responseTo(appending, requests, time);
  } catch (error) {
    return answer(error as ServiceError);
  }
  if (fault === 'after-writing') return answer(rpcError(status.UNAVAILABLE, 'failed as told, after writing'));
  if (fault === 'unanswered-after-writing') return;
  if (faults.appendDelay > 0) await pause(faults.appendDelay);
  answer(null, response);
}

function responseTo(appending: Appending, requests: readonly streams.AppendReq[], time: number): streams.AppendResp {
  const options = requests[0]?.getOptions();
  const stream = streamName(options?.getStreamIdentifier());
  if (options === undefined || stream === '') throw handlerError();
  const events = requests.slice(1).map((request) => proposedEvent(request.getProposedMessage()));
  if (bytesOf(events) > MAX_APPEND_SIZE) throw tooBigError();
  const expected = expectedOf(options);
  if (events.length === 0) return nothingAppendedMessage(appending.log.lastRevision(stream));
  const verdict = writeAppend(appending, stream, expected, events, time);
  if (verdict.kind === 'deleted') throw streamDeletedError(stream);
  if (verdict.kind === 'wrong') return wrongVersionMessage(expected, verdict.actual);
  return appendedMessage(verdict.last!);
}

function proposedEvent(message: streams.AppendReq.ProposedMessage | undefined): ProposedEvent {
  const id = message?.getId()?.getString() ?? '';
  if (message === undefined || !isEventId(id)) throw handlerError();
  const properties = message.getMetadataMap();
  return proposedFrom({
    id,
    type: properties.get('type'),
    contentType: properties.get('content-type'),
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  });
}

/** An event as a client sends it. */
export interface ProposedMessage {
  readonly id: string;
  readonly type: string | undefined;
  readonly contentType: string | undefined;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** Returns the event of a message whose id is valid. */
export function proposedFrom({ id, type, contentType, data, metadata }: ProposedMessage): ProposedEvent {
  if (type === undefined || contentType === undefined) {
    const trailers = {
      exception: 'missing-required-metadata-property',
      'required-metadata-properties': 'type,content-type',
    };
    throw rpcError(status.INVALID_ARGUMENT, 'Required Metadata Property type,content-type is missing', trailers);
  }
  // With any other content type, the server silently stores nothing.
  const isKnown = contentType === 'application/json' || contentType === 'application/octet-stream';
  return { id: id.toLowerCase(), type, contentType, data: isKnown ? data : Buffer.alloc(0), metadata };
}

function tooBigError(): ServiceError {
  const trailers = { exception: 'maximum-append-size-exceeded', 'maximum-append-size': String(MAX_APPEND_SIZE) };
  return rpcError(status.INVALID_ARGUMENT, `Maximum Append Size of ${MAX_APPEND_SIZE} Exceeded.`, trailers);
}

type DeletionOptions = streams.DeleteReq.Options | streams.TombstoneReq.Options;

function expectedOf(options: streams.AppendReq.Options | DeletionOptions): Expected {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return options.hasRevision() ? BigInt(options.getRevision()) : 'any';
}

/** Streams.Delete: hides the current events of the stream. */
export function deleteHandler(appending: Appending): handleUnaryCall<streams.DeleteReq, streams.DeleteResp> {
  return ({ request }, answer) => {
    try {
      const last = deletion(appending, request.getOptions(), false);
      const position = new streams.DeleteResp.Position()
        .setCommitPosition(String(last.position))
        .setPreparePosition(String(last.position));
      answer(null, new streams.DeleteResp().setPosition(position));
    } catch (error) {
      answer(error as ServiceError);
    }
  };
}

/** Streams.Tombstone: ends a stream permanently. */
export function tombstoneHandler(appending: Appending): handleUnaryCall<streams.TombstoneReq, streams.TombstoneResp> {
  return ({ request }, answer) => {
    try {
      const last = deletion(appending, request.getOptions(), true);
      const position = new streams.TombstoneResp.Position()
        .setCommitPosition(String(last.position))
        .setPreparePosition(String(last.position));
      answer(null, new streams.TombstoneResp().setPosition(position));
    } catch (error) {
      answer(error as ServiceError);
    }
  };
}

function deletion({ log }: Appending, options: DeletionOptions | undefined, isForGood: boolean): LoggedEvent {
  const stream = streamName(options?.getStreamIdentifier());
  if (options === undefined || stream === '') throw handlerError();
  if (log.isTombstoned(stream)) throw streamDeletedError(stream);
  const expected = expectedOf(options);
  const actual = log.lastRevision(stream);
  const place = expected === 'no_stream' ? -1n : expected;
  const isWrong = typeof place === 'bigint' ? place !== actual : actual < 0n && !isForGood;
  if (isWrong) {
    const number =
      expected === 'any'
        ? '-2'
        : expected === 'no_stream'
          ? '-1'
          : expected === 'stream_exists'
            ? '-4'
            : String(expected);
    const trailers = {
      exception: 'wrong-expected-version',
      'stream-name': encodeURIComponent(stream),
      'expected-version': number,
      'actual-version': String(actual),
    };
    throw rpcError(status.FAILED_PRECONDITION, 'Append failed due to WrongExpectedVersion.', trailers);
  }
  return isForGood ? log.tombstone(stream) : log.softDelete(stream);
}
