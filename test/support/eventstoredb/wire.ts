import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Expected, LoggedEvent } from './events.js';

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** The "no stream" of 20.6 servers: 2^64 - 1, or the nearest number in JavaScript. */
const NO_STREAM_20_6 = 2 ** 64 - 2_048;

/** Whether the server can parse the id; it also refuses the id of zeros. */
export function isEventId(id: string): boolean {
  return UUID_PATTERN.test(id) && id !== NIL_UUID;
}

/** Returns an error of an RPC, with its trailers. */
export function rpcError(code: status, details: string, trailers: Readonly<Record<string, string>> = {}): ServiceError {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

/** Returns the server's error for an exception in its handler. */
export function handlerError(): ServiceError {
  return rpcError(status.UNKNOWN, 'Exception was thrown by handler.');
}

/** Returns the server's error for a read of the log from a position at which none of its events is. */
export function unknownPlaceError(): ServiceError {
  return rpcError(status.UNKNOWN, 'Unexpected ReadAllResult: Error');
}

export function streamDeletedError(stream: string): ServiceError {
  const name = encodeURIComponent(stream);
  return rpcError(status.FAILED_PRECONDITION, `Event stream '${name}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': name,
  });
}

export function notReadyError(): ServiceError {
  return rpcError(status.UNAVAILABLE, 'Server Is Not Ready');
}

/** Returns the error of a follower for a call that only the leader may answer. */
export function notLeaderError(leader: { readonly address: string; readonly port: number }): ServiceError {
  const trailers = {
    exception: 'not-leader',
    'leader-endpoint-host': leader.address,
    'leader-endpoint-port': String(leader.port),
  };
  return rpcError(status.NOT_FOUND, `Leader info available at ${leader.address}:${leader.port}.`, trailers);
}

/** Returns the error for a caller without credentials or without rights. */
export function accessDeniedError(): ServiceError {
  return rpcError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
}

/** Returns the error for a wrong password. */
export function unauthenticatedError(): ServiceError {
  return rpcError(status.UNAUTHENTICATED, 'Unauthenticated');
}

export function streamIdentifier(stream: string): shared.StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8').toString('base64'));
}

export function streamName(identifier: shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
}

/** Returns the answer to a single append that was written, now or before. */
export function appendedMessage(last: LoggedEvent): streams.AppendResp {
  const position = new streams.AppendResp.Position()
    .setCommitPosition(String(last.position))
    .setPreparePosition(String(last.position));
  return new streams.AppendResp().setSuccess(
    new streams.AppendResp.Success().setCurrentRevision(String(last.revision)).setPosition(position),
  );
}

/** Returns the answer to a single append of no events. */
export function nothingAppendedMessage(actual: bigint): streams.AppendResp {
  const success = new streams.AppendResp.Success().setNoPosition(new shared.Empty());
  return new streams.AppendResp().setSuccess(
    actual < 0n ? success.setNoStream(new shared.Empty()) : success.setCurrentRevision(String(actual)),
  );
}

/**
 * Returns the refusal of a single append: a normal response, with the fields of 20.6 in addition to the
 * current ones.
 */
export function wrongVersionMessage(expected: Expected, actual: bigint): streams.AppendResp {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (actual < 0n) wrong.setCurrentNoStream(new shared.Empty()).setNoStream2060(new shared.Empty());
  else wrong.setCurrentRevision(String(actual)).setCurrentRevision2060(Number(actual));
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty()).setAny2060(new shared.Empty());
  else if (expected === 'stream_exists')
    wrong.setExpectedStreamExists(new shared.Empty()).setStreamExists2060(new shared.Empty());
  else if (expected === 'no_stream')
    wrong.setExpectedNoStream(new shared.Empty()).setExpectedRevision2060(NO_STREAM_20_6);
  else wrong.setExpectedRevision(String(expected)).setExpectedRevision2060(Number(expected));
  return new streams.AppendResp().setWrongExpectedVersion(wrong);
}
