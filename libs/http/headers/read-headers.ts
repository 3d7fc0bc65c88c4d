import { invalidField } from '../errors.js';
import { entityTagsIn } from './entity-tags.js';

/** The tags of what a caller has, without their quotes; `any` for `*`. */
export type KnownTags = ReadonlySet<string> | 'any';

/**
 * Returns the tags of an If-None-Match header; null where there is no header. Weak and strong tags are alike there: the comparison is the weak
 * one (RFC 9110, section 13.1.2). Throws 400 for a tag without quotes and a list without a tag.
 */
export function parseIfNoneMatch(header: string | undefined): KnownTags | null {
  if (header === undefined) return null;
  if (header.trim() === '*') return 'any';
  const tags = entityTagsIn(header);
  if (tags === null) throw invalidField('If-None-Match', 'must be entity tags in double quotes, as ETag gave them, or *');
  return new Set(tags.map(({ tag }) => tag));
}

/** Whether a caller has what bears this tag already. */
export function isKnown(tag: string, known: KnownTags | null): boolean {
  return known === 'any' || known?.has(tag) === true;
}
