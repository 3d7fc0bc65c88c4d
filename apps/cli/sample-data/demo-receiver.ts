import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pool } from 'pg';
import { codeOf } from '#database/error-code.js';
import type { Receiver } from '#webhooks/url-guard/url-guard.js';

/**
 * The receiver of the demo's webhooks. It listens on loopback alone, and keeps nothing of what it is sent.
 */
export interface DemoReceiver extends Receiver {
  stop(): Promise<void>;
}

const ADDRESS = '127.0.0.1';
const PREFIX = '/demo-receiver/';

/**
 * The systems behind the receiver, each of which answers in its own way, so that deliveries have every
 * outcome.
 */
const SYSTEMS = ['payroll', 'directory', 'badges', 'rota', 'former'] as const;
export type System = (typeof SYSTEMS)[number];

type Answer = (type: string, response: ServerResponse) => void;

const ANSWERS: { readonly [Name in System]: Answer } = {
  /** Accepts everything. */
  payroll: (_type, response) => void response.writeHead(204).end(),
  /** Cannot take ends at the moment: the deliveries are retried. */
  directory: (type, response) => void response.writeHead(type === 'person.ended' ? 503 : 204).end(),
  /** Breaks the connection: the deliveries are retried. */
  badges: (_type, response) => void response.destroy(),
  /** Does not know the address: the deliveries fail. */
  rota: (_type, response) => void response.writeHead(404).end(),
  /** Is gone for good: the first delivery disables the endpoint. */
  former: (_type, response) => void response.writeHead(410).end(),
};

/** The URL at which a system of the receiver is called. */
export function urlOf({ address, port }: Receiver, system: System): string {
  return `http://${address}:${port}${PREFIX}${system}`;
}

/** An endpoint of the demo that leads to its receiver. */
export interface DemoEndpoint {
  readonly id: string;
  readonly port: number;
  readonly system: System;
}

/**
 * The endpoints of an organisation with this subdomain that lead to the demo's receiver, on whatever port it
 * listened before.
 */
export async function findDemoEndpoints(pool: Pool, subdomain: string): Promise<readonly DemoEndpoint[]> {
  const { rows } = await pool.query<{ id: string; url: string }>(
    `select w.id, w.url from webhooks w join organisations o on o.id = w.organisation_id
      where o.subdomain = $1 and w.url like $2 order by w.id`,
    [subdomain, `http://${ADDRESS}:%${PREFIX}%`],
  );
  return rows.flatMap(({ id, url }) => {
    const { port, pathname } = new URL(url);
    const system = SYSTEMS.find((name) => pathname === `${PREFIX}${name}`);
    return system === undefined ? [] : [{ id, port: Number(port), system }];
  });
}

/** Listens on the wanted port, or on a free one where that is in use; 0: any free one. */
export async function startDemoReceiver(requestedPort: number): Promise<DemoReceiver> {
  const server = createServer((request, response) => receive(request, response));
  const port = await listen(server, requestedPort).catch((error: unknown) => {
    if (requestedPort === 0 || codeOf(error) !== 'EADDRINUSE') throw error;
    return listen(server, 0);
  });
  return {
    address: ADDRESS,
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, ADDRESS, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const system = SYSTEMS.find((name) => request.url === `${PREFIX}${name}`);
  if (system === undefined || request.method !== 'POST') {
    response.writeHead(system === undefined ? 404 : 405).end();
    return;
  }
  // The body is read to its end and dropped, so that the connection can be used again.
  request.resume().once('end', () => ANSWERS[system](String(request.headers['service-webhook-event']), response));
}
