import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnsweredError, type StoredAnswer } from '#commands/receipts/receipts.js';
import { type HttpError, toHttpError } from '../errors.js';
import { withWeakTagsNamed } from '../headers/write-headers.js';
import type { CrossOrigin } from './cross-origin.js';
import { sendEntityTag } from './entity-tag-interceptor.js';
import { prepareAnswer } from './envelope.js';
import { errorBody } from './error-body.js';
import { fromFrameworkError } from './framework-error.js';
import { logFailure, reasonOf } from './log-failure.js';
import { stateOf } from './request-state.js';
import type { WriteAnswer } from './write-answer.js';

/** Answers every error in the envelope, of controllers as of Fastify; and a request that was answered before with the stored answer. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly crossOrigin: CrossOrigin | null) {}

  catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    return this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** The same for an error of a request that never became an operation. */
  async answer(cause: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // A request with a bad URL passes no hook, and has no state.
    const state = request.state ?? null;
    const write = state?.write ?? null;
    if (cause instanceof AnsweredError) return replay(reply, write === null ? cause.stored : write.opened(cause.stored));
    const ifMatch = request.headers['if-match'];
    const error = withWeakTagsNamed(toHttpError(fromFrameworkError(cause), ifMatch !== undefined), ifMatch);
    if (state !== null) state.errorCode = error.code;
    const writeError = request.routeOptions.config.endpoint?.errorBody ?? errorBody;
    const body = writeError(error, request.id);
    // A simulated failure is not logged as a failure; the line of the answer reports it.
    const outcome = state?.simulation?.outcome;
    if (outcome !== 'internal_error' && outcome !== 'service_unavailable') logFailure(request, error);
    // Requests with a bad URL pass no hook, so the common headers are set again here.
    reply.header('service-request-id', request.id).header('cache-control', 'no-store');
    this.crossOrigin?.label(request, reply);
    if (write !== null) {
      const earlier = await keepRefusal(write, error, body, (lost) => {
        request.log.warn({ request_id: request.id, reason: reasonOf(lost) }, 'a receipt could not be kept');
      });
      if (earlier !== null) return replay(reply, earlier);
    }
    for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
    if (error.status === 413) reply.header('connection', 'close');
    void reply.send(prepareAnswer(reply, error.status, body));
  }
}

/** Sends a stored answer. The header of an error names the request that it first answered, as its body does. */
function replay(reply: FastifyReply, stored: StoredAnswer): void {
  if (stored.status >= 400) {
    reply.header('service-request-id', stored.requestId);
    // No other refusals are stored, see `isFinal`.
    stateOf(reply.request).errorCode = stored.status === 404 ? 'not_found' : 'conflict';
  }
  reply.header('idempotent-replayed', 'true');
  if (stored.entityTag !== null) sendEntityTag(reply, stored.entityTag);
  void reply.send(prepareAnswer(reply, stored.status, stored.body));
}

/**
 * Stores a refusal by the domain under the idempotency key, and nothing of any other error, so that a retry runs again. Returns the answer of
 * another attempt that was faster; null where there was none.
 *
 * @param onLost - called with the reason if the refusal could not be stored
 */
export async function keepRefusal(
  write: WriteAnswer,
  error: HttpError,
  body: string,
  onLost: (error: unknown) => void,
): Promise<StoredAnswer | null> {
  if (!isFinal(error)) return null;
  try {
    await write.refuse({ status: error.status, body, entityTag: null });
  } catch (failure) {
    if (failure instanceof AnsweredError) return write.opened(failure.stored);
    onLost(failure);
  }
  return null;
}

function isFinal(error: HttpError): boolean {
  // A lost race without If-Match is a temporary conflict, which a retry may win.
  return error.code === 'not_found' || (error.code === 'conflict' && error.cause === undefined);
}
