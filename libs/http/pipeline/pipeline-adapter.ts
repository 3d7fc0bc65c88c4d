import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../call.js';
import type { Responder } from './responder.js';

/** Nest's adapter, with answers and errors in the hands of the pipeline: Nest routes, and nothing more. */
export class PipelineAdapter extends FastifyAdapter {
  private responder: Responder | null = null;

  /** Says who writes the answers; before the first request. */
  answerThrough(responder: Responder): void {
    this.responder = responder;
  }

  /** What a controller returned. Nest awaits the promise, though the base class's type speaks of a reply. */
  override reply(reply: FastifyReply, answer: unknown): ReturnType<FastifyAdapter['reply']> {
    if (this.responder === null) throw new Error('the pipeline has no answers yet');
    return this.responder.success(reply.request, reply, answer as Answer) as unknown as ReturnType<FastifyAdapter['reply']>;
  }

  /** Nest's own would answer in another shape. */
  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance();
  }

  override setNotFoundHandler(): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    return this.getInstance();
  }
}

/** What a controller threw. */
@Catch()
export class FailureFilter implements ExceptionFilter {
  constructor(private readonly responder: Responder) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    await this.responder.failure(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error);
  }
}
