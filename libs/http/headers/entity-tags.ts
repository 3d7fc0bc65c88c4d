/** One entity tag of a header, without its quotes. */
export interface EntityTag {
  readonly tag: string;
  readonly isWeak: boolean;
}

/** One member of a list of entity tags (RFC 9110, section 8.8.3): weak, strong or empty, with the comma that ends it. */
const MEMBER = /[ \t]*(?:(?<weak>W\/)?"(?<tag>[\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/**
 * Returns the tags of a header with a list of entity tags; null where it has none, or is no such list. Empty members are ignored (RFC 9110,
 * section 5.6.1). Its time is linear in the length of the header.
 */
export function entityTagsIn(header: string): readonly EntityTag[] | null {
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
