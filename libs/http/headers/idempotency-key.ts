import { HttpError, invalidField } from '../errors.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** The key of an Idempotency-Key header; one pair of quotes around it is left off. Throws 400 where it is missing or malformed. */
export function parseIdempotencyKey(header: string | undefined): string {
  if (header === undefined) throw new HttpError('idempotency_required');
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!VISIBLE_ASCII.test(key)) throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  return key;
}
