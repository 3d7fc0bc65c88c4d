import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseTraceParent } from '#tracing/trace-context.js';
import { type Span, startSpan } from '#tracing/tracing.js';

/**
 * The span of a request, whose parent the caller may name; null where nothing is traced. It says the route as it is
 * declared, and never the address, a header or a body.
 */
export function startRequestSpan(request: FastifyRequest): Span | null {
  const { traceparent } = request.headers;
  const { compiled } = request.routeOptions.config;
  const parent = typeof traceparent === 'string' && parseTraceParent(traceparent) !== null ? traceparent : null;
  return startSpan(compiled === undefined || request.is404 ? 'request' : compiled.operation.operationId, {
    kind: 'server',
    parent,
    attributes: {
      'http.request.method': request.method,
      'http.route': request.is404 ? '' : (request.routeOptions.url ?? ''),
      'workforce.request_id': request.id,
    },
  });
}

/** Ends it with what was answered. */
export function endSpan({ state }: FastifyRequest, reply: FastifyReply): void {
  const span = state?.span ?? null;
  if (span === null) return;
  span.set({ 'http.response.status_code': reply.statusCode });
  if (reply.statusCode >= 500) span.fail();
  span.end();
}
