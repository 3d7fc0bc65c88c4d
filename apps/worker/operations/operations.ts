import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import pg, { type Pool } from 'pg';
import { register as globalRegistry, Registry } from 'prom-client';
import { serveBuiltFiles } from '#api/built-files.js';
import { ConsoleBuild } from '#api/console/console-build.js';
import type { Configuration } from '#configuration/configuration.js';
import type { Logger } from '#configuration/logger.js';
import { CONNECTION_LIMITS } from '#http/pipeline/connection-limits.js';
import { AddressLimiter } from '#http/rate-limit/address-limiter.js';
import type { JobQueue } from '#jobs/job-engine.js';
import type { WorkRequests } from '#jobs/requested-work.js';
import type { Clock } from '#kernel/clock.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { routeDeliveries } from './deliveries-route.js';
import { engineRoutes } from './engines-route.js';
import { eventRoutes } from './events-route.js';
import { isOwnHost, refuseForeignHosts, refuseForeignPages } from './foreign-requests.js';
import { healthOf } from './health.js';
import { processMetrics } from './metrics.js';
import { routeOperator } from './operator-routes.js';
import { BROWSER_CHALLENGE, operatorHooks, type OperatorHook } from './operator-token.js';
import { projectionRoutes } from './projections-route.js';
import { type BoardSettings, type QueueBoard, queueBoard } from './queue-board.js';
import { readinessOf, warningsOf, type Dependencies } from './readiness.js';

/** The dependencies and settings of the operations listener. */
export interface OperationsSettings extends Omit<Dependencies, 'migrations'> {
  readonly configuration: Configuration;
  /** 0 for any free one. */
  readonly port: number;
  readonly logger: Logger;
  /** The system clock by default. */
  readonly clock?: Clock;
  /** Further reasons of the process itself for receiving no requests, a sentence each. */
  readonly readiness: () => readonly string[];
  /** The queues of BullMQ that `/queues` shows; without them, there is no such page. */
  readonly queues?: readonly JobQueue[];
  /** Notifies workers of requested rebuilds; without it, they wait for the sweep. */
  readonly work?: WorkRequests;
}

const LOOPBACK = '127.0.0.1';
const BOARD = '/queues';
/** Probes send any `Host`. With a foreign one the response is a single word without details. */
const HEALTH: ReadonlySet<string> = new Set(['/health', '/health/live', '/health/ready']);

/**
 * Starts the listener for operators: `/health`, `/health/live`, `/health/ready`, `/metrics` (the process's
 * own metrics and those in prom-client's global registry), `/deliveries` (failing endpoints and waiting
 * deliveries), `/projections`, `/events` and `/engines`, `/console` (a page that shows them), `/queues` (the
 * dashboard of jobs). Without `OPS_TOKEN` it listens on the loopback address only, and answers only under its
 * names; with it, everything except health requires the token, and `RATE_LIMIT_FAILED_AUTH` limits wrong ones
 * per address and minute.
 */
export async function startOperations(settings: OperationsSettings): Promise<{ url: string; stop(): Promise<void> }> {
  const { configuration, port, logger, pool, eventStore } = settings;
  const server = Fastify({
    loggerInstance: logger.child({ listener: 'operations' }),
    // Probes come every few seconds, so they are not logged.
    logController: new LogController({ disableRequestLogging: true }),
    ...CONNECTION_LIMITS,
    // Interrupting a scrape is harmless, and open connections of a monitor must not delay a stop.
    forceCloseConnections: true,
    // Wrong tokens are counted for this address.
    trustProxy: configuration.trustedProxies.length > 0 && [...configuration.trustedProxies],
  });
  const hookFor = operatorHooks(configuration.operationsToken, new AddressLimiter(configuration.rateLimitFailedAuth));
  const watcher = watcherOf(pool);
  if (configuration.operationsToken === null)
    server.addHook('onRequest', refuseForeignHosts(configuration.host, HEALTH));
  server.addHook('onRequest', refuseForeignPages);
  server.addHook('onClose', () => watcher.end());
  server.addHook(
    'onRequest',
    async (_request, reply) =>
      void reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }),
  );
  routeHealth(server, settings, watcher);
  routeMetrics(
    server,
    processMetrics({ pool, eventStore, ...(settings.clock === undefined ? {} : { clock: settings.clock }) }),
    hookFor(),
  );
  routeDeliveries(server, pool, hookFor());
  const pageHooks = [hookFor(BROWSER_CHALLENGE)];
  routePage(server, pageHooks);
  server.get('/', { onRequest: pageHooks }, (_request, reply) => reply.redirect('/console'));
  routeOperator(server, pageHooks, [
    ...projectionRoutes({ pool, eventStore, clock: settings.clock ?? { now: () => new Date() }, work: settings.work }),
    ...eventRoutes(eventStore),
    ...engineRoutes({
      pool,
      eventStore,
      isEventStoreDb: configuration.eventStoreUrl !== null,
      redisUrl: configuration.redisUrl,
    }),
  ]);
  if (settings.queues !== undefined) routeBoard(server, { prefix: BOARD, queues: settings.queues, logger }, pageHooks);
  const host = configuration.operationsToken === null ? LOOPBACK : configuration.host;
  const url = await server.listen({ host, port });
  return { url, stop: () => server.close() };
}

