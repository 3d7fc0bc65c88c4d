import type { Duplex } from 'node:stream';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { within } from '#tracing/tracing.js';
import { HttpError } from '../errors.js';
import { simulatedError } from '../headers/simulation.js';
import { compileOperation } from '../operation.js';
import type { Answer } from '../call.js';
import type { Responder } from './responder.js';
import { fromFrameworkError } from './framework-error.js';
import type { Authoriser } from './authoriser.js';
import { acceptOnlyJson, MAXIMUM_BODY_BYTES, type RequestParser } from './request-parser.js';
import type { CrossOrigin } from './cross-origin.js';
import type { MethodTable } from './method-table.js';
import { answerMalformed, answerOddRequests } from './raw-answers.js';
import { requestIdSource, stateOf } from './request-state.js';
import { answerLog, endSpan, logAnswer, requestMeasurements, startRequestSpan } from './observe-request.js';

const HEADERS_TIMEOUT_MILLISECONDS = 15_000;
const REQUEST_TIMEOUT_MILLISECONDS = 30_000;
const TIMEOUT_CHECK_MILLISECONDS = 5_000;
/** In characters. No parameter of this length fits into the headers, so a long id is an unknown id and not an error of the router. */
const LONGEST_PARAMETER = 16_384;

/** The parts of the pipeline that a request passes. */
export interface PipelineParts {
  readonly authoriser: Authoriser;
  readonly requestParser: RequestParser;
  readonly responder: Responder;
  readonly methods: MethodTable;
  readonly crossOrigin: CrossOrigin;
}

/**
 * Creates the Nest adapter for Fastify, with every answer in the contract's shape; call {@link installPipeline} next.
 * `trustedProxies` are the address ranges whose `X-Forwarded-For` is trusted.
 */
export function createPipelineAdapter(
  logger: FastifyBaseLogger,
  trustedProxies: readonly string[],
  responder: () => Responder,
): PipelineAdapter {
  const nextRequestId = requestIdSource();
  const adapter = new PipelineAdapter({
    loggerInstance: logger,
    // The pipeline writes one line for each request; a child logger for each request would cost more than that line.
    childLoggerFactory: (parent: FastifyBaseLogger) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    skipMiddie: true,
    bodyLimit: MAXIMUM_BODY_BYTES,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: nextRequestId,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MILLISECONDS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MILLISECONDS,
      // The pipeline answers both cases itself, in the envelope.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      void responder().failure(request, reply, fromFrameworkError(error)),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Duplex) => answerMalformed(error, socket, nextRequestId()),
  });
  answerOddRequests(adapter.getInstance().server, nextRequestId);
  return adapter;
}

/** Adds the pipeline's hooks to every route. Call it before any route is registered. */
export function installPipeline(fastify: FastifyInstance, parts: PipelineParts): void {
  acceptOnlyJson(fastify);
  fastify.decorateRequest('state', null);
  fastify.decorateRequest('call', null);
  compileRoutes(fastify, parts.methods);
  const measurements = requestMeasurements();
  const log = answerLog(fastify.log);
  fastify.addHook('onRequest', (request, reply, done) => {
    begin(parts, request, reply);
    if (answerPreflight(parts, request, reply)) return;
    settle(() => (stateOf(request).isPublic ? undefined : parts.authoriser.admit(request, reply)), done);
  });
  fastify.addHook('preHandler', (request, reply, done) => {
    // The handler also runs within the span, because the body parsers before it lose the asynchronous context.
    within(stateOf(request).span, () =>
      settle(
        () => receive(parts, request, reply),
        (error) => (error === undefined && reply.sent ? undefined : done(error)),
      ),
    );
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    logAnswer(log, request, reply);
    measurements.observe(request, reply);
    endSpan(request, reply);
    done();
  });
  fastify.setErrorHandler((error, request, reply) => parts.responder.failure(request, reply, fromFrameworkError(error)));
  fastify.setNotFoundHandler(async (request, reply) => {
    // For a target that no route can match, the router answers before the first hook.
    if (request.state === null) {
      begin(parts, request, reply);
      if (answerPreflight(parts, request, reply)) return;
    }
    if (request.state?.key === null) await parts.authoriser.admit(request, reply);
    throw parts.methods.refusal(request.method, request.url);
  });
}

