import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram, register, type Registry } from 'prom-client';
import { parseTraceParent } from '#tracing/trace-context.js';
import { type Span, startSpan, tracer } from '#tracing/tracing.js';

/**
 * Starts the span of a request; null without tracing. The caller may name the parent span. The span contains
 * the declared route, but no address, header or body.
 */
export function startRequestSpan(request: FastifyRequest): Span | null {
  if (tracer === null) return null;
  const { traceparent } = request.headers;
  const { compiled, endpoint } = request.routeOptions.config;
  const parent = typeof traceparent === 'string' && parseTraceParent(traceparent) !== null ? traceparent : null;
  return startSpan(request.is404 ? 'request' : (compiled?.operation.operationId ?? endpoint?.name ?? 'request'), {
    kind: 'server',
    parent,
    attributes: {
      'http.request.method': request.method,
      'http.route': request.is404 ? '' : (request.routeOptions.url ?? ''),
      'workforce.request_id': request.id,
    },
  });
}

/** Ends the span with the status of the answer. */
export function endSpan({ state }: FastifyRequest, reply: FastifyReply): void {
  const span = state?.span ?? null;
  if (span === null) return;
  span.set({ 'http.response.status_code': reply.statusCode });
  if (reply.statusCode >= 500) span.fail();
  span.end();
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/**
 * The label for a request without a route: a label per address would be unbounded, because callers choose
 * addresses.
 */
const NO_ROUTE = 'none';
/** The operation label of preflights, for all routes. */
const PREFLIGHT = 'preflight';

/** Counts and times requests by operation, over all listeners of the process. */
export class RequestMeasurements {
  private readonly requests;
  private readonly seconds;
  private readonly limited;
  private readonly replayed;
  private readonly invoked;

  constructor(registry: Registry) {
    const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> =>
      new Counter({ name: `workforce_${name}`, help, labelNames, registers: [registry] });
    this.requests = counter('http_requests_total', 'Answered requests by operation and status', 'operation', 'status');
    this.seconds = new Histogram({
      name: 'workforce_http_request_duration_seconds',
      help: 'Seconds from the first hook of a request to the end of its answer',
      labelNames: ['operation'],
      buckets: SECONDS,
      registers: [registry],
    });
    this.limited = counter('http_rate_limited_total', 'Requests refused because a budget was used up');
    this.replayed = counter(
      'http_idempotent_replays_total',
      'Writes answered with the stored answer of their idempotency key',
    );
    this.invoked = counter(
      'mcp_operations_total',
      'Requests of AI clients that ran an operation, by the last operation',
      'operation',
    );
  }

  /** Counts an answered request. */
  observe(request: FastifyRequest, reply: FastifyReply): void {
    const { state } = request;
    const operation = operationOf(request) ?? NO_ROUTE;
    this.requests.inc({ operation, status: reply.statusCode });
    if (state !== null) this.seconds.observe({ operation }, (performance.now() - state.startedAt) / 1_000);
    if (state !== null && state.invoked !== null) this.invoked.inc({ operation: state.invoked });
    if (reply.statusCode === 429) this.limited.inc();
    if (reply.hasHeader('idempotent-replayed')) this.replayed.inc();
  }
}

function operationOf({ state, routeOptions }: FastifyRequest): string | undefined {
  return state?.isPreflight === true
    ? PREFLIGHT
    : (state?.compiled?.operation.operationId ?? routeOptions.config.endpoint?.name);
}

let ofProcess: RequestMeasurements | null = null;

/**
 * Returns the metrics of this process, in the registry that the operations listener publishes. The first call
 * creates them.
 */
export function requestMeasurements(): RequestMeasurements {
  ofProcess ??= new RequestMeasurements(register);
  return ofProcess;
}

/** An answered request of a key or a session, without its content. */
export interface AnsweredRequest {
  readonly organisationId: string;
  readonly requestId: string;
  readonly method: string;
  /** The pattern, with parameters as `:name`; null for an unknown path. */
  readonly route: string | null;
  readonly operation: string | null;
  readonly status: number;
  readonly errorCode: string | null;
  readonly callerType: string;
  readonly callerId: string;
  readonly milliseconds: number;
}

/** Buffers the answered requests for the request log. */
export interface RequestNotes {
  note(request: AnsweredRequest): void;
}

/**
 * Returns the entry of a request for the request log; null without a valid key or session, because the
 * request then belongs to no organisation.
 */
export function answeredRequest(request: FastifyRequest, reply: FastifyReply): AnsweredRequest | null {
  // A request with an invalid URL passes no hook, and has no state.
  const state = request.state ?? null;
  if (state === null || state.key === null) return null;
  const { key } = state;
  return {
    organisationId: key.organisation.id,
    requestId: request.id,
    method: request.method,
    route: request.is404 ? null : (request.routeOptions.url ?? null),
    operation: state.invoked ?? operationOf(request) ?? null,
    status: reply.statusCode,
    errorCode: state.errorCode,
    callerType: key.actor.type,
    callerId: key.keyId,
    milliseconds: performance.now() - state.startedAt,
  };
}

/** Writes one line for each request, without its address or body, because both may contain personal data. */
export function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { log, state } = request;
  log.info(
    {
      request_id: request.id,
      method: request.method,
      operation: operationOf(request),
      invoked: state?.invoked ?? undefined,
      status: reply.statusCode,
      milliseconds: state === null ? undefined : Math.round((performance.now() - state.startedAt) * 100) / 100,
      key_id: state?.key?.keyId,
      simulated: state?.simulation?.text,
    },
    'answered',
  );
}
