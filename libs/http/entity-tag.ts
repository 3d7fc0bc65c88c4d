import type { Call } from './call.js';
import { HttpError, invalidField } from './errors.js';

/** One entity tag of RFC 9110, section 8.8.3, weak or strong. */
const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7e]*)"$/;

/**
 * The strong tags of an If-Match header, without their quotes. Weak ones never match strongly (RFC 9110, section 13.1.1)
 * and are left out, so that a list of nothing else matches nothing. `*`, a tag without quotes and an empty list are 400.
 */
export function parseIfMatch(header: string | undefined): readonly string[] | null {
  if (header === undefined) return null;
  const tags: string[] = [];
  for (const member of header.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)) {
    const match = ENTITY_TAG.exec(member.trim());
    if (match === null) throw invalidField('If-Match', 'must be entity tags in double quotes, as Service-Resource-ETag gave them; * is not taken');
    if (match[1] === undefined) tags.push(match[2]!);
  }
  return tags;
}

/** The tags of the call's If-Match. Throws 428 where there was none; called after the resource was found. */
export function requireIfMatch(call: Pick<Call, 'ifMatch'>): readonly string[] {
  if (call.ifMatch === null) throw new HttpError('precondition_required');
  return call.ifMatch;
}

/** Whether one of the resource's tags is among those that the caller expects; always where the caller expects nothing. */
export function matches(ifMatch: readonly string[] | null, ...currentTags: readonly string[]): boolean {
  return ifMatch === null || currentTags.some((tag) => ifMatch.includes(tag));
}

/** Throws 412 unless {@link matches}. */
export function assertMatches(ifMatch: readonly string[] | null, ...currentTags: readonly string[]): void {
  if (!matches(ifMatch, ...currentTags)) throw new HttpError('precondition_failed');
}
