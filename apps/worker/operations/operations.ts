import { createHash, timingSafeEqual } from 'node:crypto';
import type { Queue } from 'bullmq';
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import pg, { type Pool } from 'pg';
import { register as globalRegistry, Registry } from 'prom-client';
import type { Configuration } from '#configuration/configuration.js';
import type { Logger } from '#configuration/logger.js';
import type { Clock } from '#kernel/clock.js';
import { MIGRATIONS } from '#resources/migrations.js';
import { healthOf } from './health.js';
import { processMetrics } from './metrics.js';
import { queueBoard } from './queue-board.js';
import { readinessOf, warningsOf, type Dependencies } from './readiness.js';

/** What the operations listener watches over. */
export interface OperationsSettings extends Omit<Dependencies, 'migrations'> {
  readonly configuration: Configuration;
  /** 0 for any free one. */
  readonly port: number;
  readonly logger: Logger;
  /** The machine's where not given. */
  readonly clock?: Clock;
  /** Further reasons of the process itself not to be sent requests, a sentence each. */
  readonly readiness: () => readonly string[];
  /** The queue that `/queues` shows, null while it was never reached; where this is not given there is no such page. */
  readonly queue?: () => Queue | null;
}

const LOOPBACK = '127.0.0.1';
const BOARD = '/queues';

/**
 * Starts the listener that only an operator may reach: `/health`, `/health/live`, `/health/ready`, `/metrics` (the process's own
 * measurements and those in prom-client's global registry), `/queues` (the queue's dashboard). Without `OPS_TOKEN` it listens on the loopback address only.
 */
export async function startOperations(settings: OperationsSettings): Promise<{ url: string; stop(): Promise<void> }> {
  const { configuration, port, logger, pool, eventStore } = settings;
  const server = Fastify({
    loggerInstance: logger.child({ listener: 'operations' }),
    // Probes come every few seconds and say nothing.
    logController: new LogController({ disableRequestLogging: true }),
    // Nobody loses anything when a scrape is cut off, and open connections of a monitor must not hold up a stop.
    forceCloseConnections: true,
  });
  const watcher = watcherOf(pool);
  server.addHook('onClose', () => watcher.end());
  server.addHook('onRequest', async (_request, reply) => void reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }));
  routeHealth(server, settings, watcher);
  routeMetrics(server, processMetrics({ pool, eventStore, ...(settings.clock === undefined ? {} : { clock: settings.clock }) }), configuration.operationsToken);
  if (settings.queue !== undefined) routeBoard(server, settings.queue, settings);
  const host = configuration.operationsToken === null ? LOOPBACK : configuration.host;
  const url = await server.listen({ host, port });
  return { url, stop: () => server.close() };
}

/** One connection beside those of the process: it sees what keeps these. */
function watcherOf(pool: Pool): Pool {
  const watcher = new pg.Pool({ ...pool.options, max: 1 });
  watcher.on('error', () => undefined);
  watcher.on('connect', (connection) => connection.on('error', () => undefined));
  return watcher;
}

function routeHealth(server: FastifyInstance, { pool, eventStore, readiness, queue }: OperationsSettings, watcher: Pool): void {
  server.get('/health', async (_request, reply) => {
    const health = await healthOf({ pool, eventStore, queue: queue ?? null, reasons: readiness() });
    return reply.code(health.status === 'failed' ? 503 : 200).header('cache-control', 'no-store').send(health);
  });
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async (_request, reply) => {
    const [{ reasons: found, degraded }, sentences] = await Promise.all([readinessOf({ pool, eventStore, migrations: MIGRATIONS }), warningsOf(watcher)]);
    const reasons = [...readiness(), ...found];
    const warnings = sentences.length === 0 ? {} : { warnings: sentences };
    void reply.header('cache-control', 'no-store');
    if (reasons.length > 0) return reply.code(503).send({ status: 'not_ready', reasons, ...warnings });
    return degraded.length === 0 ? { status: 'ready', ...warnings } : { status: 'degraded', reasons: degraded, ...warnings };
  });
}

function routeMetrics(server: FastifyInstance, registry: Registry, token: string | null): void {
  server.get('/metrics', { onRequest: authorise(token) }, async (_request, reply) => {
    void reply.type(registry.contentType);
    // Merged at each look: what is measured elsewhere in the process may have been registered meanwhile.
    return Registry.merge([globalRegistry, registry]).metrics();
  });
}

/** For looking only: no method that changes anything is routed. */
function routeBoard(server: FastifyInstance, queue: () => Queue | null, { configuration, logger }: OperationsSettings): void {
  const board = queueBoard({ prefix: BOARD, queue, logger });
  server.addHook('onClose', () => board.close());
  for (const url of [BOARD, `${BOARD}/*`]) {
    server.get(url, { onRequest: authorise(configuration.operationsToken, BROWSER_CHALLENGE) }, async (request, reply) => {
      const answer = await board.open();
      // Fastify sends nothing of a reply that is handed over.
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
      reply.hijack();
      answer(request.raw, reply.raw);
    });
  }
}

/** What makes a browser ask for a name, which does not matter, and a password, which is the token. */
const BROWSER_CHALLENGE = 'Basic realm="Workforce HR operations", charset="UTF-8"';

/** A hook that asks for the operator's token, where there is one: as a bearer token, or as the password of HTTP Basic. */
export function authorise(token: string | null, challenge = 'Bearer'): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    if (token === null || isEqual(tokenIn(request.headers.authorization ?? ''), token)) return;
    // Somebody guesses, or a monitor was forgotten when the token was changed; never what was given.
    if (request.headers.authorization !== undefined) request.log.warn({ route: request.routeOptions.url }, 'a wrong operator token was refused');
    await reply.code(401).header('www-authenticate', challenge).send({ message: 'The operator token (OPS_TOKEN) is required.' });
  };
}

/** Empty, which is nobody's token, where there is none. */
function tokenIn(authorization: string): string {
  const [, scheme, credentials] = /^(bearer|basic) +(\S+)$/i.exec(authorization) ?? [];
  if (scheme === undefined || credentials === undefined) return '';
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const pair = Buffer.from(credentials, 'base64').toString();
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : '';
}

/** Over digests: neither the time taken nor an early end tells how much of a guess is right, or how long the token is. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
