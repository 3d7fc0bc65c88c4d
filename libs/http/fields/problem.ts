import { EARLIEST_DATE, isLocalDate, LATEST_DATE } from '#kernel/dates.js';
import { isBlank, lineProblem, linesProblem } from '#kernel/plain-text.js';
import { ID_PREFIXES, UNASSIGNED_PERSON_ID, unassignedId, PERSON_ID_PATTERN, PREFIXED_ID_SEGMENTS } from '#kernel/identifier.js';
import { parsedUrl } from '#kernel/urls.js';
import { isEmailAddress } from './email-address.js';
import type { Field, IdentifierKind, NumericShape, Shape, TextShape } from './shape.js';

const DATE_CHARACTERS = 'YYYY-MM-DD'.length;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Returns the problem of a field's value, in plain words; null where it is valid. A value that is undefined was left out. Does
 * not check what is inside an object, or inside the objects of a list.
 */
export function problemOfField({ shape, nullable, optional }: Field, value: unknown): string | null {
  if (value === undefined) return optional ? null : 'is required';
  if (value === null && nullable) return null;
  if (shape.kind !== 'list' || !Array.isArray(value)) return problemOf(shape, value);
  if (value.length < shape.minimumItems) return `must have at least ${shape.minimumItems} items`;
  if (value.length > shape.maximumItems) return `must have at most ${shape.maximumItems} items`;
  for (const [index, item] of value.entries()) {
    const problem = problemOf(shape.item, item);
    if (problem !== null) return `item ${index} ${problem}`;
  }
  return null;
}

/** Returns the problem of a single value of this shape, in plain words; null where it is valid. Not for objects and lists. */
export function problemOf(shape: Shape, value: unknown): string | null {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' ? problemOfText(shape, value) : 'must be a string';
    case 'integer':
    case 'number':
      return problemOfNumber(shape, value);
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'date':
      return problemOfDate(value);
    case 'date_time':
      return problemOfDateTime(value);
    case 'enumeration':
      return typeof value === 'string' && shape.values.includes(value) ? null : `must be one of: ${shape.values.join(', ')}`;
    case 'identifier':
      return typeof value === 'string' ? null : 'must be a string';
    case 'one_of':
      return problemOfOneOf(shape.shapes, value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'must be an object';
    case 'list':
      return Array.isArray(value) ? null : 'must be a list';
  }
}

/** Where exactly one shape takes values of this JSON type, its own message is more precise. */
function problemOfOneOf(shapes: readonly Shape[], value: unknown): string | null {
  const problems = shapes.map((candidate) => problemOf(candidate, value));
  if (problems.includes(null)) return null;
  const ofType = problems.filter((_, index) => typeof value === JSON_TYPES[shapes[index]!.kind]);
  return ofType.length === 1 ? ofType[0]! : 'is of a type that is not taken here';
}

const JSON_TYPES: Readonly<Record<Shape['kind'], 'string' | 'number' | 'boolean' | null>> = {
  text: 'string',
  date: 'string',
  date_time: 'string',
  enumeration: 'string',
  identifier: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  list: null,
  object: null,
  one_of: null,
};

/** Whether the text has the form of an id of this kind. */
export function hasFormOfIdentifier(kind: IdentifierKind, text: string): boolean {
  return IDENTIFIER_FORMS[kind].test(text);
}

/**
 * Returns the text itself where it has the form of an id of this kind, else an id of no resource. The domain then reports the
 * malformed id as unknown, so no answer distinguishes a malformed id from an unknown one.
 */
export function asIdentifier(kind: IdentifierKind, text: string): string {
  if (hasFormOfIdentifier(kind, text)) return text;
  return kind === 'person' ? UNASSIGNED_PERSON_ID : unassignedId(kind);
}

/** Returns the source of the regular expression that matches whole ids of this kind. */
export function identifierPattern(kind: IdentifierKind): string {
  return IDENTIFIER_FORMS[kind].source;
}

const IDENTIFIER_FORMS: Readonly<Record<IdentifierKind, RegExp>> = {
  person: PERSON_ID_PATTERN,
  ...(Object.fromEntries(
    Object.entries(ID_PREFIXES).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}${PREFIXED_ID_SEGMENTS}$`)]),
  ) as Record<keyof typeof ID_PREFIXES, RegExp>),
};

/** A visible text of ASCII without control characters, as most texts are: the rules about characters allow it. */
const PLAIN = /^[ -~]*[!-~][ -~]*$/;

function problemOfText(shape: TextShape, text: string): string | null {
  const isPlain = PLAIN.test(text);
  const plain = shape.isFile === true && text.startsWith('\ufeff') ? text.slice(1) : text;
  const problem = isPlain ? null : shape.isMultiLine ? linesProblem(plain) : lineProblem(plain);
  if (problem !== null) return problem;
  const characters = text.length > shape.maximumLength ? [...text].length : text.length;
  if (characters > shape.maximumLength) return `must be at most ${shape.maximumLength} characters long`;
  if (shape.minimumLength > 0 && !isPlain && isBlank(text)) return 'must not be blank';
  if ([...text].length < shape.minimumLength) return `must be at least ${shape.minimumLength} characters long`;
  if (shape.format === 'email' && !isEmailAddress(text)) return 'must be an e-mail address';
  if (shape.format === 'uri' && parsedUrl(text) === null) return 'must be an absolute URI';
  if (shape.pattern !== null && !shape.pattern.expression.test(text)) return shape.pattern.words;
  return null;
}

function problemOfNumber(shape: NumericShape, value: unknown): string | null {
  const whole = shape.kind === 'integer';
  if (typeof value !== 'number' || !Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) {
    return whole ? 'must be a whole number' : 'must be a number';
  }
  if (value < shape.minimum) return `must be at least ${shape.minimum}`;
  return value > shape.maximum ? `must be at most ${shape.maximum}` : null;
}

function problemOfDate(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (!isLocalDate(value)) return 'must be a date that exists, written YYYY-MM-DD';
  return value < EARLIEST_DATE || value > LATEST_DATE ? `must lie between ${EARLIEST_DATE} and ${LATEST_DATE}` : null;
}

function problemOfDateTime(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (!isDateTime(value)) return 'must be an ISO 8601 date-time with an offset, such as 2026-01-31T09:30:00Z';
  return problemOfDate(value.slice(0, DATE_CHARACTERS));
}

/** Whether the text is an ISO 8601 date-time with an offset, of a date that exists. */
export function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && isLocalDate(text.slice(0, DATE_CHARACTERS));
}
