import { hash } from 'node:crypto';
import { FURTHER_PART } from './handle-command.js';

/**
 * The number of base64url characters that represent the names: 48 bits, so that a rename does not reproduce
 * an earlier tag.
 */
const MARK_LENGTH = 8;

/**
 * The entity tag of a representation that embeds names of other resources: a rename changes its bytes without
 * an event of its own, and a strong tag identifies the bytes (RFC 9110, section 8.8.1). `tag` covers
 * everything else; `names` differs whenever an embedded name differs, and is empty without names.
 */
export function tagWithNames(tag: string, names: string): string {
  return names === '' ? tag : `${tag}.${markOf(names)}`;
}

/**
 * The tag of a representation with more names than the resource itself, whose tag is `tag`. `If-Match`
 * accepts it as that tag, because a write concerns only the resource.
 */
export function tagWithFurtherNames(tag: string, names: string): string {
  return names === '' ? tag : `${tag}${FURTHER_PART}${markOf(names)}`;
}

function markOf(names: string): string {
  return hash('sha256', names, 'base64url').slice(0, MARK_LENGTH);
}
