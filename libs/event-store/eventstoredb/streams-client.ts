import { EventStoreDBClient } from '@eventstore/db-client';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions as GrpcCallOptions, Metadata } from '@grpc/grpc-js';
import type { CallOptions } from './connection.js';

/** The generated client of the server's streams, with what a call of it needs. */
export interface StreamsCall {
  readonly client: InstanceType<typeof streamsService.StreamsClient>;
  readonly metadata: Metadata;
  readonly options: GrpcCallOptions;
}

/**
 * The client, which also gives access to the generated one over the same connection. The client itself parses each event that it reads, and
 * its batch appends share one table of the whole process, ignore deadlines and hang after some errors.
 */
export class StreamsClient extends EventStoreDBClient {
  /** Makes a call without a deadline. An error that says that the node is away or not the leader makes the client connect again. */
  call<Result>(options: CallOptions, use: (call: StreamsCall) => Promise<Result>): Promise<Result> {
    return this.execute(streamsService.StreamsClient, 'call', (client) => {
      const [metadata, callOptions] = this.callArguments(options, { deadline: Infinity });
      return use({ client, metadata, options: callOptions });
    });
  }
}
