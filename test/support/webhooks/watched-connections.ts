import { Socket } from 'node:net';

/**
 * Every connection that the process begins, as `address port`; only those to loopback addresses are
 * established.
 */
export interface WatchedConnections {
  readonly begun: readonly string[];
  clear(): void;
  stop(): void;
}

const LOOPBACK = /^(?:127\.|::1$)/;

/**
 * Watches at the socket, below Node's HTTP client: a name instead of an address here means that it would be
 * resolved again.
 *
 * @param divertTo - the host and port to which every connection is redirected
 */
export function watchConnections(divertTo?: readonly [string, number]): WatchedConnections {
  const begun: string[] = [];
  const connect = Socket.prototype.connect as (...given: unknown[]) => Socket;
  const spy = jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: unknown[]) {
    const [first] = given;
    const { host, port } = (Array.isArray(first) ? first[0] : first) as { host?: string; port?: number };
    begun.push(`${host} ${port}`);
    if (divertTo !== undefined) return connect.call(this, { host: divertTo[0], port: divertTo[1] });
    if (LOOPBACK.test(host ?? '')) return connect.apply(this, given);
    process.nextTick(() => this.destroy(Object.assign(new Error('not in tests'), { code: 'ENETUNREACH' })));
    return this;
  });
  return { begun, clear: () => void begun.splice(0), stop: () => spy.mockRestore() };
}
