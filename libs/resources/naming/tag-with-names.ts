import { hash } from 'node:crypto';
import { FURTHER_PART } from '#commands/handle-command.js';

/** Characters of base64url that represent the names: 48 bits, so that no rename meets the tag it had before. */
const MARK_LENGTH = 8;

/**
 * The entity tag of a representation that embeds names of other resources: a rename changes its bytes without an event of its own, and a
 * strong tag names the bytes (RFC 9110, section 8.8.1). `tag` covers everything else; `names` is a text that differs wherever one of
 * the embedded names differs, empty where there is none.
 */
export function tagWithNames(tag: string, names: string): string {
  return names === '' ? tag : `${tag}.${markOf(names)}`;
}

/**
 * The tag of a representation that shows more names than the resource itself does, whose tag is `tag`. `If-Match` takes it for that one: a
 * write uses the resource, not by what else was shown.
 */
export function tagWithFurtherNames(tag: string, names: string): string {
  return names === '' ? tag : `${tag}${FURTHER_PART}${markOf(names)}`;
}

function markOf(names: string): string {
  return hash('sha256', names, 'base64url').slice(0, MARK_LENGTH);
}
