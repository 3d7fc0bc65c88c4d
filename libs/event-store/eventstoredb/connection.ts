import { readFileSync } from 'node:fs';
import { type ChannelCredentialOptions, type Credentials, EventStoreDBClient } from '@eventstore/db-client';
import { parseEventStoreUrl, type EventStoreUrl } from '#configuration/event-store-url.js';

/** Without an answer to its ping for so long, a connection counts as broken, in milliseconds. */
const KEEP_ALIVE_TIMEOUT = 3_000;
/**
 * A node that does not answer must not hold up the look for the leader: seconds for one node, and rounds over
 * all of them.
 */
const GOSSIP_TIMEOUT = 2;
const DISCOVERY_ATTEMPTS = 3;

/** What every call carries. */
export interface CallOptions {
  /**
   * Given with each call, they make the client use the single Append RPC: the batch one shares a table
   * between all clients of the process, ignores deadlines and hangs after some errors. Without TLS they are
   * never sent.
   */
  readonly credentials: Credentials;
  /**
   * A follower may lag behind what was just written: it refuses, and names the leader, which the client goes
   * to.
   */
  readonly requiresLeader: true;
}

/**
 * The client, recreated where that helps, and what every call carries. Opens nothing yet: the first call
 * connects.
 */
export class Connection {
  readonly options: CallOptions;
  private readonly make: () => EventStoreDBClient;
  private readonly isCluster: boolean;
  private current: EventStoreDBClient;

  /** Throws `EventStoreUrlError`, and an error that says which of its files cannot be read. */
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
   * Leaves a node that takes calls and answers none. The client itself looks for another one only when its
   * connection breaks, which it does not where the node still answers pings. Of one node alone there is none
   * other to look for.
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

/** The client takes undefined for a value of its own default. */
function withoutNulls<Settings extends object>(
  settings: Settings,
): { readonly [Name in keyof Settings]: NonNullable<Settings[Name]> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)) as {
    [Name in keyof Settings]: NonNullable<Settings[Name]>;
  };
}
