import fc from 'fast-check';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import grpcStatus from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { batchAppendRequest, batchAppendResponse, rawEvent, readResponse, type RawEvent } from './messages.js';
import { textOfDigits } from './positions.js';

/** The generated classes say the same of the same bytes. */
const TEXT = fc.string({ unit: 'binary', maxLength: 300, size: 'max' });
const REVISION = fc.maxSafeNat();
const DIGITS = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const PROPOSED = fc.record({ id: fc.uuid(), type: TEXT, data: TEXT, metadata: TEXT });
const bytesOf = (text: string): string => Buffer.from(text).toString('base64');

describe('an append in a batch', () => {
  it('is to the generated classes what was to be sent', () => {
    const expected = fc.oneof(fc.constant('none' as const), REVISION);
    fc.assert(
      fc.property(TEXT, expected, fc.array(PROPOSED, { maxLength: 4 }), fc.uuid(), (stream, revision, events, correlation) => {
        const request = streams.BatchAppendReq.deserializeBinary(batchAppendRequest({ stream, expected: revision, events }, correlation));
        const options = request.getOptions()!;
        expect([request.getCorrelationId()?.getString(), request.getIsFinal()]).toEqual([correlation, true]);
        expect(Buffer.from(options.getStreamIdentifier()!.getStreamName_asU8()).toString()).toBe(stream);
        expect([options.hasNoStream(), options.hasStreamPosition(), options.getStreamPosition()]).toEqual(
          revision === 'none' ? [true, false, '0'] : [false, true, String(revision)],
        );
        expect(
          request.getProposedMessagesList().map((message) => ({
            id: message.getId()?.getString(),
            properties: message.getMetadataMap().toArray().sort(),
            data: Buffer.from(message.getData_asU8()).toString(),
            metadata: Buffer.from(message.getCustomMetadata_asU8()).toString(),
          })),
        ).toEqual(
          events.map(({ id, type, data, metadata }) => ({
            id,
            properties: [
              ['content-type', 'application/json'],
              ['type', type],
            ],
            data: data,
            metadata: metadata,
          })),
        );
      }),
    );
  });

  it('was recorded where the generated classes say', () => {
    fc.assert(
      fc.property(fc.uuid(), REVISION, DIGITS, DIGITS, (correlation, revision, commit, prepare) => {
        const position = new shared.AllStreamPosition().setCommitPosition(commit).setPreparePosition(prepare);
        const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(revision));
        const answer = (place: streams.BatchAppendResp.Success) =>
          Buffer.from(
            new streams.BatchAppendResp()
              .setCorrelationId(new shared.UUID().setString(correlation))
              .setStreamIdentifier(new shared.StreamIdentifier().setStreamName('bmFtZQ=='))
              .setSuccess(place)
              .serializeBinary(),
          );
        expect(batchAppendResponse(answer(success))).toMatchObject({ correlation, place: { revision, position: null } });
        expect(batchAppendResponse(answer(success.setPosition(position)))).toMatchObject({
          correlation,
          place: { revision, position: textOfDigits(commit, prepare) },
        });
      }),
    );
  });

  it('has no place where it was refused', () => {
    const response = new streams.BatchAppendResp()
      .setCorrelationId(new shared.UUID().setString('id'))
      .setError(new grpcStatus.Status().setCode(6));
    const message = Buffer.from(response.serializeBinary());
    expect(batchAppendResponse(message)).toEqual({ correlation: 'id', place: null, message });
  });
});

describe('a message of a read', () => {
  const EVENT = fc.record({
    stream: TEXT,
    revision: REVISION,
    commit: DIGITS,
    prepare: DIGITS,
    type: TEXT,
    isJson: fc.boolean(),
    created: DIGITS,
    id: fc.uuid(),
    data: TEXT,
    metadata: TEXT,
  });

  it('holds the event that the generated classes wrote', () => {
    fc.assert(
      fc.property(EVENT, ({ stream, commit, prepare, revision, isJson, ...rest }) => {
        const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
          .setId(new shared.UUID().setString(rest.id))
          .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(bytesOf(stream)))
          .setStreamRevision(String(revision))
          .setCommitPosition(commit)
          .setPreparePosition(prepare)
          .setData(bytesOf(rest.data))
          .setCustomMetadata(bytesOf(rest.metadata));
        recorded
          .getMetadataMap()
          .set('type', rest.type)
          .set('created', rest.created)
          .set('content-type', isJson ? 'application/json' : 'application/octet-stream');
        const read = new streams.ReadResp.ReadEvent().setEvent(recorded).setLink(recorded).setCommitPosition(commit);
        const { event, checkpoint, isCaughtUp } = readResponse(Buffer.from(new streams.ReadResp().setEvent(read).serializeBinary()));
        const expected: RawEvent = {
          stream,
          revision,
          position: textOfDigits(commit, prepare),
          type: rest.type,
          isJson,
          created: rest.created,
          id: rest.id,
          data: rest.data,
          metadata: rest.metadata,
        };
        const { message, ...place } = event!;
        expect([checkpoint, isCaughtUp]).toEqual([null, false]);
        expect(expected).toMatchObject(place);
        expect(rawEvent(message)).toEqual(expected);
      }),
    );
  });

  it('is a checkpoint, says that the subscription has caught up, or nothing that matters', () => {
    const read = (response: streams.ReadResp) => readResponse(Buffer.from(response.serializeBinary()));
    const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition('18446744073709551615').setPreparePosition('7');
    expect(read(new streams.ReadResp().setCheckpoint(checkpoint))).toEqual({
      event: null,
      checkpoint: textOfDigits('18446744073709551615', '7'),
      isCaughtUp: false,
    });
    expect(read(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()))).toEqual({
      event: null,
      checkpoint: null,
      isCaughtUp: true,
    });
    const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('id');
    expect(read(new streams.ReadResp().setConfirmation(confirmation))).toEqual({ event: null, checkpoint: null, isCaughtUp: false });
  });
});
