import { WorkforceError } from '@workforce-hr/client';
import i18next from 'i18next';

/**
 * The service could not be reached: no response arrived, or it was cut off. `fetch` reports the same with an
 * error that any script may throw.
 */
export class ConnectionError extends TypeError {
  override readonly name = 'ConnectionError';
}

/** Ends a write that was cancelled before its next attempt. */
class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Statuses of responses without a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The idempotency keys of cancelled writes. */
const cancelled = new Set<string>();

/**
 * Sends a request and reads the whole answer. Throws {@link ConnectionError} if none arrives, and ends if the
 * write was cancelled meanwhile.
 */
export async function send(request: Request): Promise<Response> {
  if (cancelled.has(request.headers.get('idempotency-key') ?? '')) throw new CancelledError('the write was cancelled');
  try {
    const response = await fetch(request);
    return new Response(WITHOUT_BODY.has(response.status) ? null : await response.arrayBuffer(), response);
  } catch (cause) {
    throw new ConnectionError(i18next.t('failure.notReached'), { cause });
  }
}

/**
 * Sends no further attempts of the write with this idempotency key: a write cancelled during an outage stays
 * unsent afterwards.
 */
export function cancelWrite(idempotencyKey: string): void {
  cancelled.add(idempotencyKey);
}

/** Whether the same request may succeed later without user action. */
export function isOutage(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof WorkforceError && TEMPORARY.has(error.status));
}

/** Whether the service answers again; a response about an ended session counts too. */
export async function isReachable(): Promise<boolean> {
  try {
    const { status } = await fetch('/console/session');
    return !TEMPORARY.has(status);
  } catch {
    return false;
  }
}
