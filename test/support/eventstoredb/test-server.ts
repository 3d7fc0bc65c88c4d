import { type Metadata, Server, ServerCredentials, type ServiceError } from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { appendHandler, CommitQueue, deleteHandler, tombstoneHandler, type Appending } from './appending.js';
import { ExpectedVersions } from './expected-version.js';
import { Faults } from './faults.js';
import { Log } from './log.js';
import type { ReadMessage } from './outlet.js';
import { readHandler } from './reading.js';
import { Subscriptions } from './subscriptions.js';
import { clusterMessage, LONE_NODE, type ClusterView } from './cluster-view.js';
import { accessDeniedError, notLeaderError, notReadyError, unauthenticatedError } from './wire.js';

/** The options of the test server. */
export interface TestServerOptions {
  /** The file of the log; in memory where not given. */
  readonly file?: string;
  /** The loopback address where not given. */
  readonly host?: string;
  /** 0, or absent, for any free port. */
  readonly port?: number;
  /** Events that may wait for a live subscriber; 32 where not given, as on 23.10. */
  readonly liveBuffer?: number;
  /** For this time after the start, in milliseconds, the server answers all calls with "not ready". */
  readonly notReadyMilliseconds?: number;
  /**
   * Uses TLS with this certificate, in PEM. `userAuthority` signs the certificates of users, which the server
   * then requires.
   */
  readonly tls?: { readonly key: string; readonly cert: string; readonly userAuthority?: string };
  /** Passwords by user name; every caller has all rights where not given. */
  readonly users?: Readonly<Record<string, string>>;
}

/** The parts that a node shares with its cluster. */
export interface Membership {
  readonly cluster: ClusterView;
  readonly log: Log;
}

/**
 * The service of the generated code, but that it sends an event as it is in the log; without BatchAppend,
 * which the product never calls.
 */
const { batchAppend: _, ...SERVED } = StreamsService;
const STREAMS = {
  ...SERVED,
  read: {
    ...SERVED.read,
    responseSerialize: (message: ReadMessage) =>
      Buffer.isBuffer(message) ? message : SERVED.read.responseSerialize(message),
  },
};

/** A larger message ends its call with RESOURCE_EXHAUSTED. */
const MAX_MESSAGE = 16 * 1_024 * 1_024;

/**
 * A server that implements EventStoreDB's protocol over a real TCP connection and behaves like a measured
 * 23.10 server: refusals, repeats, positions, drops. It is not a database: it has no subscriptions to single
 * streams and no scavenging, and nodes of a cluster share one log.
 */
export class EventStoreDbTestServer {
  readonly faults = new Faults();
  /** The number of calls of each RPC, by its name. */
  readonly calls = new Map<string, number>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
    readonly log: Log,
    readonly subscriptions: Subscriptions,
    private readonly isSecure: boolean,
  ) {}

  static async start(
    options: TestServerOptions = {},
    { cluster, log: shared }: Partial<Membership> = {},
  ): Promise<EventStoreDbTestServer> {
    const log = shared ?? new Log(options.file ?? null);
    const subscriptions = new Subscriptions({ liveBuffer: options.liveBuffer ?? 32 });
    const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE });
    const readyAt = Date.now() + (options.notReadyMilliseconds ?? 0);
    const port = await listen(server, options);
    const view = cluster ?? LONE_NODE(port);
    const refusal = (metadata: Metadata): ServiceError | null => {
      if (Date.now() < readyAt) return notReadyError();
      const isForLeader = metadata.get('requires-leader')[0] === 'true';
      const leader = view.leader();
      return isForLeader && leader.port !== port ? notLeaderError(leader) : refusalOfUser(metadata, options.users);
    };
    const started = new EventStoreDbTestServer(server, port, log, subscriptions, options.tls !== undefined);
    started.addServices(
      { log, versions: new ExpectedVersions(log), faults: started.faults, commits: new CommitQueue(), refusal },
      view,
    );
    return started;
  }

  /** For the client, without a user and without the certificate authority. */
  get connectionString(): string {
    return `esdb://127.0.0.1:${this.port}?tls=${this.isSecure}`;
  }

  /** Ends all connections immediately. */
  async stop(): Promise<void> {
    this.crash();
    this.log.close();
  }

  /** Ends all connections immediately, and leaves the log to the other nodes. */
  crash(): void {
    this.server.forceShutdown();
  }

  private addServices(appending: Appending, view: ClusterView): void {
    const counted = <Handler extends (...parameters: never[]) => void>(name: string, handler: Handler): Handler =>
      ((...parameters: Parameters<Handler>) => {
        this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
        handler(...parameters);
      }) as Handler;
    this.server.addService(STREAMS, {
      read: counted('read', readHandler(appending, this.subscriptions)),
      append: counted('append', appendHandler(appending)),
      delete: counted('delete', deleteHandler(appending)),
      tombstone: counted('tombstone', tombstoneHandler(appending)),
    });
    this.server.addService(ServerFeaturesService, {
      getSupportedMethods: counted(
        'getSupportedMethods',
        (
          call: { readonly metadata: Metadata },
          answer: (error: ServiceError | null, methods?: features.SupportedMethods) => void,
        ) => {
          if (appending.faults.hanging) return;
          const error = appending.refusal(call.metadata);
          if (error === null) answer(null, supportedMethods());
          else answer(error);
        },
      ),
    });
    this.server.addService(GossipService, {
      read: counted(
        'gossip',
        (_call: unknown, answer: (error: ServiceError | null, cluster?: ReturnType<typeof clusterMessage>) => void) => {
          if (!appending.faults.hanging) answer(null, clusterMessage(view));
        },
      ),
    });
  }
}

function refusalOfUser(metadata: Metadata, users: TestServerOptions['users']): ServiceError | null {
  if (users === undefined) return null;
  const [given] = metadata.get('authorization');
  if (given === undefined) return accessDeniedError();
  const allowed = Object.entries(users).map(
    ([name, password]) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  );
  return allowed.includes(String(given)) ? null : unauthenticatedError();
}

function credentialsOf(tls: TestServerOptions['tls']): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const authority = tls.userAuthority === undefined ? null : Buffer.from(tls.userAuthority);
  return ServerCredentials.createSsl(
    authority,
    [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }],
    authority !== null,
  );
}

function listen(server: Server, { host = '127.0.0.1', port = 0, tls }: TestServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, credentialsOf(tls), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
}

function supportedMethods(): features.SupportedMethods {
  const methods = Object.values(SERVED as unknown as Record<string, { path: string }>).map(({ path }) => {
    const [service, method] = path.slice(1).toLowerCase().split('/');
    return new features.SupportedMethod().setServiceName(service!).setMethodName(method!);
  });
  return new features.SupportedMethods().setMethodsList(methods).setEventStoreServerVersion('23.10.6');
}
