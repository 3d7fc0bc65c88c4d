import { createHash, timingSafeEqual } from 'node:crypto';
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { register as globalRegistry, Registry } from 'prom-client';
import type { Configuration } from '#configuration/configuration.js';
import type { Logger } from '#configuration/logger.js';
import { MIGRATIONS } from '#resources/migrations.js';
import { processMetrics } from './metrics.js';
import { reasonsAgainst, type Dependencies } from './readiness.js';

/** What the operations listener watches over. */
export interface OperationsSettings extends Omit<Dependencies, 'migrations'> {
  readonly configuration: Configuration;
  /** 0 for any free one. */
  readonly port: number;
  readonly logger: Logger;
  /** Further reasons of the process itself not to be sent requests, a sentence each. */
  readonly readiness: () => readonly string[];
}

const LOOPBACK = '127.0.0.1';

/**
 * Starts the listener that only an operator may reach: `/health/live`, `/health/ready`, `/metrics` (the process's own
 * measurements and those in prom-client's global registry). Without `OPS_TOKEN` it listens on the loopback address only.
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
  routeHealth(server, settings);
  routeMetrics(server, processMetrics({ pool, eventStore }), configuration.operationsToken);
  const host = configuration.operationsToken === null ? LOOPBACK : configuration.host;
  const url = await server.listen({ host, port });
  return { url, stop: () => server.close() };
}

function routeHealth(server: FastifyInstance, { pool, eventStore, readiness }: OperationsSettings): void {
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async (_request, reply) => {
    const reasons = [...readiness(), ...(await reasonsAgainst({ pool, eventStore, migrations: MIGRATIONS }))];
    void reply.header('cache-control', 'no-store');
    if (reasons.length === 0) return { status: 'ready' };
    return reply.code(503).send({ status: 'not_ready', reasons });
  });
}

function routeMetrics(server: FastifyInstance, registry: Registry, token: string | null): void {
  server.get('/metrics', { onRequest: authorise(token) }, async (_request, reply) => {
    void reply.type(registry.contentType);
    // Merged at each look: what is measured elsewhere in the process may have been registered meanwhile.
    return Registry.merge([globalRegistry, registry]).metrics();
  });
}

/** A hook that asks for the operator's token, where there is one. */
export function authorise(token: string | null): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    if (token === null || isEqual(request.headers.authorization ?? '', `Bearer ${token}`)) return;
    await reply.code(401).header('www-authenticate', 'Bearer').send({ message: 'The operator token (OPS_TOKEN) is required.' });
  };
}

/** Over digests: neither the time taken nor an early end tells how much of a guess is right, or how long the token is. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
