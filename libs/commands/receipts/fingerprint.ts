import { createHash, hash } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '#kernel/json.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';

/** The parts of a request that must be equal in a repeat. */
export interface RequestIdentity {
  readonly method: string;
  /** The pattern of the route. */
  readonly route: string;
  /** Ids of the path: the same body for another person is another request. */
  readonly parameters: JsonObject;
  /** The body as sent; null if there was none. */
  readonly body: Json;
}

/**
 * Returns the SHA-256 (hex) of method, route, path ids and canonical body. If-Match is not included
 * (docs/reference/http.md).
 */
export function fingerprintOf(request: RequestIdentity): string {
  return hash('sha256', identityText(request), 'hex');
}

/** The number of bytes that are hashed before the event loop runs other work. */
const HASHED_AT_ONCE = 1_048_576;

/**
 * Returns the same as {@link fingerprintOf} for a request of megabytes, and yields to the event loop between
 * parts.
 */
export async function fingerprintInTurns(request: RequestIdentity): Promise<string> {
  const bytes = Buffer.from(identityText(request));
  const sum = createHash('sha256');
  for (let start = 0; start < bytes.length; start += HASHED_AT_ONCE) {
    await yieldToEventLoop();
    sum.update(bytes.subarray(start, start + HASHED_AT_ONCE));
  }
  return sum.digest('hex');
}

function identityText({ method, route, parameters, body }: RequestIdentity): string {
  return canonicalJson([method, route, parameters, body]);
}
