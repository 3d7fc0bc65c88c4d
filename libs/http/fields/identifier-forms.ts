import { ID_PREFIXES, PERSON_ID_PATTERN, PREFIXED_ID_SEGMENTS, UNASSIGNED_PERSON_ID, unassignedId } from '#kernel/identifier.js';
import type { IdentifierKind, Shape } from './shape.js';

const IDENTIFIER_FORMS: Readonly<Record<IdentifierKind, RegExp>> = {
  person: PERSON_ID_PATTERN,
  ...(Object.fromEntries(
    Object.entries(ID_PREFIXES).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}${PREFIXED_ID_SEGMENTS}$`)]),
  ) as Record<keyof typeof ID_PREFIXES, RegExp>),
};

/** Whether the text has the form of an id of this kind. */
export function hasFormOfIdentifier(kind: IdentifierKind, text: string): boolean {
  return IDENTIFIER_FORMS[kind].test(text);
}

/** Returns the source of the regular expression that matches whole ids of this kind. */
export function identifierPattern(kind: IdentifierKind): string {
  return IDENTIFIER_FORMS[kind].source;
}

/** Returns the kinds of ids that texts of a shape are; none where the shape takes another text too. */
export function identifierKindsOf(shape: Shape): readonly IdentifierKind[] {
  if (shape.kind === 'identifier') return [shape.of];
  if (shape.kind === 'list') return identifierKindsOf(shape.item);
  if (shape.kind !== 'one_of') return [];
  const kinds = shape.shapes.map(identifierKindsOf);
  return kinds.every(({ length }) => length > 0) ? kinds.flat() : [];
}

/**
 * Returns the text itself where it has the form of an id of one of these kinds, else an id of no resource. The domain then reports the
 * malformed id as unknown, so no answer distinguishes a malformed id from an unknown one.
 */
export function asIdentifier(kinds: readonly IdentifierKind[], text: string): string {
  if (kinds.some((kind) => hasFormOfIdentifier(kind, text))) return text;
  const [kind] = kinds;
  return kind === undefined || kind === 'person' ? UNASSIGNED_PERSON_ID : unassignedId(kind);
}
