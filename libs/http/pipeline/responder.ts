import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorForLog } from '#configuration/error-for-log.js';
import type { Answer } from '../call.js';
import { type HttpError, toHttpError } from '../errors.js';
import { AnsweredError, type StoredAnswer } from '#commands/receipts/receipts.js';
import { isKnown } from '../headers/read-headers.js';
import { withWeakTagsNamed } from '../headers/write-headers.js';
import type { CrossOrigin } from './cross-origin.js';
import { errorBody } from './error-body.js';
import { stateOf } from './request-state.js';
import type { WriteAnswer } from './write-answer.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Writes every answer. */
export class Responder {
  /** Set while the service stops: each connection closes with its next answer. */
  isStopping = false;

  /** @param forgetAuthorisations - called before a write is answered that may have changed who has access */
  constructor(
    private readonly crossOrigin: CrossOrigin | null,
    private readonly forgetAuthorisations: () => void,
  ) {}

  /** Writes a success as the operation declares it. Throws where the answer does not fit its class. */
  async success(request: FastifyRequest, reply: FastifyReply, answer: Answer): Promise<void> {
    const { compiled, write, knownTags } = stateOf(request);
    if (compiled === null) throw new Error('a controller answered a request without an operation');
    if (answer.entityTag !== undefined && isKnown(answer.entityTag, knownTags)) return this.write(reply, 304, '', answer.entityTag);
    const { operation, serialise } = compiled;
    if (write === null) {
      const body = serialise === null ? '' : serialise(answer.data, answer.nextCursor ?? null);
      return this.write(reply, answer.status ?? operation.successStatus, body, answer.entityTag);
    }
    if (write.shown === null) await write.keep(answer);
    // The notice that reaches all processes may come after the answer, and a revocation holds at once where it was made.
    if (operation.scope === 'access:manage') this.forgetAuthorisations();
    // The write is complete, but the caller gets no answer, as with a broken connection.
    if (stateOf(request).simulation?.outcome === 'lost_answer') request.raw.socket.destroy();
    const { status, body, entityTag, isReplay } = write.shown!;
    if (isReplay) reply.header('idempotent-replayed', 'true');
    this.write(reply, status, body, entityTag ?? undefined);
  }

  /** Writes a stored answer. The header of an error names the request that it first answered, as its body does. */
  replay(reply: FastifyReply, stored: StoredAnswer): void {
    if (stored.status >= 400) {
      reply.header('service-request-id', stored.requestId);
      // No other refusals are stored, see `isFinal`.
      stateOf(reply.request).errorCode = stored.status === 404 ? 'not_found' : 'conflict';
    }
    reply.header('idempotent-replayed', 'true');
    this.write(reply, stored.status, stored.body, stored.entityTag ?? undefined);
  }

  /** Writes an answer without content. */
  empty(reply: FastifyReply): void {
    this.write(reply, 204, '');
  }

  /** Writes any failure in the envelope. */
  async failure(request: FastifyRequest, reply: FastifyReply, cause: unknown): Promise<void> {
    const { write = null } = request.state ?? {};
    if (cause instanceof AnsweredError && write !== null) return this.replay(reply, write.opened(cause.stored));
    const ifMatch = request.headers['if-match'];
    const error = withWeakTagsNamed(toHttpError(cause, ifMatch !== undefined), ifMatch);
    // A request with a bad URL passes no hook, and has no state.
    const state = request.state ?? null;
    if (state !== null) state.errorCode = error.code;
    const writeError = request.routeOptions.config.endpoint?.errorBody ?? errorBody;
    const body = writeError(error, request.id);
    // A simulated failure is not logged as a failure; the line of the answer reports it.
    const isWanted =
      request.state?.simulation?.outcome === 'internal_error' || request.state?.simulation?.outcome === 'service_unavailable';
    if (!isWanted) logFailure(request, error);
    // Requests with a bad URL pass no hook, so the common headers are set again here.
    reply.header('service-request-id', request.id).header('cache-control', 'no-store');
    this.crossOrigin?.label(request, reply);
    if (write !== null) {
      const earlier = await keepRefusal(write, error, body, (lost) => {
        request.log.warn({ request_id: request.id, reason: reasonOf(lost) }, 'a receipt could not be kept');
      });
      if (earlier !== null) return this.replay(reply, earlier);
    }
    for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
    if (error.status === 413) reply.header('connection', 'close');
    this.write(reply, error.status, body);
  }

  private write(reply: FastifyReply, status: number, body: string | Buffer, entityTag?: string): void {
    if (entityTag !== undefined) reply.header('service-resource-etag', `"${entityTag}"`).header('etag', `W/"${entityTag}"`);
    if (this.isStopping) reply.header('connection', 'close');
    reply.code(status);
    const createdPath = reply.request.state?.compiled?.createdPath ?? null;
    if (status === 201 && createdPath !== null) reply.header('location', createdPath.replace(/\{\w+\}/, idIn(body)));
    if (status === 204 || status === 304) void reply.send();
    else void reply.header('content-type', JSON_TYPE).send(body);
  }
}

/** The id of the resource that an answer shows. A stored answer is only text, so it is read from the text of every answer. */
function idIn(body: string | Buffer): string {
  const { data } = JSON.parse(body.toString()) as { readonly data: { readonly id: string } };
  return data.id;
}

/** Logs the cause of a failure (5xx), which no caller may see; a refusal of the request gets no line. */
export function logFailure({ id, log, state }: FastifyRequest, { status, cause }: HttpError): void {
  if (status < 500) return;
  const operation = state?.compiled?.operation.operationId ?? state?.invoked ?? undefined;
  const line = { request_id: id, operation, status };
  if (status === 503) log.warn({ ...line, reason: reasonOf(cause) }, 'a store is not available');
  else log.error({ ...line, error: errorForLog(cause) }, 'a request failed');
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

/** Returns the name and code of an error, but not its message, which may quote data. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? String(error.code) : '';
  return `${error.name} ${code}`.trim();
}
