import { HttpError, invalidField } from '../errors.js';
import type { Call } from '../call.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** Returns the key of an Idempotency-Key header without its enclosing quotes. Throws 400 where it is missing or malformed. */
export function parseIdempotencyKey(header: string | undefined): string {
  if (header === undefined) throw new HttpError('idempotency_required');
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!VISIBLE_ASCII.test(key)) throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  return key;
}

/** One member of a list of entity tags (RFC 9110, section 8.8.3): weak, strong or empty, with the comma that ends it. */
const MEMBER = /[ \t]*(?:(?<weak>W\/)?"(?<tag>[\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/**
 * Returns the strong tags of an If-Match header, without their quotes; null where there is no header. Empty members of the list
 * are ignored (RFC 9110, section 5.6.1). Weak tags never match strongly (section 13.1.1) and are left out, so a list of weak tags
 * matches nothing. Throws 400 for `*`, a tag without quotes and a list without a tag. Its time is linear in the length of the
 * header.
 */
export function parseIfMatch(header: string | undefined): readonly string[] | null {
  if (header === undefined) return null;
  const strong: string[] = [];
  let hasTag = false;
  MEMBER.lastIndex = 0;
  while (MEMBER.lastIndex < header.length) {
    const member = MEMBER.exec(header);
    if (member === null) throw malformed();
    const { weak, tag } = member.groups!;
    if (tag === undefined) continue;
    hasTag = true;
    if (weak === undefined) strong.push(tag);
  }
  if (!hasTag) throw malformed();
  return strong;
}

function malformed(): HttpError {
  return invalidField('If-Match', 'must be entity tags in double quotes, as Service-Resource-ETag gave them; * is not taken');
}

/** Returns the tags of the call's If-Match. Throws 428 without one; called after the resource was found. */
export function requireIfMatch(call: Pick<Call, 'ifMatch'>): readonly string[] {
  if (call.ifMatch === null) throw new HttpError('precondition_required');
  return call.ifMatch;
}
