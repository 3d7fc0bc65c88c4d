import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MethodTable } from './method-table.js';
import { SIMULATE_HEADER, SIMULATED_HEADER } from './simulation.js';

/**
 * The request headers of the contract (parts 5 and 7), with `traceparent` (W3C Trace Context), the sandbox's
 * own and those of the Model Context Protocol (revision 2026-07-28, Streamable HTTP).
 */
export const REQUEST_HEADERS: readonly string[] = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', SIMULATE_HEADER, 'traceparent'],
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
];

/**
 * The response headers that pages may read: those that the OpenAPI document declares, and those of single
 * responses.
 */
export const RESPONSE_HEADERS: readonly string[] = [
  ...['Access-Control-Allow-Origin', 'Service-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Retry-After'],
  ...['WWW-Authenticate', 'Service-Resource-ETag', 'ETag', 'Location', 'Idempotent-Replayed', 'Allow'],
  SIMULATED_HEADER,
];

/** How long a browser may cache a preflight response: two hours, the maximum of Chromium. */
const MAX_AGE_SECONDS = '7200';

/** The request headers on which a preflight response depends, for caches between browser and service. */
const PREFLIGHT_VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';

/**
 * Lets pages of other origins read answers in a browser (CORS, Fetch standard, section 3.2). Without allowed
 * origins it adds no header and answers no preflight. Credentials mode is off: a page sends its API key
 * itself. `@fastify/cors` adds a route `OPTIONS *`, permits methods to disallowed origins, and answers other
 * OPTIONS requests with 400.
 */
export class CrossOrigin {
  private readonly allowed: ReadonlySet<string>;

  /** @param origins the allowed origins, each written as browsers send it: `https://hr.example.com`. */
  constructor(
    origins: readonly string[],
    private readonly methods: MethodTable,
  ) {
    this.allowed = new Set(origins);
  }

  /** Whether the request is a preflight that {@link permit} answers. It is false if no origin is allowed. */
  isPreflight({ method, headers }: FastifyRequest): boolean {
    if (this.allowed.size === 0 || method !== 'OPTIONS') return false;
    return headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
  }

  /** Adds the headers that let an allowed origin read the response, whatever its status. */
  label({ headers }: FastifyRequest, reply: FastifyReply): void {
    if (this.allowed.size === 0) return;
    reply.header('vary', 'Origin');
    if (!this.isAllowed(headers.origin)) return;
    reply
      .header('access-control-allow-origin', headers.origin)
      .header('access-control-expose-headers', RESPONSE_HEADERS.join(', '));
  }

  /**
   * Adds the headers that a preflight requests. Other origins get no permission. An unknown path allows every
   * method of the API, so that the page receives the request's own 404 and not a network failure.
   */
  permit({ headers, url }: FastifyRequest, reply: FastifyReply): void {
    reply.header('vary', PREFLIGHT_VARY);
    if (!this.isAllowed(headers.origin)) return;
    reply
      .removeHeader('access-control-expose-headers')
      .header('access-control-allow-methods', (this.methods.methodsOf(url) ?? this.methods.everyMethod()).join(', '))
      .header('access-control-allow-headers', REQUEST_HEADERS.join(', '))
      .header('access-control-max-age', MAX_AGE_SECONDS);
  }

  /** Whether pages of an origin may read answers. */
  isAllowed(origin: string | undefined): boolean {
    return origin !== undefined && this.allowed.has(origin);
  }
}
