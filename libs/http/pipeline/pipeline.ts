import type { Duplex } from 'node:stream';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteHandlerMethod,
} from 'fastify';
import type { Type } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { within } from '#tracing/tracing.js';
import { HttpError } from '../errors.js';
import { simulatedError } from '../headers/simulation.js';
import { compiledOf, compileOperation } from '../operation.js';
import type { Answer, Call } from '../call.js';
import { API_PREFIX, type Route } from '../operations/route-table.js';
import type { RequestLog } from '../request-log/request-log.js';
import type { Responder } from './responder.js';
import { fromFrameworkError } from './framework-error.js';
import type { Authoriser } from './authoriser.js';
import { createdPathOf } from '../operations/created-location.js';
import { acceptOnlyJson, MAXIMUM_BODY_BYTES, type RequestParser } from './request-parser.js';
import { compressAnswers } from './compression.js';
import { CONNECTION_LIMITS } from './connection-limits.js';
import type { CrossOrigin } from './cross-origin.js';
import type { MethodTable } from './method-table.js';
import { answerMalformed, answerOddRequests } from './raw-answers.js';
import { requestIdSource, stateOf } from './request-state.js';
import { answerLog, answeredRequest, endSpan, logAnswer, requestMeasurements, startRequestSpan } from './observe-request.js';
import { WITHOUT_SCHEMAS } from './without-schemas.js';

/** In characters. No parameter of this length fits into the headers, so a long id is an unknown id and not an error of the router. */
const LONGEST_PARAMETER = 16_384;

/** The parts of the pipeline that a request passes. */
export interface PipelineParts {
  readonly authoriser: Authoriser;
  readonly requestParser: RequestParser;
  readonly responder: Responder;
  readonly methods: MethodTable;
  /** Null where no origin is allowed: then no answer has a header for it, and no request is a preflight. */
  readonly crossOrigin: CrossOrigin | null;
  readonly routes: readonly Route[];
  /** Null where it is switched off. */
  readonly requestLog: RequestLog | null;
  /** Returns the instance of a controller, from the first request on. */
  readonly controllerOf: (controller: Type) => object;
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
    // HEAD is answered as GET (RFC 9110, section 9.3.2); a GET that must not be asked for twice says so at its route.
    exposeHeadRoutes: true,
    return503OnClosing: false,
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: nextRequestId,
    ...CONNECTION_LIMITS,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    schemaController: WITHOUT_SCHEMAS,
    http: {
      ...CONNECTION_LIMITS.http,
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
  compressAnswers(fastify);
  fastify.decorateRequest('state', null);
  fastify.decorateRequest('call', null);
  compileRoutes(fastify, parts);
  const measurements = requestMeasurements();
  const log = answerLog(fastify.log);
  fastify.addHook('onRequest', (request, reply, done) => {
    begin(parts, request, reply);
    if (answerPreflight(parts, request, reply)) return;
    settle(() => admit(parts, request, reply), done);
  });
  fastify.addHook('preHandler', (request, reply, done) => {
    const { span } = stateOf(request);
    const receiveAndGoOn = (): void =>
      settle(
        () => receive(parts, request, reply),
        (error) => (error === undefined && reply.sent ? undefined : done(error)),
      );
    // The handler also runs within the span, because the body parsers before it lose the asynchronous context.
    if (span === null) receiveAndGoOn();
    else within(span, receiveAndGoOn);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    logAnswer(log, request, reply);
    measurements.observe(request, reply);
    const answered = parts.requestLog === null ? null : answeredRequest(request, reply);
    if (answered !== null) parts.requestLog!.note(answered);
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

/**
 * Compiles the operation of each route, and lets Fastify call the controller itself: Nest declares routes and makes controllers, and its
 * own router would only find out again, for each request, that nothing stands between them.
 */
function compileRoutes(fastify: FastifyInstance, parts: PipelineParts): void {
  const { methods } = parts;
  const declared = new Map(parts.routes.map((route) => [route.operation, route]));
  fastify.addHook('onRoute', (route) => {
    const { operation, isPublic, endpoint } = route.config ?? {};
    const names = [route.method].flat();
    if (operation === undefined && isPublic !== true && endpoint === undefined)
      throw new Error(`${names.join()} ${route.url} has no @Operation`);
    methods.add(route.url, names);
    if (operation === undefined) return;
    if (operation.bodyLimit !== undefined) route.bodyLimit = operation.bodyLimit;
    const own = declared.get(operation)!;
    const created = createdPathOf(own, parts.routes);
    const createdPath = created === null ? null : `/${API_PREFIX}${created}`;
    // The route of HEAD comes after that of GET, and is the same operation.
    const compiled = names[0] === 'HEAD' ? compiledOf(operation) : compileOperation(operation, names[0]!, route.url, createdPath);
    route.config = { ...route.config, compiled };
    route.handler = handlerOf(own, parts);
  });
}

type Handler = (call: Call<unknown, unknown, unknown> | null) => Promise<Answer> | Answer;

function handlerOf({ controller, handler }: Route, parts: PipelineParts): RouteHandlerMethod {
  const { controllerOf, responder, methods } = parts;
  let handle: Handler | null = null;
  return async (request, reply) => {
    try {
      if (stateOf(request).compiled === null) throw methods.refusal(request.method, request.url);
      if (handle === null) {
        const instance = controllerOf(controller) as Readonly<Record<string, Handler>>;
        handle = instance[handler]!.bind(instance);
      }
      await responder.success(request, reply, await handle(request.call));
    } catch (error) {
      await responder.failure(request, reply, error);
    }
    return reply;
  };
}

function begin({ crossOrigin }: PipelineParts, request: FastifyRequest, reply: FastifyReply): void {
  const { config } = request.routeOptions;
  request.state = {
    startedAt: performance.now(),
    compiled: request.is404 || lacksAnId(request) ? null : (config.compiled ?? null),
    isPublic: config.isPublic === true,
    isPreflight: crossOrigin?.isPreflight(request) === true,
    span: startRequestSpan(request),
    key: null,
    credential: null,
    write: null,
    simulation: null,
    knownTags: null,
    invoked: null,
    errorCode: null,
  };
  reply.header('service-request-id', request.id).header('cache-control', 'no-store');
  crossOrigin?.label(request, reply);
  const { host } = request.headers;
  const isModern = request.raw.httpVersionMinor === 1;
  if ((isModern && host === undefined) || host?.includes(',') === true) {
    throw new HttpError('invalid_request', { details: [{ field: 'Host', issue: 'must be given once' }] });
  }
}

function admit({ authoriser }: PipelineParts, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
  if (!stateOf(request).isPublic) return authoriser.admit(request, reply);
  return request.routeOptions.config.hasSignedLink === true ? undefined : authoriser.admitPublic(request);
}

/** Answers a preflight before anything looks for a key: browsers send none with it. Returns whether the request is one. */
function answerPreflight({ crossOrigin, responder }: PipelineParts, request: FastifyRequest, reply: FastifyReply): boolean {
  if (crossOrigin === null || !stateOf(request).isPreflight) return false;
  crossOrigin.permit(request, reply);
  responder.empty(reply);
  return true;
}

/** A path with an empty id (`/people//end`) matches its route, but no operation: it is answered like an unknown path. */
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

/** Nest's adapter, which leaves answers and errors to the pipeline. Nest only declares routes. */
export class PipelineAdapter extends FastifyAdapter {
  /** Does nothing: Nest's own handler would answer in another shape. */
  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance();
  }

  override setNotFoundHandler(): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    return this.getInstance();
  }
}
