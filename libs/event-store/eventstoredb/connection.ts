import { readFileSync } from 'node:fs';
import { type ChannelCredentialOptions, type Credentials, EventStoreDBClient } from '@eventstore/db-client';
import { parseEventStoreUrl, type EventStoreUrl } from '#configuration/event-store-url.js';

/** A connection without an answer to its ping for this long counts as broken, in milliseconds. */
const KEEP_ALIVE_TIMEOUT = 3_000;
/**
 * Limits of the discovery of the leader, so that a node that does not answer does not delay it: seconds for
 * one node, and rounds over all nodes.
 */
const GOSSIP_TIMEOUT = 2;
const DISCOVERY_ATTEMPTS = 3;

/** The options of every call. */
export interface CallOptions {
  /**
   * Credentials in each call make the client use the single Append RPC: the batch RPC shares a table between
   * all clients of the process, ignores deadlines and hangs after some errors. Without TLS they are never
   * sent.
   */
  readonly credentials: Credentials;
  /**
   * A follower may lag behind a recent write. With this option it refuses the call and names the leader, to
   * which the client then connects.
   */
  readonly requiresLeader: true;
}

/** The client, recreated where that helps, and the options of every call. It connects with the first call. */
export class Connection {
  readonly options: CallOptions;
  private readonly make: () => EventStoreDBClient;
  private readonly isCluster: boolean;
  private current: EventStoreDBClient;

  /** Throws `EventStoreUrlError`, or an error that names an unreadable file. */
  constructor(connectionString: string) {
    const url = parseEventStoreUrl(connectionString);
    const credentials = url.credentials ?? { username: 'anonymous', password: 'anonymous' };
    const channel = channelCredentialsOf(url);
    this.options = { credentials, requiresLeader: true };
    this.make = () => clientOf(url, channel);
    this.isCluster = url.discovers;
    this.current = this.make();
  }

  get client(): EventStoreDBClient {
    return this.current;
  }

  /**
   * Leaves a node that accepts calls and does not answer them. The client itself selects another node only
   * when its connection breaks, which does not happen while the node answers pings. Has no effect with a
   * single node.
   */
  async leave(client: EventStoreDBClient): Promise<void> {
    if (!this.isCluster || client !== this.current) return;
    this.current = this.make();
    await client.dispose();
  }

  async close(): Promise<void> {
    await this.current.dispose();
  }
}

function clientOf(url: EventStoreUrl, channel: ChannelCredentialOptions): EventStoreDBClient {
  const settings = withoutNulls({
    keepAliveInterval: url.keepAliveInterval,
    keepAliveTimeout: url.keepAliveTimeout ?? KEEP_ALIVE_TIMEOUT,
    connectionName: url.connectionName,
  });
  const discovery = withoutNulls({
    discoveryInterval: url.discoveryInterval,
    maxDiscoverAttempts: url.maxDiscoverAttempts ?? DISCOVERY_ATTEMPTS,
    gossipTimeout: url.gossipTimeout ?? GOSSIP_TIMEOUT,
  });
  const [first] = url.nodes;
  if (!url.discovers) return new EventStoreDBClient({ ...settings, endpoint: { ...first! } }, channel);
  if (url.nodes.length === 1)
    return new EventStoreDBClient({ ...settings, ...discovery, discover: { ...first! } }, channel);
  return new EventStoreDBClient(
    { ...settings, ...discovery, endpoints: url.nodes.map((node) => ({ ...node })) },
    channel,
  );
}

function channelCredentialsOf(url: EventStoreUrl): ChannelCredentialOptions {
  if (!url.tls) return { insecure: true };
  return withoutNulls({
    insecure: false,
    rootCertificate: contentOf('tlsCAFile', url.tlsCAFile),
    userCertFile: contentOf('userCertFile', url.userCertFile),
    userKeyFile: contentOf('userKeyFile', url.userKeyFile),
  });
}

function contentOf(option: string, path: string | null): Buffer | null {
  if (path === null) return null;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Error(
      `The file that ${option} of EVENTSTORE_URL names cannot be read: check its path and its permissions.`,
      { cause },
    );
  }
}

/** The client accepts undefined as its own default. */
function withoutNulls<Settings extends object>(
  settings: Settings,
): { readonly [Name in keyof Settings]: NonNullable<Settings[Name]> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)) as {
    [Name in keyof Settings]: NonNullable<Settings[Name]>;
  };
}
