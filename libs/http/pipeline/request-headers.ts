import type { FastifyRequest } from 'fastify';
import { parsedUrl } from '#kernel/urls.js';
import { HttpError, invalidField } from '../errors.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the key of an Idempotency-Key header without its enclosing quotes. Throws 400 where it is missing
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
 * Returns the tags of a header with a list of entity tags; null where it has none, or is no such list. Empty
 * members are ignored (RFC 9110, section 5.6.1). Its time is linear in the length of the header.
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
 * Returns the strong tags of an If-Match header, without their quotes; null where there is no header. Weak
 * tags never match strongly (RFC 9110, section 13.1.1) and are left out, so a list of weak tags matches
 * nothing. Throws 400 for `*`, a tag without quotes and a list without a tag.
 */
export function parseIfMatch(header: string | undefined): readonly string[] | null {
  if (header === undefined) return null;
  const tags = entityTagsIn(header);
  if (tags === null) {
    throw invalidField(
      'If-Match',
      'must be entity tags in double quotes, as Service-Resource-ETag gave them; * is not taken',
    );
  }
  return tags.filter(({ isWeak }) => !isWeak).map(({ tag }) => tag);
}

/**
 * Returns the refusal of a failed precondition with its reason, where a weak tag of If-Match could be the
 * reason; any other error as it is.
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

/** The tags of what a caller has, without their quotes; `any` for `*`. */
export type KnownTags = ReadonlySet<string> | 'any';

/**
 * Returns the tags of an If-None-Match header; null where there is no header. Weak and strong tags are alike
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

/** Whether a caller has what bears this tag already. */
export function isKnown(tag: string, known: KnownTags | null): boolean {
  return known === 'any' || known?.has(tag) === true;
}

/** A host as defined in RFC 9110, section 7.2: a name or an address, and an optional port. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/**
 * Returns the address at which the caller reached this listener, such as `http://hr.example:3000`. It comes
 * from the Host header, which affects only the caller's own answer. Without a valid Host header, it is the
 * connection's own address. Of the headers that proxies add, only `X-Forwarded-Proto` of a trusted proxy
 * counts.
 */
export function addressOf(request: Pick<FastifyRequest, 'protocol' | 'headers' | 'socket'>): string {
  const { host } = request.headers;
  if (host !== undefined && HOST.test(host) && parsedUrl(`http://${host}`) !== null)
    return `${request.protocol}://${host}`;
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  return `${request.protocol}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
