import { HttpError, invalidField } from '../errors.js';
import { entityTagsIn } from './entity-tags.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** Returns the key of an Idempotency-Key header without its enclosing quotes. Throws 400 where it is missing or malformed. */
export function parseIdempotencyKey(header: string | undefined): string {
  if (header === undefined) throw new HttpError('idempotency_required');
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!VISIBLE_ASCII.test(key)) throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  return key;
}

/**
 * Returns the strong tags of an If-Match header, without their quotes; null where there is no header. Weak tags never match strongly (RFC 9110,
 * section 13.1.1) and are left out, so a list of weak tags matches nothing. Throws 400 for `*`, a tag without quotes and a list without a tag.
 */
export function parseIfMatch(header: string | undefined): readonly string[] | null {
  if (header === undefined) return null;
  const tags = entityTagsIn(header);
  if (tags === null) throw malformed();
  return tags.filter(({ isWeak }) => !isWeak).map(({ tag }) => tag);
}

function malformed(): HttpError {
  return invalidField('If-Match', 'must be entity tags in double quotes, as Service-Resource-ETag gave them; * is not taken');
}

/** Returns the refusal of a failed precondition with its reason, where a weak tag of If-Match could be the reason; any other error as it is. */
export function withWeakTagsNamed(error: HttpError, ifMatch: string | undefined): HttpError {
  if (error.code !== 'precondition_failed' || ifMatch === undefined) return error;
  if (entityTagsIn(ifMatch)?.some(({ isWeak }) => isWeak) !== true) return error;
  const issue = 'has a weak tag (W/"…"), which never matches: send the tag of the Service-Resource-ETag header';
  return new HttpError('precondition_failed', { details: [...error.details, { field: 'If-Match', issue }], cause: error.cause });
}
