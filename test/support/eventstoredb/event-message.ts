import { MessageWriter } from '#event-store/eventstoredb/protocol-buffers.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { LoggedEvent, ProposedEvent } from './events.js';

/** Where and when an event was recorded. */
interface Place extends Pick<LoggedEvent, 'stream' | 'revision' | 'position'> {
  /** Ticks of 100 ns since 1970. */
  readonly created: bigint;
}

/**
 * Encodes an event as the `ReadResp` that carries it: once, for the log and for all readers, and without the generated classes, which take
 * several times as long. Clients of the contract suite read it by them.
 */
export function loggedEvent({ id, type, contentType, data, metadata }: ProposedEvent, place: Place): LoggedEvent {
  const { stream, revision, position, created } = place;
  const message = new MessageWriter();
  message.message(1, () => {
    message.message(1, () => {
      message.message(1, () => message.text(2, id));
      message.message(2, () => message.text(3, stream));
      if (revision > 0) message.number(3, Number(revision));
      if (position > 0) for (const field of [4, 5]) message.number(field, Number(position));
      message.entry(6, 'content-type', contentType);
      message.entry(6, 'created', String(created));
      message.entry(6, 'type', type);
      if (metadata.length > 0) message.bytesOf(7, metadata);
      if (data.length > 0) message.bytesOf(8, data);
    });
    message.number(3, Number(position));
  });
  return { id, type, stream, revision, position, message: message.finish() };
}

/** The event of a message that {@link loggedEvent} wrote. */
export function eventOfMessage(message: Buffer): LoggedEvent {
  const event = recordedIn(message);
  return {
    id: event.getId()!.getString(),
    stream: Buffer.from(event.getStreamIdentifier()!.getStreamName_asU8()).toString('utf8'),
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
