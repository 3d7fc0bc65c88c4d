import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '#kernel/json.js';
import { type HttpError, invalidField } from '../errors.js';
import { NOTHING, unversioned, versioned } from './versioned-token.js';

/**
 * The scope of a cursor: the service refuses the cursor for any other organisation, route, filter or order.
 */
export interface CursorScope {
  readonly organisationId: string;
  /** The operation's id. */
  readonly route: string;
  /** Filters and sort as the caller gave them, without `limit` and `cursor`. */
  readonly filters: JsonObject;
}

/** The versions of the secret that authenticates cursors, for example a key ring of the installation. */
export interface CursorKeys {
  /** The version that authenticates new cursors; null if none exists yet. */
  current(): Promise<{ readonly version: number; readonly secret: Buffer } | null>;
  /** The secret of a version; null if it was retired or never existed. */
  find(version: number): Promise<Buffer | null>;
}

const SEAL_BYTES = 16;
/** In characters: longer than any cursor that the service makes. */
const MAX_CURSOR_LENGTH = 2_048;

/**
 * Makes and reads keyset cursors: base64url of an HMAC and the place in the list. The caller can read a
 * cursor but cannot change it. From the key's second version on, the version and a dot come first, such as
 * `2.`.
 */
export class CursorCodec {
  constructor(private readonly keys: CursorKeys) {}

  /** Returns a cursor for the page after the row with these sort values. */
  async encode(scope: CursorScope, values: readonly Json[]): Promise<string> {
    const place = Buffer.from(JSON.stringify(values));
    const key = await this.keys.current();
    if (key === null) throw new Error('no key exists to authenticate cursors with');
    return versioned(key.version, Buffer.concat([seal(key.secret, scope, place), place]));
  }

  /**
   * Returns the values given to `encode`. Throws a 400 that names `cursor` if it is foreign, edited or
   * truncated, or its key was retired.
   */
  async decode(scope: CursorScope, cursor: string): Promise<readonly Json[]> {
    const { version, bytes } = cursor.length <= MAX_CURSOR_LENGTH ? unversioned(cursor) : NOTHING;
    const place = bytes.subarray(SEAL_BYTES);
    const secret = bytes.length > SEAL_BYTES ? await this.keys.find(version) : null;
    if (secret === null || !timingSafeEqual(bytes.subarray(0, SEAL_BYTES), seal(secret, scope, place))) {
      throw foreignCursor();
    }
    return JSON.parse(place.toString()) as readonly Json[];
  }
}

/** Returns a 400 that names `cursor`, for a cursor that this list did not return. */
export function foreignCursor(): HttpError {
  return invalidField(
    'cursor',
    'is not a cursor of this list; send next_cursor as it was returned, with the same filters and sort',
  );
}

function seal(secret: Buffer, scope: CursorScope, place: Buffer): Buffer {
  const bound = canonicalJson([scope.organisationId, scope.route, scope.filters]);
  return createHmac('sha256', secret)
    .update(`${Buffer.byteLength(bound)}:${bound}`)
    .update(place)
    .digest()
    .subarray(0, SEAL_BYTES);
}
