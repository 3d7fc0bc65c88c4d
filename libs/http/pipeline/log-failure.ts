import type { FastifyRequest } from 'fastify';
import { errorForLog } from '#configuration/error-for-log.js';
import type { HttpError } from '../errors.js';

/** Logs the cause of a failure (5xx), which no caller may see; a refusal of the request gets no line. */
export function logFailure({ id, log, state }: FastifyRequest, { status, cause }: HttpError): void {
  if (status < 500) return;
  const operation = state?.compiled?.operation.operationId ?? state?.invoked ?? undefined;
  const line = { request_id: id, operation, status };
  if (status === 503) log.warn({ ...line, reason: reasonOf(cause) }, 'a store is not available');
  else log.error({ ...line, error: errorForLog(cause) }, 'a request failed');
}

/** Returns the name and code of an error, but not its message, which may quote data. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? String(error.code) : '';
  return `${error.name} ${code}`.trim();
}
