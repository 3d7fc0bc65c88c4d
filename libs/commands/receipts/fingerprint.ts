import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '#kernel/json.js';

/** What makes two requests the same one. */
export interface RequestIdentity {
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  /** Ids of the path: the same body for another person is another request. */
  readonly parameters: JsonObject;
  /** As it was sent, null where there was none. */
  readonly body: Json;
}

/** SHA-256 (hex) of method, route, path ids and canonical body. If-Match is no part of it (docs/reference/http.md). */
export function fingerprintOf({ method, route, parameters, body }: RequestIdentity): string {
  return createHash('sha256')
    .update(canonicalJson([method, route, parameters, body]))
    .digest('hex');
}
