import type { FastifyRequest } from 'fastify';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { Call } from '../call.js';
import type { WriteSession } from '#commands/write-session.js';
import type { Operation } from '../operation.js';
import type { Span } from '#tracing/tracing.js';
import type { Simulation } from '../headers/simulation.js';
import type { CompiledOperation } from './compiled-operation.js';

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
