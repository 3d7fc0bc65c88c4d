import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { LoggedEvent, ProposedEvent } from './events.js';
import { streamIdentifier, streamName } from './wire.js';

/** Where and when an event was recorded. */
interface Place extends Pick<LoggedEvent, 'stream' | 'revision' | 'position'> {
  /** Ticks of 100 ns since 1970. */
  readonly created: bigint;
}

/** Encodes an event as the `ReadResp` that carries it: once, for the log and for all readers. */
export function loggedEvent({ id, type, contentType, data, metadata }: ProposedEvent, place: Place): LoggedEvent {
  const { stream, revision, position, created } = place;
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(id))
    .setStreamIdentifier(streamIdentifier(stream))
    .setStreamRevision(String(revision))
    .setPreparePosition(String(position))
    .setCommitPosition(String(position))
    .setCustomMetadata(metadata)
    .setData(data);
  recorded.getMetadataMap().set('content-type', contentType).set('created', String(created)).set('type', type);
  const event = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(position));
  const message = Buffer.from(new streams.ReadResp().setEvent(event).serializeBinary());
  return { id, type, stream, revision, position, message };
}

/** The event of a message that {@link loggedEvent} wrote. */
export function eventOfMessage(message: Buffer): LoggedEvent {
  const event = recordedIn(message);
  return {
    id: event.getId()!.getString(),
    stream: streamName(event.getStreamIdentifier()),
    revision: BigInt(event.getStreamRevision()),
    position: BigInt(event.getCommitPosition()),
    type: event.getMetadataMap().get('type')!,
    message,
  };
}

/** The data of an event of the log. */
export function dataOf(message: Buffer): Buffer {
  return Buffer.from(recordedIn(message).getData_asU8());
}

function recordedIn(message: Buffer): streams.ReadResp.ReadEvent.RecordedEvent {
  return streams.ReadResp.deserializeBinary(message).getEvent()!.getEvent()!;
}
