import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import type { Answer } from '../call.js';
import { prepareAnswer } from './envelope.js';
import { stateOf } from './request-state.js';

/** Puts what a controller answers into the contract's envelope: in the text that the receipt of a write holds, or as the operation declares it. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor<Answer, string | undefined> {
  /** @param forgetAuthorisations - called before a write is answered that may have changed who has access */
  constructor(private readonly forgetAuthorisations: () => void) {}

  intercept(context: ExecutionContext, next: CallHandler<Answer>): Observable<string | undefined> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    return next.handle().pipe(mergeMap((answer) => this.envelope(request, reply, answer)));
  }

  private async envelope(request: FastifyRequest, reply: FastifyReply, answer: Answer): Promise<string | undefined> {
    const { compiled, write, simulation } = stateOf(request);
    const { operation, serialise } = compiled!;
    if (write === null) {
      const status = answer.status ?? operation.successStatus;
      return prepareAnswer(reply, status, serialise === null || status === 304 ? '' : serialise(answer.data, answer.nextCursor ?? null));
    }
    if (write.shown === null) await write.keep(answer);
    // The notice that reaches all processes may come after the answer, and a revocation holds at once where it was made.
    if (operation.scope === 'access:manage') this.forgetAuthorisations();
    // The write is complete, but the caller gets no answer, as with a broken connection.
    if (simulation?.outcome === 'lost_answer') request.raw.socket.destroy();
    const { status, body, isReplay } = write.shown!;
    if (isReplay) reply.header('idempotent-replayed', 'true');
    return prepareAnswer(reply, status, body);
  }
}
