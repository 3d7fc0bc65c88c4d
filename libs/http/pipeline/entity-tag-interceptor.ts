import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { Answer } from '../call.js';
import { isKnown } from '../headers/read-headers.js';
import { stateOf } from './request-state.js';

/** Sends the entity tag of what a controller answers, strong and weak; and 304 where the caller of a read has it already (If-None-Match). */
@Injectable()
export class EntityTagInterceptor implements NestInterceptor<Answer, Answer> {
  intercept(context: ExecutionContext, next: CallHandler<Answer>): Observable<Answer> {
    const http = context.switchToHttp();
    const state = stateOf(http.getRequest<FastifyRequest>());
    const reply = http.getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer) => {
        const { entityTag } = answer;
        if (entityTag === undefined) return answer;
        sendEntityTag(reply, entityTag);
        return isKnown(entityTag, state.knownTags) ? { status: 304 } : answer;
      }),
    );
  }
}

/** @param entityTag - opaque, without quotes */
export function sendEntityTag(reply: FastifyReply, entityTag: string): void {
  reply.header('service-resource-etag', `"${entityTag}"`).header('etag', `W/"${entityTag}"`);
}
