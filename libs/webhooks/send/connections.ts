import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as secure, createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { ReceiveLimiter } from './receive-limiter.js';
import { canonicalAddress } from '../url-guard/addresses.js';

/** One vetted address of an endpoint, and the host name that its certificate must have. */
export interface Destination {
  /** Canonical. */
  readonly address: string;
  readonly port: number;
  readonly hostname: string;
  readonly isPlain: boolean;
  /** Whether `hostname` is an address, which SNI does not carry. */
  readonly isLiteral: boolean;
}

/** No connection was established: no part of the request was sent. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';

  constructor(
    /**
     * An error code of the system or of TLS, such as `ECONNREFUSED`; `ETOOLONG` if a handshake did not end.
     */
    readonly code: string,
    readonly stage: 'tcp' | 'tls',
  ) {
    super(`no connection (${stage}): ${code}`);
  }
}

/** Options of a request for the agent, in addition to Node's own. */
export interface ConnectOptions extends ClientRequestArgs {
  readonly destination: Destination;
  /** The time limit of the connection, including TLS. */
  readonly connectMs: number;
}

const IDLE_MILLISECONDS = 10_000;
/**
 * The number of requests that an organisation may have in flight to prompt receivers: all its endpoints may
 * lead to one.
 */
const IDLE_CONNECTIONS = 200;

/**
 * Connections to vetted addresses. A connection is reused only for the same address, port and name. Nothing
 * is written before the peer's address was compared, and nothing but the TLS handshake before the certificate
 * was verified.
 */
export class Connections extends Agent {
  /** Limits the bytes that are read over the connections. */
  readonly limiter = new ReceiveLimiter();
  private readonly context: SecureContext;
  /** Stops monitoring an idle connection. */
  private readonly idle = new WeakMap<Duplex, () => void>();

  /** @param ca - trusted certificates in PEM, in addition to the default ones */
  constructor(ca: readonly string[]) {
    super({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, timeout: IDLE_MILLISECONDS });
    // Without an explicit list, OpenSSL's applies, with the additions of NODE_EXTRA_CA_CERTS.
    this.context = createSecureContext({
      minVersion: 'TLSv1.2',
      ...(ca.length === 0 ? {} : { ca: [...rootCertificates, ...ca] }),
    });
  }

  override getName(options?: Partial<ConnectOptions>): string {
    const { address, port, hostname, isPlain } = options!.destination!;
    return [isPlain ? 'plain' : 'tls', address, port, hostname].join(' ');
  }

  override createConnection(
    options: ClientRequestArgs,
    made?: (error: Error | null, socket: Socket) => void,
  ): undefined {
    this.open(options as ConnectOptions, made as (error: Error | null, socket?: Socket) => void);
  }

  /**
   * Keeps a connection for reuse, and closes it if the receiver sends anything meanwhile: Node would read and
   * discard it without limit.
   */
  override keepSocketAlive(socket: Duplex): boolean {
    // Node's agent closes the connection if this returns false, although its type does not declare it.
    const isKept = super.keepSocketAlive(socket) as unknown as boolean;
    if (isKept)
      this.idle.set(
        socket,
        this.limiter.watchIdle(socket, () => socket.destroy()),
      );
    return isKept;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.idle.get(socket)?.();
    super.reuseSocket(socket, request);
  }

  /** Closes idle connections to the destination: they may be as dead as the one that just failed. */
  closeIdle(destination: Destination): void {
    for (const socket of this.freeSockets[this.getName({ destination })] ?? []) socket.destroy();
  }

  private open(options: ConnectOptions, made: (error: Error | null, socket?: Socket) => void): void {
    const { destination, connectMs } = options;
    const raw = connect({ host: destination.address, port: destination.port, noDelay: true });
    let socket = raw;
    let stage: ConnectError['stage'] = 'tcp';
    let endWatch = (): void => undefined;
    const settle = (error: ConnectError | null): void => {
      clearTimeout(timer);
      endWatch();
      raw.off('error', fail);
      socket.off('error', fail);
      if (error === null) return made(null, socket);
      // Errors while it is being closed are irrelevant: it has already failed.
      socket.on('error', () => undefined).destroy();
      raw.on('error', () => undefined).destroy();
      this.forgetEmpty(options);
      made(error);
    };
    const fail = (error: NodeJS.ErrnoException): void => settle(new ConnectError(error.code ?? 'UNKNOWN', stage));
    const timer = setTimeout(() => settle(new ConnectError('ETIMEDOUT', stage)), connectMs);
    raw.on('error', fail).once('connect', () => {
      const peer = raw.remoteAddress;
      // The peer may have disconnected by now.
      if (peer === undefined) return settle(new ConnectError('ECONNRESET', stage));
      if (canonicalAddress(peer) !== destination.address) return settle(new ConnectError('EPEER', stage));
      if (destination.isPlain) return settle(null);
      stage = 'tls';
      // The certificate is checked against the name, or against `host` if that is an address. Explicitly,
      // because an environment variable can disable Node's check.
      const servername = destination.isLiteral ? '' : destination.hostname;
      socket = secure({
        socket: raw,
        host: destination.hostname,
        servername,
        secureContext: this.context,
        rejectUnauthorized: true,
        ALPNProtocols: ['http/1.1'],
      });
      this.limiter.pair(socket, raw);
      endWatch = this.limiter.watchHandshake(raw, () => settle(new ConnectError('ETOOLONG', stage)));
      socket.on('error', fail).once('secureConnect', () => settle(null));
    });
  }

  /** The agent keeps a list for every destination that it ever failed to reach. */
  private forgetEmpty(options: ConnectOptions): void {
    const name = this.getName(options);
    const lists = this.sockets as Record<string, unknown[] | undefined>;
    if (lists[name]?.length === 0) delete lists[name];
  }
}
