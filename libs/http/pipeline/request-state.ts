import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Span } from '#tracing/tracing.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { Endpoint } from '../endpoint.js';
import type { ErrorCode } from '../errors.js';
import type { CompiledOperation, Operation } from '../operation.js';
import type { RateLimitStatus } from '../rate-limit/rate-limiter.js';
import type { KnownTags } from './request-headers.js';
import type { Simulation } from './simulation.js';
import type { WriteAnswer } from './writes.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The state of the request; null before its first hook. */
    state: RequestState | null;
  }

  interface FastifyContextConfig {
    operation?: Operation;
    compiled?: CompiledOperation;
    endpoint?: Endpoint;
  }
}

/** The state of a request in the pipeline. */
export interface RequestState {
  readonly startedAt: number;
  /** Null for an unknown route and for an endpoint. */
  readonly compiled: CompiledOperation | null;
  /** Null for an unknown route and for an operation. */
  readonly endpoint: Endpoint | null;
  readonly isPublic: boolean;
  /** Whether it is a preflight of a request from another origin, which the pipeline answers without a key. */
  readonly isPreflight: boolean;
  /** Null without tracing. */
  readonly span: Span | null;
  key: AuthenticatedKey | null;
  /** The API key or the session token of the admitted request, of which the service stores only a hash. */
  credential: string | null;
  /** The remaining requests in the budgets of the request. */
  budgets: readonly RateLimitStatus[];
  /** The response of this request's write under its idempotency key; null for a read. */
  write: WriteAnswer | null;
  /** The simulated outcome that a caller of the sandbox requests; always null on the live address. */
  simulation: Simulation | null;
  /** The entity tags of `If-None-Match` of a read. */
  knownTags: KnownTags | null;
  /** The id of the operation that an endpoint ran last; null if it ran none. */
  invoked: string | null;
  /** The error code of the response; null for a success. */
  errorCode: ErrorCode | null;
}

/** Returns the state of a request that passed the first hook. */
export function stateOf(request: FastifyRequest): RequestState {
  if (request.state === null) throw new Error('the request did not pass the first hook');
  return request.state;
}

/**
 * Returns a generator of request ids of the form `[a-zA-Z0-9._:-]{8,64}` (contract part 7): a random prefix
 * for the process and a counter. The service never uses a request id that the caller sends.
 */
export function requestIdSource(): () => string {
  const process = `req_${randomBytes(12).toString('base64url')}`;
  let count = 0;
  return () => `${process}.${(count += 1).toString(36)}`;
}
