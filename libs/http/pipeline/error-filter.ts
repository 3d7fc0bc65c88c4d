import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnsweredError, type StoredAnswer } from '#commands/receipts/receipts.js';
import { errorForLog, reasonOf } from '#configuration/error-for-log.js';
import { errorBody, HttpError, type HttpErrorOptions, toHttpError, UNREADABLE_BODY } from '../errors.js';
import { prepareText, sendEntityTag } from './answers.js';
import type { CrossOrigin } from './cross-origin.js';
import { withWeakTagsNamed } from './request-headers.js';
import { stateOf } from './request-state.js';
import type { WriteAnswer } from './writes.js';

/**
 * Answers every error, of controllers and of Fastify, in the envelope, and a repeated request with its stored
 * response.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly crossOrigin: CrossOrigin) {}

  catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    return this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** The same for an error of a request that did not reach an operation. */
  async answer(cause: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // A request with an invalid URL passes no hook, and has no state.
    const state = request.state ?? null;
    const write = state?.write ?? null;
    if (cause instanceof AnsweredError)
      return replay(reply, write === null ? cause.stored : write.opened(cause.stored));
    const ifMatch = request.headers['if-match'];
    const error = withWeakTagsNamed(toHttpError(fromFrameworkError(cause), ifMatch !== undefined), ifMatch);
    if (state !== null) state.errorCode = error.code;
    const writeError = request.routeOptions.config.endpoint?.errorBody ?? errorBody;
    const body = writeError(error, request.id);
    // A simulated failure is not logged as a failure; the request's log line reports it.
    const outcome = state?.simulation?.outcome;
    if (outcome !== 'internal_error' && outcome !== 'service_unavailable') logFailure(request, error);
    // Requests with an invalid URL pass no hook, so the common headers are set here.
    reply.header('service-request-id', request.id).header('cache-control', 'no-store');
    this.crossOrigin.label(request, reply);
    if (write !== null) {
      const earlier = await keepRefusal(write, error, body, (lost) => {
        request.log.warn({ request_id: request.id, reason: reasonOf(lost) }, 'a receipt could not be stored');
      });
      if (earlier !== null) return replay(reply, earlier);
    }
    reply.headers(error.headers);
    if (error.status === 413) reply.header('connection', 'close');
    void reply.send(prepareText(reply, error.status, body));
  }
}

/**
 * Sends a stored response. Like its body, the header of an error names the request that was first answered
 * with it.
 */
function replay(reply: FastifyReply, stored: StoredAnswer): void {
  if (stored.status >= 400) {
    reply.header('service-request-id', stored.requestId);
    // Other refusals are not stored, see `keepRefusal`.
    stateOf(reply.request).errorCode = stored.status === 404 ? 'not_found' : 'conflict';
  }
  reply.header('idempotent-replayed', 'true');
  if (stored.entityTag !== null) sendEntityTag(reply, stored.entityTag);
  void reply.send(prepareText(reply, stored.status, stored.body));
}

/**
 * Stores a refusal by the domain under the idempotency key. Other errors are not stored, so that a retry runs
 * again. Returns the response of a concurrent attempt that was faster; null if there was none.
 *
 * @param onLost - called with the reason if the refusal could not be stored
 */
export async function keepRefusal(
  write: WriteAnswer,
  error: HttpError,
  body: string,
  onLost: (error: unknown) => void,
): Promise<StoredAnswer | null> {
  // Without If-Match, a revision conflict is temporary: a retry may succeed.
  if (error.code !== 'not_found' && (error.code !== 'conflict' || error.cause !== undefined)) return null;
  try {
    await write.refuse({ status: error.status, body, entityTag: null });
  } catch (failure) {
    if (failure instanceof AnsweredError) return write.opened(failure.stored);
    onLost(failure);
  }
  return null;
}

/** Logs the cause of a failure (5xx), which the caller does not see; refusals are not logged. */
export function logFailure({ id, log, state }: FastifyRequest, { status, cause }: HttpError): void {
  if (status < 500) return;
  const operation = state?.compiled?.operation.operationId ?? state?.invoked ?? undefined;
  const line = { request_id: id, operation, status };
  if (status === 503) log.warn({ ...line, reason: reasonOf(cause) }, 'a store is unavailable');
  else log.error({ ...line, error: errorForLog(cause) }, 'a request failed');
}

const CUT_OFF: HttpErrorOptions = { message: 'The request was cut off.' };

/**
 * The responses to errors of reading a body, by the `type` of `raw-body`, and to errors of Fastify, by code.
 */
const FRAMEWORK_ERRORS: Readonly<Record<string, HttpErrorOptions | undefined>> = {
  'entity.too.large': { status: 413, message: UNREADABLE_BODY[413] },
  'request.size.invalid': { message: 'The length of the body differs from Content-Length.' },
  'request.aborted': CUT_OFF,
  'stream.not.readable': CUT_OFF,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, message: UNREADABLE_BODY[415] },
  FST_ERR_BAD_URL: { details: [{ field: 'path', issue: 'has an invalid escape sequence' }] },
};

/**
 * Maps an error of Fastify, or of reading a body, to an answer for the caller; returns any other error
 * unchanged.
 */
export function fromFrameworkError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof HttpError) return error;
  const { type, code } = error as { readonly type?: unknown; readonly code?: unknown };
  // Without a system call, the request body was cut off and no client waits for the response. With one, a
  // connection to a store was reset.
  if (code === 'ECONNRESET' && !('syscall' in error)) return new HttpError('invalid_request', CUT_OFF);
  const refusal = FRAMEWORK_ERRORS[String(type)] ?? FRAMEWORK_ERRORS[String(code)];
  return refusal === undefined ? error : new HttpError('invalid_request', refusal);
}
