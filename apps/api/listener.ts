import 'reflect-metadata';
import type { DynamicModule, NestInterceptor, PipeTransform, Provider, Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { createLogger } from '#configuration/logger.js';
import type { OpenIdConfiguration } from '#configuration/openid-connect.js';
import type { Ring } from '#database/key-rings/key-ring.js';
import type { EventStore } from '#event-store/event-store.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import {
  CLOCK,
  DATABASE_POOL,
  ENVIRONMENT,
  EVENT_STORE,
  PROGRAM_VERSION,
  PUBLIC_URL,
  ROUTES,
} from '#commands/injection-tokens.js';
import { RequestLog } from '#audit/request-log/request-writer.js';
import { reasonOf } from '#configuration/error-for-log.js';
import { AuthenticationGuard } from '#http/pipeline/authentication-guard.js';
import { BudgetGuard } from '#http/pipeline/budget-guard.js';
import { CallPipe } from '#http/pipeline/call-pipe.js';
import { CrossOrigin } from '#http/pipeline/cross-origin.js';
import { EntityTagInterceptor, EnvelopeInterceptor } from '#http/pipeline/answers.js';
import { ErrorFilter } from '#http/pipeline/error-filter.js';
import { MethodTable } from '#http/pipeline/method-table.js';
import { createPipelineAdapter, installPipeline } from '#http/pipeline/pipeline.js';
import { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import { PlanGuard, type RequestGuard, ScopeGuard } from '#http/pipeline/guards.js';
import { SimulatedRefusalGuard, SimulationGuard } from '#http/pipeline/simulation-guards.js';
import { WriteOpening } from '#http/pipeline/writes.js';
import { RateLimiter, type RateLimits } from '#http/rate-limit/rate-limiter.js';
import { API_PREFIX, type ResourceModule, routeTable } from '#http/operations/route-table.js';
import { programVersion } from '#embedded-postgres/program-root.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { PeopleInSight } from '#people/sight/people-in-sight.js';
import { serveBuiltFiles } from './built-files.js';
import { DocsModule } from './docs/docs.controller.js';
import { MetaModule } from './meta/meta.module.js';
import { NestLogger } from './nest-logger.js';
import { ProcessSession } from './process-session.js';

/** The settings of the API; the whole configuration of a process is valid. */
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
  /** The public address of each listener; null if requests tell it. */
  readonly publicUrl: string | null;
  readonly sandboxPublicUrl: string | null;
  readonly avatarUrlTtlSeconds: number;
  /** Non-public addresses that may receive webhooks. */
  readonly webhookAllowedCidrs: readonly string[];
  /** The address ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may read responses in a browser; empty for no CORS. */
  readonly corsOrigins: readonly string[];
  /** `on` or `off`: whether answered requests are stored for some days, without their content. */
  readonly requestLog: string;
}

/** The dependencies of an API process. */
export interface ListenerOptions {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly keys: { readonly ids: Buffer; readonly cursors: Ring };
  readonly configuration: ApiConfiguration;
  /** Live keys only, or test keys only. */
  readonly environment: 'live' | 'sandbox';
  /** 0 for any free one. */
  readonly port: number;
  /** The Nest modules of the resources. */
  readonly modules: readonly ResourceModule[];
  /** The dependencies of those modules besides the listener's own parts. */
  readonly providers?: readonly Provider[];
  /** The process's session, which the caller closes; by default one of its own. */
  readonly session?: ProcessSession;
  readonly logger?: FastifyBaseLogger;
  readonly clock?: Clock;
}

/** A running API. */
export interface RunningApi {
  /** Without a trailing slash. */
  readonly url: string;
  /** From now on connections are closed after their next response; new ones are still accepted. */
  drain(): void;
  /** Accepts no new connections, completes accepted requests, and releases the database. */
  stop(): Promise<void>;
}

/** The paths of endpoints without the prefix of the contract. */
const OUTSIDE_THE_PREFIX = ['/', 'calendars{/*path}', 'console{/*path}', 'docs{/*path}', 'mcp'];

/** The time limit of responses when the listener stops. */
const STOP_MILLISECONDS = 7_000;

/** The system clock. */
export const SYSTEM_CLOCK: Clock = { now: () => new Date() };

