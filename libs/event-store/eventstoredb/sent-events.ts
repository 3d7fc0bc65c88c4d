import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Position } from '../event-store.js';
import type { Attempt, Calls } from './calls.js';
import { NoAnswerError } from './errors.js';
import { readResponse, type ReadResponse } from './messages.js';
import { logPositionOf } from './positions.js';

/**
 * Makes a read whose events stay as they were sent: the client parses every event. It ends when `take` returns true for a message, or with
 * the last message where the read has an end. Throws {@link NoAnswerError} where nothing comes for the time of an attempt, and where a
 * subscription ends. `begin` is called before each attempt, and returns its `take`.
 */
export function readSent(calls: Calls, request: streams.ReadReq, begin: () => (response: ReadResponse) => boolean): Promise<void> {
  const isEndless = request.getOptions()!.hasSubscription();
  return calls.make(({ client, options, milliseconds }: Attempt) =>
    client.call(options, async (call) => {
      const { path, requestSerialize } = streamsService.StreamsService.read;
      const responses = call.client.makeServerStreamRequest(path, requestSerialize, readResponse, request, call.metadata, call.options);
      const take = begin();
      let timer: NodeJS.Timeout | undefined;
      try {
        await new Promise<void>((resolve, reject) => {
          timer = setTimeout(() => reject(new NoAnswerError(milliseconds)), milliseconds);
          // Stays after the end: cancelling makes an error, too.
          responses.on('error', reject);
          responses.on('end', () => (isEndless ? reject(new NoAnswerError(milliseconds)) : resolve()));
          responses.on('data', (response: ReadResponse) => {
            timer?.refresh();
            if (take(response)) resolve();
          });
        });
      } finally {
        clearTimeout(timer);
        responses.cancel();
      }
    }),
  );
}

/** What gives ids of events as text. */
export function uuidsAsText(): streams.ReadReq.Options.UUIDOption {
  return new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty());
}

const BACKWARDS = 1;

/** Asks for the events of the log before a position (exclusive), or for its last ones; the last one first. */
export function eventsBefore(position: Position | null, count: number): streams.ReadReq {
  const options = new streams.ReadReq.Options()
    .setAll(placeInLog(position, (all) => all.setEnd(new shared.Empty())))
    .setReadDirection(BACKWARDS)
    .setCount(String(count))
    .setNoFilter(new shared.Empty())
    .setUuidOption(uuidsAsText());
  return new streams.ReadReq().setOptions(options);
}

type AllOptions = streams.ReadReq.Options.AllOptions;

/** Where in the log to read from: a position, or for null what `otherwise` sets. */
export function placeInLog(position: Position | null, otherwise: (all: AllOptions) => AllOptions): AllOptions {
  const all = new streams.ReadReq.Options.AllOptions();
  if (position === null) return otherwise(all);
  const { commit, prepare } = logPositionOf(position);
  return all.setPosition(new streams.ReadReq.Options.Position().setCommitPosition(String(commit)).setPreparePosition(String(prepare)));
}
