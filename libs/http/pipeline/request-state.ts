import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { WriteSession } from '#commands/write-session.js';
import type { Span } from '#tracing/tracing.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { Call } from '../call.js';
import type { CompiledOperation, Operation } from '../operation.js';
import type { Simulation } from '../headers/simulation.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What is known of the request so far; null before its first hook. */
    state: RequestState | null;
    call: Call<unknown, unknown, unknown> | null;
  }

  interface FastifyContextConfig {
    operation?: Operation;
    compiled?: CompiledOperation;
    /** Answers without a key: the documents that say how to get one. */
    isPublic?: boolean;
  }
}

/** What the pipeline learns of a request on its way. */
export interface RequestState {
  readonly startedAt: number;
  /** null for an unknown route and for public documents. */
  readonly compiled: CompiledOperation | null;
  readonly isPublic: boolean;
  /** Null where nothing is traced. */
  readonly span: Span | null;
  key: AuthenticatedKey | null;
  /** The session of a write whose idempotency key this request has claimed. */
  session: WriteSession | null;
  /** What the caller of the sandbox wants to meet; always null on the live address. */
  simulation: Simulation | null;
}

/** The state of a request that went through the first hook. */
export function stateOf(request: FastifyRequest): RequestState {
  if (request.state === null) throw new Error('the request did not pass the first hook');
  return request.state;
}

/**
 * Makes request ids of `[a-zA-Z0-9._:-]{8,64}` (contract part 7): random for the process, then counted. What a caller sends
 * as a request id is never taken over.
 */
export function requestIdSource(): () => string {
  const process = `req_${randomBytes(12).toString('base64url')}`;
  let count = 0;
  return () => `${process}.${(count += 1).toString(36)}`;
}
