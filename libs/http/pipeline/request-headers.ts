import type { FastifyRequest } from 'fastify';
import { parsedUrl } from '#kernel/urls.js';
import { HttpError, invalidField } from '../errors.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the key of an Idempotency-Key header without its enclosing quotes. Throws 400 if it is missing
 * or malformed.
 */
export function parseIdempotencyKey(header: string | undefined): string {
  if (header === undefined) throw new HttpError('idempotency_required');
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!VISIBLE_ASCII.test(key)) throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  return key;
}

/** One entity tag of a header, without its quotes. */
interface EntityTag {
  readonly tag: string;
  readonly isWeak: boolean;
}

/**
 * One member of a list of entity tags (RFC 9110, section 8.8.3): weak, strong or empty, with the comma that
 * ends it.
 */
const MEMBER = /[ \t]*(?:(?<weak>W\/)?"(?<tag>[\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/**
 * Returns the tags of a header with a list of entity tags; null if the header is not a valid list or has no
 * tag. Empty members are ignored (RFC 9110, section 5.6.1). Takes time linear in the length of the header.
 */
function entityTagsIn(header: string): readonly EntityTag[] | null {
  const tags: EntityTag[] = [];
  MEMBER.lastIndex = 0;
  while (MEMBER.lastIndex < header.length) {
    const member = MEMBER.exec(header);
    if (member === null) return null;
    const { weak, tag } = member.groups!;
    if (tag !== undefined) tags.push({ tag, isWeak: weak !== undefined });
  }
  return tags.length === 0 ? null : tags;
}

/**
 * Returns the strong tags of an If-Match header, without their quotes; null if there is no header. Weak
 * tags never match in a strong comparison (RFC 9110, section 13.1.1) and are dropped, so a list of weak tags
 * matches nothing. Throws 400 for `*`, a tag without quotes and a list without a tag.
 */
export function parseIfMatch(header: string | undefined): readonly string[] | null {
  if (header === undefined) return null;
  const tags = entityTagsIn(header);
  if (tags === null) {
    throw invalidField(
      'If-Match',
      'must be entity tags in double quotes, as Service-Resource-ETag gave them; * is not accepted',
    );
  }
  return tags.filter(({ isWeak }) => !isWeak).map(({ tag }) => tag);
}

/**
 * Adds to the refusal of a failed precondition that a weak tag of If-Match may be the reason; returns other
 * errors unchanged.
 */
export function withWeakTagsNamed(error: HttpError, ifMatch: string | undefined): HttpError {
  if (error.code !== 'precondition_failed' || ifMatch === undefined) return error;
  if (entityTagsIn(ifMatch)?.some(({ isWeak }) => isWeak) !== true) return error;
  const issue = 'has a weak tag (W/"…"), which never matches: send the tag of the Service-Resource-ETag header';
  return new HttpError('precondition_failed', {
    details: [...error.details, { field: 'If-Match', issue }],
    cause: error.cause,
  });
}

/** The entity tags that a caller has, without their quotes; `any` for `*`. */
export type KnownTags = ReadonlySet<string> | 'any';

/**
 * Returns the tags of an If-None-Match header; null if there is no header. Weak and strong tags are equal
 * there: the comparison is the weak one (RFC 9110, section 13.1.2). Throws 400 for a tag without quotes and a
 * list without a tag.
 */
export function parseIfNoneMatch(header: string | undefined): KnownTags | null {
  if (header === undefined) return null;
  if (header.trim() === '*') return 'any';
  const tags = entityTagsIn(header);
  if (tags === null)
    throw invalidField('If-None-Match', 'must be entity tags in double quotes, as ETag gave them, or *');
  return new Set(tags.map(({ tag }) => tag));
}

/** Whether the caller already has the representation with this tag. */
export function isKnown(tag: string, known: KnownTags | null): boolean {
  return known === 'any' || known?.has(tag) === true;
}

/** A host as defined in RFC 9110, section 7.2: a name or an address, and an optional port. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/**
 * Returns the address at which the caller reached this listener, such as `http://hr.example:3000`. It comes
 * from the Host header and affects only the caller's own response. Without a valid Host header, it is the
 * connection's local address. Of the forwarding headers, only `X-Forwarded-Proto` of a trusted proxy counts.
 */
export function addressOf(request: Pick<FastifyRequest, 'protocol' | 'headers' | 'socket'>): string {
  const { host } = request.headers;
  if (host !== undefined && HOST.test(host) && parsedUrl(`http://${host}`) !== null)
    return `${request.protocol}://${host}`;
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  return `${request.protocol}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
