import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '#kernel/json.js';
import { HttpError } from './errors.js';

/** What a cursor belongs to: it is refused for any other organisation, route, filter or order. */
export interface CursorScope {
  readonly organisationId: string;
  /** The operation's id. */
  readonly route: string;
  /** Filters and sort as the caller gave them, without `limit` and `cursor`. */
  readonly filters: JsonObject;
}

const SEAL_BYTES = 16;
/** Longer than any cursor that we make. */
const LONGEST_CURSOR = 2_048;

/** Makes and reads keyset cursors: base64url of an HMAC and the place in the list, which the caller may read but not change. */
export class CursorCodec {
  /** @param key at least 32 bytes, the same for every process of the installation. */
  constructor(private readonly key: Buffer) {
    if (key.length < 32) throw new RangeError('the cursor key needs at least 32 bytes');
  }

  /** A cursor for the page after the row with these sort values. */
  encode(scope: CursorScope, values: readonly Json[]): string {
    const place = Buffer.from(JSON.stringify(values));
    return Buffer.concat([this.seal(scope, place), place]).toString('base64url');
  }

  /** The values given to `encode`. Throws a 400 that names `cursor` for a foreign, edited or truncated one. */
  decode(scope: CursorScope, cursor: string): readonly Json[] {
    const bytes = cursor.length <= LONGEST_CURSOR ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
    const place = bytes.subarray(SEAL_BYTES);
    const isOurs =
      bytes.length > SEAL_BYTES &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, SEAL_BYTES), this.seal(scope, place));
    if (!isOurs) {
      const issue = 'is not a cursor of this list; take next_cursor as it was returned, with the same filters and sort';
      throw new HttpError('invalid_request', { details: [{ field: 'cursor', issue }] });
    }
    return JSON.parse(place.toString()) as readonly Json[];
  }

  private seal(scope: CursorScope, place: Buffer): Buffer {
    const bound = canonicalJson([scope.organisationId, scope.route, scope.filters]);
    return createHmac('sha256', this.key).update(`${Buffer.byteLength(bound)}:${bound}`).update(place).digest().subarray(0, SEAL_BYTES);
  }
}