function compileRoutes(fastify: FastifyInstance, methods: MethodTable): void {
  fastify.addHook('onRoute', (route) => {
    const { operation, isPublic, endpoint } = route.config ?? {};
    const names = [route.method].flat();
    if (operation === undefined && isPublic !== true && endpoint === undefined)
      throw new Error(`${names.join()} ${route.url} has no @Operation`);
    methods.add(route.url, names);
    if (operation !== undefined) route.config = { ...route.config, compiled: compileOperation(operation, names[0]!, route.url) };
  });
}

function begin({ crossOrigin }: PipelineParts, request: FastifyRequest, reply: FastifyReply): void {
  const { config } = request.routeOptions;
  request.state = {
    startedAt: performance.now(),
    compiled: request.is404 || lacksAnId(request) ? null : (config.compiled ?? null),
    isPublic: config.isPublic === true,
    isPreflight: crossOrigin.isPreflight(request),
    span: startRequestSpan(request),
    key: null,
    session: null,
    simulation: null,
    invoked: null,
  };
  reply.header('service-request-id', request.id).header('cache-control', 'no-store');
  crossOrigin.label(request, reply);
  const { host } = request.headers;
  const isModern = request.raw.httpVersionMinor === 1;
  if ((isModern && host === undefined) || host?.includes(',') === true) {
    throw new HttpError('invalid_request', { details: [{ field: 'Host', issue: 'must be given once' }] });
  }
}

/** Answers a preflight before anything looks for a key: browsers send none with it. Returns whether the request is one. */
function answerPreflight({ crossOrigin, responder }: PipelineParts, request: FastifyRequest, reply: FastifyReply): boolean {
  if (!stateOf(request).isPreflight) return false;
  crossOrigin.permit(request, reply);
  responder.empty(reply);
  return true;
}

/**
 * A path with an empty id (`/people//end`) matches its route. Nest's adapter then passes it to the not-found handler, which runs
 * the hooks again. Neither pass may receive the request: the second would claim the idempotency key of the first.
 */
function lacksAnId(request: FastifyRequest): boolean {
  return Object.entries(request.params as Readonly<Record<string, string>>).some(([name, value]) => name !== '*' && value === '');
}

function receive(parts: PipelineParts, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
  const { compiled, key, simulation } = stateOf(request);
  if (compiled === null || key === null) return undefined;
  const wanted = simulation === null ? null : simulatedError(simulation, 'late');
  if (compiled.operation.write === undefined) {
    parts.requestParser.receiveRead(request, compiled, key);
    if (wanted !== null) throw wanted;
    return undefined;
  }
  return parts.requestParser.receiveWrite(request, compiled, key).then((stored) => {
    if (stored !== null) parts.responder.replay(reply, stored);
    else if (wanted !== null) throw wanted;
  });
}

/** Runs a step that may finish synchronously, and creates a promise only where the step returns one. */
function settle(step: () => Promise<void> | undefined, done: (error?: Error) => void): void {
  let pending: Promise<void> | undefined;
  try {
    pending = step();
  } catch (error) {
    done(error as Error);
    return;
  }
  if (pending === undefined) done();
  else pending.then(() => done(), done);
}

/** Nest's adapter, where the pipeline writes answers and errors. Nest only routes. */
export class PipelineAdapter extends FastifyAdapter {
  private responder: Responder | null = null;

  /** Sets the responder that writes the answers. Call it before the first request. */
  answerThrough(responder: Responder): void {
    this.responder = responder;
  }

  /** Writes what a controller returned. Nest awaits the promise, although the base class's type returns a reply. */
  override reply(reply: FastifyReply, answer: unknown): ReturnType<FastifyAdapter['reply']> {
    if (this.responder === null) throw new Error('the pipeline has no responder yet');
    return this.responder.success(reply.request, reply, answer as Answer) as unknown as ReturnType<FastifyAdapter['reply']>;
  }

  /** Does nothing: Nest's own handler would answer in another shape. */
  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance();
  }

  override setNotFoundHandler(): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    return this.getInstance();
  }
}

/** Answers what a controller threw. */
@Catch()
export class FailureFilter implements ExceptionFilter {
  constructor(private readonly responder: Responder) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    await this.responder.failure(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error);
  }
}
