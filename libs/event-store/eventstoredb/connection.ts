import { EventStoreDBClient, type Credentials } from '@eventstore/db-client';

/** Without an answer to its ping for so long, a connection counts as broken, in milliseconds. */
const KEEP_ALIVE_TIMEOUT = 3_000;

/** The client and the credentials that every call carries. */
export interface Connection {
  readonly client: EventStoreDBClient;
  /**
   * Given with each call, they make the client use the single Append RPC: the batch one shares a table between all
   * clients of the process, ignores deadlines and hangs after some errors. Without TLS they are never sent.
   */
  readonly credentials: Credentials;
}

/** Opens nothing yet: the first call connects. */
export function connectionTo(connectionString: string): Connection {
  return {
    client: EventStoreDBClient.connectionString(withKeepAlive(connectionString)),
    credentials: credentialsOf(connectionString),
  };
}

function withKeepAlive(connectionString: string): string {
  if (/keep[_-]?alive[_-]?timeout=/i.test(connectionString)) return connectionString;
  const separator = connectionString.includes('?') ? '&' : '?';
  return `${connectionString.replace(/\/+$/, '')}${separator}keepAliveTimeout=${KEEP_ALIVE_TIMEOUT}`;
}

function credentialsOf(connectionString: string): Credentials {
  const match = /^[^:]+:\/\/([^:@/]+):([^@]+)@/.exec(connectionString.trim());
  if (match === null) return { username: 'anonymous', password: 'anonymous' };
  return { username: decodeURIComponent(match[1]!), password: decodeURIComponent(match[2]!) };
}
