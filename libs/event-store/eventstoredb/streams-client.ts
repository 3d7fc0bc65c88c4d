import { EventStoreDBClient, type Credentials } from '@eventstore/db-client';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions as GrpcCallOptions, Metadata } from '@grpc/grpc-js';

/** What every call carries. */
export interface CallOptions {
  /**
   * Given with each call, they make the client use the single Append RPC: the batch one shares a table between all
   * clients of the process, ignores deadlines and hangs after some errors. Without TLS they are never sent.
   */
  readonly credentials: Credentials;
  /** A follower may lag behind what was just written: it refuses, and names the leader, which the client goes to. */
  readonly requiresLeader: true;
}

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
