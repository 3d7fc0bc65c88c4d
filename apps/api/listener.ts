import 'reflect-metadata';
import type { DynamicModule, Provider, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { createLogger } from '#configuration/logger.js';
import type { OpenIdConfiguration } from '#configuration/openid-connect.js';
import type { Ring } from '#database/key-rings/key-ring.js';
import type { EventStore } from '#event-store/event-store.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { CLOCK, DATABASE_POOL, ENVIRONMENT, EVENT_STORE, PUBLIC_URL, ROUTES } from '#http/injection-tokens.js';
import { openApiDocument } from '#http/openapi/document.js';
import { RequestLog } from '#http/request-log/request-log.js';
import { reasonOf, Responder } from '#http/pipeline/responder.js';
import { CrossOrigin } from '#http/pipeline/cross-origin.js';
import { Authoriser } from '#http/pipeline/authoriser.js';
import { MethodTable } from '#http/pipeline/method-table.js';
import { createPipelineAdapter, installPipeline } from '#http/pipeline/pipeline.js';
import { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import { RequestParser, WriteOpening } from '#http/pipeline/request-parser.js';
import { RateLimiter } from '#http/rate-limit/rate-limiter.js';
import type { RateLimits } from '#http/rate-limit/rate-limits.js';
import { API_PREFIX, type ResourceModule, routeTable } from '#http/operations/route-table.js';
import { programVersion } from '#embedded-postgres/program-root.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { serveMcp } from '#mcp/endpoint.js';
import { WriteProposals } from '#resources/integration/write-proposal/write-proposals.js';
import type { Access } from './console/access.js';
import { serveDocuments } from './docs/docs-page.js';
import { MetaModule } from './meta/meta.module.js';
import { NestLogger } from './nest-logger.js';
import { ProcessSession } from './process-session.js';

/** The settings of the API; the whole configuration of a process fits. */
export interface ApiConfiguration extends OpenIdConfiguration {
  readonly host: string;
  readonly logLevel: string;
  readonly rateLimitKey: number;
  readonly rateLimitKeyWrites: number;
  readonly rateLimitOrganisation: number;
  readonly rateLimitWebhookKey: number;
  readonly rateLimitWebhookOrganisation: number;
  readonly rateLimitImports: number;
  readonly rateLimitPublic: number;
  readonly rateLimitFailedAuth: number;
  /** Where each listener is reached from outside; null where the request says it. */
  readonly publicUrl: string | null;
  readonly sandboxPublicUrl: string | null;
  readonly avatarUrlTtlSeconds: number;
  /** Addresses that events may be sent to although they are not public. */
  readonly webhookAllowedCidrs: readonly string[];
  /** Whose `X-Forwarded-For` is believed: address ranges. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may read answers in a browser; none for no CORS. */
  readonly corsOrigins: readonly string[];
  /** `on` or `off`: whether answered requests are kept for some days, without what they carried. */
  readonly requestLog: string;
}

/** What an API process needs. */
export interface ListenerOptions {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly keys: { readonly ids: Buffer; readonly cursors: Ring };
  readonly configuration: ApiConfiguration;
  /** Live keys alone, or test keys alone. */
  readonly environment: 'live' | 'sandbox';
  /** 0 for any free one. */
  readonly port: number;
  /** The Nest modules of the resources. */
  readonly modules: readonly ResourceModule[];
  /** What those modules need besides the listener's own parts. */
  readonly providers?: readonly Provider[];
  /** Adds routes that are no operations: each has `config: { isPublic: true }`, or an `endpoint` in it. */
  readonly otherRoutes?: (fastify: FastifyInstance, access: Access) => void;
  /** The process's, which the caller closes; one of its own where not given. */
  readonly session?: ProcessSession;
  readonly logger?: FastifyBaseLogger;
  readonly clock?: Clock;
}

/** A running API. */
export interface RunningApi {
  /** Without a slash at its end. */
  readonly url: string;
  /** From now on connections are closed with their next answer; new ones are still taken. */
  drain(): void;
  /** Takes no new connections, finishes what was accepted, and releases the database. */
  stop(): Promise<void>;
}

/** What answers in progress may take when the listener stops. */
const STOP_MILLISECONDS = 7_000;

/** The machine's clock. */
export const SYSTEM_CLOCK: Clock = { now: () => new Date() };

/** Starts one listener. Throws what listening or the database throws; nothing is left running then. */
export async function startListener(options: ListenerOptions): Promise<RunningApi> {
  const session = options.session ?? (await ProcessSession.open(options.pool));
  const release = async (): Promise<void> => {
    if (options.session === undefined) await session.close();
  };
  try {
    const { url, drain, stop } = await listen(options, session);
    return { url, drain, stop: () => stop().finally(release) };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The routes of an API with these resources, in their order. */
export function apiRoutes(modules: readonly ResourceModule[]): ReturnType<typeof routeTable> {
  return routeTable([MetaModule, ...modules]);
}

async function listen(
  options: ListenerOptions,
  { keys }: ProcessSession,
): Promise<{ url: string; drain: () => void; stop: () => Promise<void> }> {
  const logger = options.logger ?? createLogger(options.configuration.logLevel);
  const clock = options.clock ?? SYSTEM_CLOCK;
  const routes = apiRoutes(options.modules);
  const methods = new MethodTable();
  const { corsOrigins } = options.configuration;
  const crossOrigin = corsOrigins.length === 0 ? null : new CrossOrigin(corsOrigins, methods);
  const responder = new Responder(crossOrigin, () => keys.drop());
  const adapter = createPipelineAdapter(logger, options.configuration.trustedProxies, () => responder);
  // The adapter's type is of Fastify's defaults; the instance is an ordinary one.
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const authoriser = new Authoriser({
    keys,
    limiter: new RateLimiter(options.pool),
    limits: rateLimitsOf(options.configuration),
    environment: options.environment,
    clock,
    methods,
    publicUrl: publicUrlOf(options),
  });
  const requestLog = options.configuration.requestLog === 'on' ? openRequestLog(options.pool, clock, logger) : null;
  const controllerOf = (controller: Type): object => app.get<object>(controller, { strict: false });
  const opening = new WriteOpening(options.pool, clock);
  installPipeline(fastify, {
    authoriser,
    requestParser: new RequestParser(opening),
    responder,
    methods,
    crossOrigin,
    routes,
    requestLog,
    controllerOf,
  });
  serveDocuments(fastify, () => JSON.stringify(openApiDocument(routes)));
  options.otherRoutes?.(fastify, {
    refuse: (request, reply, message) => authoriser.refuse(request, reply, message),
    forget: () => keys.drop(),
    current: (request) => authoriser.current(request),
    decided: (operationId, input) => {
      const route = routes.find(({ operation }) => operation.operationId === operationId);
      if (route === undefined) throw new Error(`there is no operation ${operationId}`);
      return invoker.decided(route, input);
    },
  });
  const settings = { logger: new NestLogger(logger), abortOnError: false, bodyParser: false };
  const invoker: OperationInvoker = new OperationInvoker({
    controllerOf,
    opening,
    onLostReceipt: (error) => logger.warn({ reason: reasonOf(error) }, 'a receipt could not be kept'),
  });
  const app = await NestFactory.create(apiModule(options, clock, routes, invoker), adapter, settings);
  serveMcp(fastify, {
    routes,
    invoker,
    proposer: {
      propose: (wanted) => app.get(WriteProposals, { strict: false }).propose(wanted),
      isProposed: (wanted) => app.get(WriteProposals, { strict: false }).isProposed(wanted),
    },
    drawCall: (key, reply) => authoriser.drawCall(key, reply),
    drawWrite: (key) => authoriser.drawWrite(key),
    crossOrigin,
    version: programVersion(),
    publicUrl: publicUrlOf(options),
  });
  app.setGlobalPrefix(API_PREFIX);
  await app.listen(options.port, options.configuration.host);
  const drain = (): void => {
    responder.isStopping = true;
  };
  const stop = async (): Promise<void> => {
    drain();
    // A caller who never reads an answer must not keep the process.
    const forcedClose = setTimeout(() => fastify.server.closeAllConnections(), STOP_MILLISECONDS);
    await fastify.close().finally(() => clearTimeout(forcedClose));
    await requestLog?.flush();
    await app.close();
  };
  return { url: await app.getUrl(), drain, stop };
}

function publicUrlOf({ environment, configuration }: ListenerOptions): string | null {
  return environment === 'live' ? configuration.publicUrl : configuration.sandboxPublicUrl;
}

function openRequestLog(pool: Pool, clock: Clock, logger: FastifyBaseLogger): RequestLog {
  return new RequestLog(pool, clock, (requests, error) =>
    logger.warn(
      { requests, reason: error === null ? 'too many at once' : reasonOf(error) },
      'requests are missing from the log of requests',
    ),
  );
}

class ApiModule {}

function apiModule(
  options: ListenerOptions,
  clock: Clock,
  routes: ReturnType<typeof routeTable>,
  invoker: OperationInvoker,
): DynamicModule {
  const providers: Provider[] = [
    { provide: DATABASE_POOL, useValue: options.pool },
    { provide: EVENT_STORE, useValue: options.eventStore },
    { provide: CLOCK, useValue: clock },
    { provide: ENVIRONMENT, useValue: options.environment },
    { provide: ROUTES, useValue: routes },
    { provide: PUBLIC_URL, useValue: publicUrlOf(options)?.replace(/\/+$/, '') ?? null },
    { provide: OperationInvoker, useValue: invoker },
    { provide: IdMint, useValue: new IdMint(options.keys.ids) },
    { provide: CursorCodec, useValue: new CursorCodec(options.keys.cursors) },
    ...(options.providers ?? []),
  ];
  return { module: ApiModule, global: true, imports: [MetaModule, ...options.modules], providers, exports: providers };
}

function rateLimitsOf(configuration: ApiConfiguration): RateLimits {
  return {
    key: configuration.rateLimitKey,
    keyWrites: configuration.rateLimitKeyWrites,
    organisation: configuration.rateLimitOrganisation,
    webhookKey: configuration.rateLimitWebhookKey,
    webhookOrganisation: configuration.rateLimitWebhookOrganisation,
    imports: configuration.rateLimitImports,
    publicDocuments: configuration.rateLimitPublic,
    failedAuthentication: configuration.rateLimitFailedAuth,
  };
}
