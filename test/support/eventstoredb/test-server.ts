import { Server, ServerCredentials, type ServiceError } from '@grpc/grpc-js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { appendHandler, deleteHandler, tombstoneHandler, type Appending } from './appending.js';
import { batchAppendHandler } from './batch-appending.js';
import { ExpectedVersions } from './expected-version.js';
import { Faults } from './faults.js';
import { Log } from './log.js';
import { readHandler } from './reading.js';
import { Subscriptions } from './subscriptions.js';
import { notReadyError } from './wire.js';

/** How to start the test server. */
export interface TestServerOptions {
  /** Where the log is kept; in memory where not given. */
  readonly file?: string;
  /** 0, or nothing, for any free port. */
  readonly port?: number;
  /** Events that may wait for a live subscriber; 32 where not given, as 23.10 has it. */
  readonly liveBuffer?: number;
  /** For so long after the start all calls are told that the server is not ready, in milliseconds. */
  readonly notReadyMilliseconds?: number;
}

/** A message over this size ends its call with RESOURCE_EXHAUSTED. */
const MAXIMUM_MESSAGE = 16 * 1_024 * 1_024;
const LEADER = 8;

/**
 * A server that speaks EventStoreDB's protocol over a real TCP connection and behaves as a 23.10 server was measured to:
 * refusals, repeats, positions, drops. It is not a database: one node, no subscriptions to single streams, no scavenging.
 */
export class EventStoreDbTestServer {
  readonly faults = new Faults();
  /** How often each RPC was called, by its name. */
  readonly calls = new Map<string, number>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
    readonly log: Log,
    readonly subscriptions: Subscriptions,
  ) {}

  static async start(options: TestServerOptions = {}): Promise<EventStoreDbTestServer> {
    const log = new Log(options.file ?? null);
    const subscriptions = new Subscriptions({ liveBuffer: options.liveBuffer ?? 32 });
    const server = new Server({ 'grpc.max_receive_message_length': MAXIMUM_MESSAGE });
    const readyAt = Date.now() + (options.notReadyMilliseconds ?? 0);
    const refusal = (): ServiceError | null => (Date.now() < readyAt ? notReadyError() : null);
    const port = await listen(server, options.port ?? 0);
    const started = new EventStoreDbTestServer(server, port, log, subscriptions);
    started.addServices({ log, versions: new ExpectedVersions(log), faults: started.faults, refusal });
    return started;
  }

  /** For the client: insecure, as it is on loopback. */
  get connectionString(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** Ends all connections at once. */
  async stop(): Promise<void> {
    this.server.forceShutdown();
    this.log.close();
  }

  private addServices(appending: Appending): void {
    const counted = <Handler extends (...parameters: never[]) => void>(name: string, handler: Handler): Handler =>
      ((...parameters: Parameters<Handler>) => {
        this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
        handler(...parameters);
      }) as Handler;
    this.server.addService(StreamsService, {
      read: counted('read', readHandler(appending, this.subscriptions)),
      append: counted('append', appendHandler(appending)),
      batchAppend: counted('batchAppend', batchAppendHandler(appending)),
      delete: counted('delete', deleteHandler(appending)),
      tombstone: counted('tombstone', tombstoneHandler(appending)),
    });
    this.server.addService(ServerFeaturesService, {
      getSupportedMethods: counted('getSupportedMethods', (_call: unknown, answer: (error: ServiceError | null, methods?: features.SupportedMethods) => void) => {
        if (appending.faults.hanging) return;
        const error = appending.refusal();
        if (error === null) answer(null, supportedMethods());
        else answer(error);
      }),
    });
    this.server.addService(GossipService, {
      read: counted('gossip', (_call: unknown, answer: (error: ServiceError | null, cluster?: gossip.ClusterInfo) => void) => {
        if (!appending.faults.hanging) answer(null, cluster(this.port));
      }),
    });
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
}

function supportedMethods(): features.SupportedMethods {
  const methods = Object.values(StreamsService as unknown as Record<string, { path: string }>).map(({ path }) => {
    const [service, method] = path.slice(1).toLowerCase().split('/');
    return new features.SupportedMethod().setServiceName(service!).setMethodName(method!);
  });
  return new features.SupportedMethods().setMethodsList(methods).setEventStoreServerVersion('23.10.6');
}

function cluster(port: number): gossip.ClusterInfo {
  const member = new gossip.MemberInfo().setState(LEADER).setIsAlive(true);
  member.setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port));
  return new gossip.ClusterInfo().setMembersList([member]);
}
