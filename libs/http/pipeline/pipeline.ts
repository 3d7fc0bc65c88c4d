import type { Duplex } from 'node:stream';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteHandlerMethod,
} from 'fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { within } from '#tracing/tracing.js';
import { HttpError } from '../errors.js';
import { endpointOf } from '../endpoint.js';
import { compiledOf, compileOperation } from '../operation.js';
import { API_PREFIX, createdPathOf, type Route } from '../operations/route-table.js';
import { compressAnswers } from './compression.js';
import { CONNECTION_LIMITS } from './connection-limits.js';
import type { CrossOrigin } from './cross-origin.js';
import type { ErrorFilter } from './error-filter.js';
import type { MethodTable } from './method-table.js';
import {
  answeredRequest,
  endSpan,
  logAnswer,
  requestMeasurements,
  type RequestNotes,
  startRequestSpan,
} from './observe-request.js';
import { answerMalformed, answerConnectRequests } from './raw-answers.js';
import { leaveBodiesUnparsed, MAX_BODY_BYTES } from './request-body.js';
import type { RequestGuard } from './guards.js';
import { requestIdSource, stateOf } from './request-state.js';

/**
 * In characters. Longer than any parameter that fits into the request line, so a long id is an unknown id and
 * not a router error.
 */
const MAX_PARAMETER_LENGTH = 16_384;

/** The checks of a request before and beside Nest's own cycle. */
export interface PipelineParts {
  /** The guards of Nest's cycle, in order: requests that do not reach a route pass them too. */
  readonly guards: readonly RequestGuard[];
  readonly errors: ErrorFilter;
  readonly methods: MethodTable;
  readonly crossOrigin: CrossOrigin;
  readonly routes: readonly Route[];
  /** Null if it is switched off. */
  readonly requestLog: RequestNotes | null;
  /** Whether the service is shutting down: each connection then closes after its response. */
  readonly isStopping: () => boolean;
}

/**
 * Creates the Nest adapter for Fastify, which answers in the contract's shape; call {@link installPipeline}
 * next. `trustedProxies` are the address ranges whose `X-Forwarded-For` is trusted.
 */
export function createPipelineAdapter(
  logger: FastifyBaseLogger,
  trustedProxies: readonly string[],
  errors: ErrorFilter,
): PipelineAdapter {
  const nextRequestId = requestIdSource();
  const adapter = new PipelineAdapter({
    loggerInstance: logger,
    // The pipeline logs one line per request; a child logger per request would cost more than that line.
    childLoggerFactory: (parent: FastifyBaseLogger) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    skipMiddie: true,
    bodyLimit: MAX_BODY_BYTES,
    // HEAD is answered like GET (RFC 9110, section 9.3.2); a GET with side effects excludes HEAD at its
    // route.
    exposeHeadRoutes: true,
    return503OnClosing: false,
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: nextRequestId,
    ...CONNECTION_LIMITS,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    http: {
      ...CONNECTION_LIMITS.http,
      // The pipeline answers both cases itself, in the envelope.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      void errors.answer(error, request, reply),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Duplex) =>
      answerMalformed(error, socket, nextRequestId()),
  });
  answerConnectRequests(adapter.getInstance().server, nextRequestId);
  return adapter;
}

/**
 * Adds the hooks around Nest's request cycle: request ids, spans, the log, and the responses to requests that
 * do not reach an operation. Call it before any route is registered.
 */
export function installPipeline(fastify: FastifyInstance, parts: PipelineParts): void {
  leaveBodiesUnparsed(fastify);
  compressAnswers(fastify);
  fastify.decorateRequest('state', null);
  compileRoutes(fastify, parts);
  const measurements = requestMeasurements();
  fastify.addHook('onRequest', async (request, reply) => {
    begin(parts, request, reply);
    if (answerPreflight(parts, request, reply)) return reply;
    return undefined;
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    const { span } = stateOf(request);
    // Guards, pipes and controllers run within the span.
    if (span === null) done();
    else within(span, done);
  });
  fastify.addHook('onSend', async (_request, reply) => {
    if (parts.isStopping()) reply.header('connection', 'close');
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply);
    measurements.observe(request, reply);
    const answered = parts.requestLog === null ? null : answeredRequest(request, reply);
    if (answered !== null) parts.requestLog!.note(answered);
    endSpan(request, reply);
    done();
  });
  fastify.setErrorHandler(async (error, request, reply) => {
    await parts.errors.answer(await orRefusal(parts, error, request, reply), request, reply);
    return reply;
  });
  fastify.setNotFoundHandler(async (request, reply) => {
    // For a target that no route can match, the router answers before the first hook.
    if (request.state === null) {
      begin(parts, request, reply);
      if (answerPreflight(parts, request, reply)) return reply;
    }
    if (stateOf(request).key === null) await admit(parts, request, reply);
    throw parts.methods.refusal(request.method, request.url);
  });
}