/** The page of operators, and the files that it loads. */
function routePage(server: FastifyInstance, onRequest: OperatorHook[]): void {
  const build = new ConsoleBuild('operations.html');
  // A scope of its own, because the board of jobs decorates the same server with `sendFile`.
  void server.register(async (scope) => {
    serveBuiltFiles(scope);
    scope.get('/console', { onRequest }, (_request, reply) => reply.send(build.page(reply)));
    scope.get<{ Params: { '*': string } }>(
      '/console/*',
      { onRequest },
      ({ params }, reply) => build.send(reply, params['*']) ?? reply.callNotFound(),
    );
  });
}

/** One connection in addition to those of the process, to find the sessions that block them. */
function watcherOf(pool: Pool): Pool {
  const watcher = new pg.Pool({ ...pool.options, max: 1 });
  watcher.on('error', () => undefined);
  watcher.on('connect', (connection) => connection.on('error', () => undefined));
  return watcher;
}

function routeHealth(
  server: FastifyInstance,
  { configuration, pool, eventStore, readiness, queues }: OperationsSettings,
  watcher: Pool,
): void {
  const shown = <Health extends { readonly status: string }>(
    request: FastifyRequest,
    health: Health,
  ): Health | { status: string } =>
    configuration.operationsToken !== null || isOwnHost(request, configuration.host)
      ? health
      : { status: health.status };
  server.get('/health', async (request, reply) => {
    const health = await healthOf({
      pool,
      eventStore,
      queue: queues?.[0] === undefined ? null : () => queues[0]!.current(),
      reasons: readiness(),
    });
    return reply
      .code(health.status === 'failed' ? 503 : 200)
      .header('cache-control', 'no-store')
      .send(shown(request, health));
  });
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async (request, reply) => {
    const [{ reasons: found, degraded }, sentences] = await Promise.all([
      readinessOf({ pool, eventStore, migrations: MIGRATIONS }),
      warningsOf(watcher),
    ]);
    const reasons = [...readiness(), ...found];
    const warnings = sentences.length === 0 ? {} : { warnings: sentences };
    void reply.header('cache-control', 'no-store');
    if (reasons.length > 0) return reply.code(503).send(shown(request, { status: 'not_ready', reasons, ...warnings }));
    return shown(
      request,
      degraded.length === 0 ? { status: 'ready', ...warnings } : { status: 'degraded', reasons: degraded, ...warnings },
    );
  });
}

function routeMetrics(server: FastifyInstance, registry: Registry, onRequest: OperatorHook): void {
  server.get('/metrics', { onRequest }, async (_request, reply) => {
    void reply.type(registry.contentType);
    // Merged at each scrape, because other parts of the process may have registered metrics meanwhile.
    return Registry.merge([globalRegistry, registry]).metrics();
  });
}

/** Methods other than GET go to the dashboard too, which answers for those that it does not support. */
function routeBoard(server: FastifyInstance, settings: BoardSettings, onRequest: OperatorHook[]): void {
  const board = queueBoard(settings);
  server.addHook('onClose', () => board.close());
  void server.register(async (scope) => {
    // The dashboard reads bodies itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const url of [BOARD, `${BOARD}/*`]) {
      scope.route({
        method: ['GET', 'PUT', 'POST', 'PATCH'],
        url,
        onRequest,
        handler: (request, reply) => handOver(board, request, reply),
      });
    }
  });
}

async function handOver(board: QueueBoard, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const answer = await board.open();
  // Fastify does not send a hijacked reply.
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.hijack();
  answer(request.raw, reply.raw);
}
