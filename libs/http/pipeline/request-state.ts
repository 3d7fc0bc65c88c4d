import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Span } from '#tracing/tracing.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { ErrorCode, HttpError } from '../errors.js';
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
    /** Whether it answers without a key. Only the documents that explain how to get one are public. */
    isPublic?: boolean;
    /** Whether only a link that the service has signed leads there: no address needs a budget for it. */
    hasSignedLink?: boolean;
    endpoint?: Endpoint;
  }
}

/**
 * A route that needs a key or a session and declares no operation: that of the Model Context Protocol, which
 * reaches many and records the one that it runs in `RequestState.invoked`, and those of the console's
 * session.
 */
export interface Endpoint {
  /** What logs and measurements call it. */
  readonly name: string;
  /** Who may call it. AI clients have keys; a browser's session has nothing to do there. */
  readonly callers: 'keys' | 'sessions' | 'all';
  /** Writes a refusal in the form of the protocol. */
  readonly errorBody: (error: HttpError, requestId: string) => string;
}

/** What the pipeline records about a request. */
export interface RequestState {
  readonly startedAt: number;
  /** Null for an unknown route and for public documents. */
  readonly compiled: CompiledOperation | null;
  readonly isPublic: boolean;
  /**
   * Whether it is a browser's question before a request of another origin; the pipeline answers it without a
   * key.
   */
  readonly isPreflight: boolean;
  /** Null without tracing. */
  readonly span: Span | null;
  key: AuthenticatedKey | null;
  /** The API key or the token of the session that was admitted, of which the service stores only a hash. */
  credential: string | null;
  /** What is left of the budgets that the request drew from. */
  budgets: readonly RateLimitStatus[];
  /** The answer of the write that this request asks for under its idempotency key; null for a read. */
  write: WriteAnswer | null;
  /** The outcome that a caller of the sandbox asked for; always null on the live address. */
  simulation: Simulation | null;
  /** What `If-None-Match` of a read says that the caller has. */
  knownTags: KnownTags | null;
  /** The id of the operation that an {@link Endpoint} ran last; null where it ran none. */
  invoked: string | null;
  /** The code of the error that the request was answered with; null for a success. */
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