/** Compiles the operation of each route, and records the methods of its path. */
function compileRoutes(fastify: FastifyInstance, { routes, methods }: PipelineParts): void {
  const declared = new Map(routes.map((route) => [route.operation, route]));
  fastify.addHook('onRoute', (route) => {
    const { operation, endpoint } = route.config ?? {};
    const names = [route.method].flat();
    if (operation === undefined && endpoint === undefined)
      throw new Error(`${names.join()} ${route.url} has neither @Operation nor @Endpoint`);
    methods.add(route.url, names);
    if (operation === undefined) return;
    if (operation.bodyLimit !== undefined) route.bodyLimit = operation.bodyLimit;
    const created = createdPathOf(declared.get(operation)!, routes);
    const createdPath = created === null ? null : `/${API_PREFIX}${created}`;
    // The route of HEAD follows that of GET, and is the same operation.
    const compiled =
      names[0] === 'HEAD' ? compiledOf(operation) : compileOperation(operation, names[0]!, route.url, createdPath);
    route.config = { ...route.config, compiled };
    const { responseSchema, serialise } = compiled;
    if (serialise === null) return;
    route.schema = { response: { '2xx': responseSchema } };
    route.serializerCompiler = () => serialise as (body: unknown) => string;
  });
}

function begin({ crossOrigin }: PipelineParts, request: FastifyRequest, reply: FastifyReply): void {
  const { config } = request.routeOptions;
  const isUnknown = request.is404 || lacksAnId(request);
  request.state = {
    startedAt: performance.now(),
    compiled: isUnknown ? null : (config.compiled ?? null),
    endpoint: isUnknown ? null : (config.endpoint ?? null),
    isPublic: config.endpoint?.callers === 'public',
    isPreflight: crossOrigin.isPreflight(request),
    span: startRequestSpan(request),
    key: null,
    credential: null,
    budgets: [],
    write: null,
    simulation: null,
    knownTags: null,
    invoked: null,
    errorCode: null,
  };
  reply.header('service-request-id', request.id).header('cache-control', 'no-store');
  const deprecation = request.state.compiled?.deprecationHeaders;
  if (deprecation) reply.headers(deprecation);
  crossOrigin.label(request, reply);
  const { host } = request.headers;
  const isHttp11 = request.raw.httpVersionMinor === 1;
  if ((isHttp11 && host === undefined) || host?.includes(',') === true) {
    throw new HttpError('invalid_request', { details: [{ field: 'Host', issue: 'must be given once' }] });
  }
}

/** Runs the guards for a request that Nest does not pass to them: its path or its content type is unknown. */
async function admit({ guards }: PipelineParts, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  for (const guard of guards) await guard.enforce(request, reply);
}

/**
 * Returns the Fastify error to answer a request with. A request with a content type that Fastify refuses has
 * not passed the guards yet: their refusals come first.
 */
async function orRefusal(
  parts: PipelineParts,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const isUnchecked = isRefusedType(error) && request.state?.key === null;
  if (!isUnchecked) return error;
  try {
    await admit(parts, request, reply);
    return error;
  } catch (refusal) {
    return refusal;
  }
}

function isRefusedType(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
}

/**
 * Answers a preflight before authentication, because browsers send no key with it. Returns whether the
 * request is a preflight.
 */
function answerPreflight({ crossOrigin }: PipelineParts, request: FastifyRequest, reply: FastifyReply): boolean {
  if (!stateOf(request).isPreflight) return false;
  crossOrigin.permit(request, reply);
  void reply.code(204).send();
  return true;
}

/**
 * A path with an empty id (`/people//end`) matches its route, but no operation. It is answered like an
 * unknown path.
 */
function lacksAnId(request: FastifyRequest): boolean {
  return Object.entries(request.params as Readonly<Record<string, string>>).some(
    ([name, value]) => name !== '*' && value === '',
  );
}

/** Nest's adapter. The pipeline answers unknown paths and errors outside of routes. */
class PipelineAdapter extends FastifyAdapter {
  /** Omits HEAD if an endpoint excludes it: Nest does not pass this option to Fastify's routes. */
  override get(...route: readonly unknown[]): ReturnType<FastifyAdapter['get']> {
    const [path, handler] = route as [string, RouteHandlerMethod];
    const endpoint = endpointOf(handler);
    if (endpoint?.excludesHead !== true) return super.get(path, handler);
    return this.getInstance().route({
      method: 'GET',
      url: path,
      handler,
      config: { endpoint },
      exposeHeadRoute: false,
    });
  }

  /** Does nothing, like the next method: Nest's own handlers would answer in another shape. */
  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance();
  }

  override setNotFoundHandler(): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    return this.getInstance();
  }
}
