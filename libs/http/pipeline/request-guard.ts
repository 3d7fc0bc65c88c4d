import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * A check that a request passes before its body is read. Nest runs the guards of operations in the order in which they are registered. Requests that
 * never become an operation of Nest (unknown paths, the endpoints of the console) pass the same checks in a hook, see `installPipeline`.
 */
export abstract class RequestGuard implements CanActivate {
  /** Throws the `HttpError` that ends the request. */
  abstract check(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    await this.check(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }
}