/** Starts one listener. Throws errors of listening and of the database, and then leaves nothing running. */
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
  const crossOrigin = new CrossOrigin(options.configuration.corsOrigins, methods);
  const errors = new ErrorFilter(crossOrigin);
  const adapter = createPipelineAdapter(logger, options.configuration.trustedProxies, errors);
  // The adapter's type has Fastify's defaults; the instance is an ordinary one.
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const { environment } = options;
  const budgets = new BudgetGuard(new RateLimiter(options.pool), rateLimitsOf(options.configuration));
  const authentication = new AuthenticationGuard({
    keys,
    environment,
    clock,
    publicUrl: publicUrlOf(options),
    budgets,
  });
  const isSandbox = environment === 'sandbox';
  // In the order of checks (docs/reference/http.md).
  const guards: readonly RequestGuard[] = [
    authentication,
    budgets,
    ...(isSandbox ? [new SimulationGuard()] : []),
    new ScopeGuard(methods),
    new PlanGuard(),
    ...(isSandbox ? [new SimulatedRefusalGuard()] : []),
  ];
  const requestLog = options.configuration.requestLog === 'on' ? openRequestLog(options.pool, clock, logger) : null;
  const controllerOf = (controller: Type): object => app.get<object>(controller, { strict: false });
  const opening = new WriteOpening(options.pool, clock);
  const sights = new PeopleInSight(options.pool, clock);
  let isStopping = false;
  installPipeline(fastify, {
    guards,
    errors,
    methods,
    crossOrigin,
    routes,
    requestLog,
    isStopping: () => isStopping,
  });
  serveBuiltFiles(fastify);
  const settings = { logger: new NestLogger(logger), abortOnError: false, bodyParser: false };
  const invoker: OperationInvoker = new OperationInvoker({
    controllerOf,
    opening,
    sights,
    onLostReceipt: (error) => logger.warn({ reason: reasonOf(error) }, 'a receipt could not be stored'),
  });
  const cycle = requestCycle({
    guards,
    pipe: new CallPipe(opening, sights),
    interceptors: [new EnvelopeInterceptor(authentication), new EntityTagInterceptor()],
    errors,
  });
  const parts = [
    { provide: CLOCK, useValue: clock },
    { provide: ROUTES, useValue: routes },
    { provide: OperationInvoker, useValue: invoker },
    { provide: AuthenticationGuard, useValue: authentication },
    { provide: BudgetGuard, useValue: budgets },
    { provide: CrossOrigin, useValue: crossOrigin },
  ];
  const app = await NestFactory.create(apiModule(options, parts, cycle), adapter, settings);
  app.setGlobalPrefix(API_PREFIX, { exclude: OUTSIDE_THE_PREFIX });
  await app.listen(options.port, options.configuration.host);
  const drain = (): void => {
    isStopping = true;
  };
  const stop = async (): Promise<void> => {
    drain();
    // A caller who never reads a response must not block the shutdown.
    const forcedClose = setTimeout(() => fastify.server.closeAllConnections(), STOP_MILLISECONDS);
    await app.close().finally(() => clearTimeout(forcedClose));
    await requestLog?.flush();
  };
  return { url: await app.getUrl(), drain, stop };
}

/** The address of the listener without a slash at its end; null if it is not set. */
function publicUrlOf({ environment, configuration }: ListenerOptions): string | null {
  const url = environment === 'live' ? configuration.publicUrl : configuration.sandboxPublicUrl;
  return url?.replace(/\/+$/, '') ?? null;
}

function openRequestLog(pool: Pool, clock: Clock, logger: FastifyBaseLogger): RequestLog {
  return new RequestLog(pool, clock, (requests, error) =>
    logger.warn(
      { requests, reason: error === null ? 'too many at once' : reasonOf(error) },
      'requests were dropped from the request log',
    ),
  );
}

/**
 * Nest's request cycle, in the order of checks (docs/reference/http.md): guards from first to last, the
 * outermost interceptor first.
 */
function requestCycle(stages: {
  readonly guards: readonly RequestGuard[];
  readonly pipe: PipeTransform;
  readonly interceptors: readonly NestInterceptor[];
  readonly errors: ErrorFilter;
}): readonly Provider[] {
  return [
    ...stages.guards.map((useValue) => ({ provide: APP_GUARD, useValue })),
    { provide: APP_PIPE, useValue: stages.pipe },
    ...stages.interceptors.map((useValue) => ({ provide: APP_INTERCEPTOR, useValue })),
    { provide: APP_FILTER, useValue: stages.errors },
  ];
}

class ApiModule {}

function apiModule(options: ListenerOptions, parts: readonly Provider[], cycle: readonly Provider[]): DynamicModule {
  const providers: Provider[] = [
    { provide: DATABASE_POOL, useValue: options.pool },
    { provide: EVENT_STORE, useValue: options.eventStore },
    { provide: ENVIRONMENT, useValue: options.environment },
    { provide: PUBLIC_URL, useValue: publicUrlOf(options) },
    { provide: PROGRAM_VERSION, useValue: programVersion() },
    { provide: IdMint, useValue: new IdMint(options.keys.ids) },
    { provide: CursorCodec, useValue: new CursorCodec(options.keys.cursors) },
    ...parts,
    ...(options.providers ?? []),
  ];
  return {
    module: ApiModule,
    global: true,
    imports: [MetaModule, DocsModule, ...options.modules],
    providers: [...providers, ...cycle],
    exports: providers,
  };
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
