import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, mergeMap, type Observable } from 'rxjs';
import type { Answer } from '../call.js';
import { type Envelope, envelopeOf } from '../operation.js';
import type { AuthenticationGuard } from './authentication-guard.js';
import { isKnown } from './request-headers.js';
import { stateOf } from './request-state.js';

/**
 * Sends the entity tag of an operation's result, strong and weak. Sends 304 if the caller of a read already
 * has it (If-None-Match).
 */
@Injectable()
export class EntityTagInterceptor implements NestInterceptor<Answer, Answer> {
  intercept(context: ExecutionContext, next: CallHandler<Answer>): Observable<Answer> {
    const http = context.switchToHttp();
    const state = stateOf(http.getRequest<FastifyRequest>());
    if (state.compiled === null) return next.handle();
    return next.handle().pipe(
      map((answer) => {
        const { entityTag } = answer;
        if (entityTag === undefined) return answer;
        sendEntityTag(http.getResponse<FastifyReply>(), entityTag);
        return isKnown(entityTag, state.knownTags) ? { status: 304 } : answer;
      }),
    );
  }
}

/** @param entityTag - opaque, without quotes */
export function sendEntityTag(reply: FastifyReply, entityTag: string): void {
  reply.header('service-resource-etag', `"${entityTag}"`).header('etag', `W/"${entityTag}"`);
}

/**
 * Wraps the result of an operation in the contract's envelope, which Fastify serialises. A write is answered
 * with the text that its receipt holds. Endpoints return their whole body; that of a write under an
 * idempotency key is its receipt's too.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor<Answer, Envelope | string | undefined> {
  constructor(private readonly authentication: AuthenticationGuard) {}

  intercept(context: ExecutionContext, next: CallHandler<Answer>): Observable<Envelope | string | undefined> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const { compiled, write } = stateOf(request);
    if (compiled === null && write === null) return next.handle() as Observable<never>;
    return next.handle().pipe(mergeMap((answer) => this.envelope(request, reply, answer)));
  }

  private async envelope(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
  ): Promise<Envelope | string | undefined> {
    const { compiled, write, simulation } = stateOf(request);
    if (write === null) {
      const { operation, serialise } = compiled!;
      reply.code(answer.status ?? operation.successStatus);
      return serialise === null || answer.status === 304 ? undefined : envelopeOf(answer);
    }
    // An endpoint without a body returns nothing.
    if (write.returned === null) await write.keep(answer ?? {});
    // The notification to all processes may arrive after the response, but a revocation must hold at once in
    // this process.
    if (compiled?.operation.scope === 'access:manage') this.authentication.forget();
    // The write is complete, but the connection is closed without a response.
    if (simulation?.outcome === 'lost_answer') request.raw.socket.destroy();
    const { status, body, isReplay } = write.returned!;
    if (isReplay) reply.header('idempotent-replayed', 'true');
    return prepareText(reply, status, body);
  }
}

/**
 * Sets status, type and Location of a response that is already text, and returns its body; undefined for a
 * status without a body.
 */
export function prepareText(reply: FastifyReply, status: number, body: string): string | undefined {
  reply.code(status);
  const createdPath = reply.request.state?.compiled?.createdPath ?? null;
  if (status === 201 && createdPath !== null) {
    const { data } = JSON.parse(body) as { readonly data: { readonly id: string } };
    reply.header('location', createdPath.replace(/\{\w+\}/, data.id));
  }
  if (status === 204) return undefined;
  reply.header('content-type', 'application/json; charset=utf-8');
  return body;
}
