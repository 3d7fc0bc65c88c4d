import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';

/** One request as received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** A receiver of webhooks on a separate port. */
export interface Receiver {
  readonly port: number;
  readonly received: readonly Received[];
  /** Returns the number of connections since the start. */
  readonly connections: () => number;
  readonly open: () => number;
  close(): Promise<void>;
}

/**
 * Starts a receiver over HTTP, or over HTTPS where there is a certificate, with the given answers.
 *
 * @param connected - called with every connection, below TLS
 */
export async function startReceiver(
  answer: RequestListener,
  tls?: SecureContextOptions,
  host = '127.0.0.1',
  connected = (_: Socket): void => undefined,
): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push({
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(parts).toString(),
      });
      answer(request, response);
    });
  };
  const server = tls === undefined ? createHttpServer(listener) : createHttpsServer(tls, listener);
  return listening(server.on('connection', connected), received, host);
}

/**
 * Starts a receiver over plain TCP that treats every connection as the test decides.
 *
 * @param handle - called for every complete request with the body `{}`
 *
 * @param greet - called at the first bytes
 */
export async function startRawReceiver(
  handle: (socket: Socket, served: number) => void,
  greet = (_: Socket): void => undefined,
): Promise<Receiver> {
  const server = createServer((socket) => {
    let text = '';
    let served = 0;
    socket.on('error', () => undefined);
    socket.once('data', () => greet(socket));
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (!text.endsWith('{}')) return;
      text = '';
      handle(socket, (served += 1));
    });
  });
  return listening(server, [], '127.0.0.1');
}

async function listening(server: Server, received: readonly Received[], host: string): Promise<Receiver> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    open: () => open.size,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
