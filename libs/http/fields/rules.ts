import type { ValidationArguments, ValidationOptions } from 'class-validator';
import { isIn } from 'class-validator/cjs/decorator/common/IsIn.js';
import { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy.js';
import { max } from 'class-validator/cjs/decorator/number/Max.js';
import { min } from 'class-validator/cjs/decorator/number/Min.js';
import { matches } from 'class-validator/cjs/decorator/string/Matches.js';
import { isBoolean } from 'class-validator/cjs/decorator/typechecker/IsBoolean.js';
import { isInt } from 'class-validator/cjs/decorator/typechecker/IsInt.js';
import { isNumber } from 'class-validator/cjs/decorator/typechecker/IsNumber.js';
import { isObject } from 'class-validator/cjs/decorator/typechecker/IsObject.js';
import { isString } from 'class-validator/cjs/decorator/typechecker/IsString.js';
import { EARLIEST_DATE, isLocalDate, LATEST_DATE } from '#kernel/dates.js';
import { idPatternSource, PERSON_ID_PATTERN, UNASSIGNED_PERSON_ID, unassignedId } from '#kernel/identifier.js';
import { isBlank, lineProblem, linesProblem } from '#kernel/plain-text.js';
import { parsedUrl } from '#kernel/urls.js';
import { isEmailAddress } from './email-address.js';
import type { IdentifierKind, NumericShape, Shape, TextShape } from './shape.js';

/** One rule for a value: the test of a class-validator decorator, and the message of its problem. */
export interface Rule {
  readonly name: string;
  readonly holds: (value: unknown) => boolean;
  readonly words: string | ((value: unknown) => string);
}

const IS_STRING: Rule = { name: 'isString', holds: isString, words: 'must be a string' };

/**
 * Returns the rules of a single value of a shape, in the order in which they are tested. Objects and lists
 * have rules of their own for their members.
 */
export function rulesOf(shape: Shape): readonly Rule[] {
  switch (shape.kind) {
    case 'text':
      return [IS_STRING, ...rulesOfText(shape)];
    case 'integer':
    case 'number':
      return rulesOfNumber(shape);
    case 'boolean':
      return [{ name: 'isBoolean', holds: isBoolean, words: 'must be true or false' }];
    case 'date':
      return [IS_STRING, IS_LOCAL_DATE, IS_WITHIN_CALENDAR];
    case 'date_time':
      return [IS_STRING, IS_DATE_TIME, IS_WITHIN_CALENDAR];
    case 'enumeration': {
      const { values } = shape;
      return [{ name: 'isIn', holds: (value) => isIn(value, values), words: `must be one of: ${values.join(', ')}` }];
    }
    case 'identifier':
      return [IS_STRING];
    case 'one_of': {
      const problem = (value: unknown): string | null => problemOfOneOf(shape.shapes, value);
      return [{ name: 'oneOf', holds: (value) => problem(value) === null, words: (value) => problem(value) ?? '' }];
    }
    case 'object':
      return [{ name: 'isObject', holds: isObject, words: 'must be an object' }];
    case 'list':
      return [{ name: 'isArray', holds: Array.isArray, words: 'must be a list' }];
  }
}

/**
 * Returns the problem of a single value of this shape, in plain words; null if it is valid. For values
 * outside of request fields.
 */
export function problemOf(shape: Shape, value: unknown): string | null {
  const broken = rulesOf(shape).find(({ holds }) => !holds(value));
  return broken === undefined ? null : messageOf(broken, value);
}

function messageOf({ words }: Rule, value: unknown): string {
  return typeof words === 'string' ? words : words(value);
}

/** Applies a rule to a field, with the rule's message as the decorator's. */
export function applyRule(rule: Rule, prototype: object, name: string | symbol, options: ValidationOptions = {}): void {
  const message = ({ value }: ValidationArguments): string => messageOf(rule, value);
  ValidateBy({ name: rule.name, validator: { validate: rule.holds } }, { message, ...options })(prototype, name);
}

/**
 * Applies a rule to each item of a list. The message has one line for each item that breaks the rule: `item 0
 * must be a string`.
 */
export function applyRuleToItems(rule: Rule, prototype: object, name: string | symbol): void {
  const message = ({ value }: ValidationArguments): string =>
    Array.isArray(value)
      ? value
          .flatMap((item: unknown, index) => (rule.holds(item) ? [] : [`item ${index} ${messageOf(rule, item)}`]))
          .join('\n')
      : '';
  applyRule(rule, prototype, name, { each: true, message });
}

/** A rule about texts. Values of other types pass: the type's own rule reports them. */
function textRule(name: string, holds: (text: string) => boolean, words: string): Rule {
  return { name, holds: (value) => typeof value !== 'string' || holds(value), words };
}

/** A rule about texts whose message depends on the text. */
function textProblemRule(name: string, problem: (text: string) => string | null): Rule {
  return { ...textRule(name, (text) => problem(text) === null, ''), words: (value) => problem(value as string) ?? '' };
}

/**
 * Decorators of class-validator count a variation selector as part of the character before it; here, as in
 * JSON Schema, it counts as a character.
 */
function rulesOfText(shape: TextShape): readonly Rule[] {
  const { minimumLength, maximumLength, format, pattern } = shape;
  const isShort = (text: string): boolean => text.length <= maximumLength || [...text].length <= maximumLength;
  return [
    textProblemRule('isPlainText', (text) => charactersProblem(shape, text)),
    textRule('hasMaximumLength', isShort, `must be at most ${maximumLength} characters long`),
    ...(minimumLength > 0 ? [textRule('isVisible', (text) => !isBlank(text), 'must not be blank')] : []),
    ...(minimumLength > 1
      ? [
          textRule(
            'hasMinimumLength',
            (text) => [...text].length >= minimumLength,
            `must be at least ${minimumLength} characters long`,
          ),
        ]
      : []),
    ...(format === 'email' ? [textRule('isEmailAddress', isEmailAddress, 'must be an e-mail address')] : []),
    ...(format === 'uri'
      ? [textRule('isAbsoluteUri', (text) => parsedUrl(text) !== null, 'must be an absolute URI')]
      : []),
    ...(pattern === null ? [] : [textRule('matches', (text) => matches(text, pattern.expression), pattern.words)]),
  ];
}

function charactersProblem({ isMultiLine, isFile = false }: TextShape, text: string): string | null {
  const plain = isFile && text.startsWith('\ufeff') ? text.slice(1) : text;
  return isMultiLine ? linesProblem(plain) : lineProblem(plain);
}

/**
 * JSON does not carry whole numbers beyond ±(2^53 − 1) exactly, so such a value is reported as no whole
 * number rather than out of bounds.
 */
function rulesOfNumber({ kind, minimum, maximum }: NumericShape): readonly Rule[] {
  const type: Rule =
    kind === 'integer'
      ? { name: 'isInt', holds: isInt, words: 'must be a whole number' }
      : { name: 'isNumber', holds: (value) => isNumber(value), words: 'must be a number' };
  const isExact = (value: unknown): boolean => kind === 'number' || Number.isSafeInteger(value);
  const bound = (words: string) => (value: unknown) => (isExact(value) ? words : messageOf(type, value));
  return [
    type,
    { name: 'min', holds: (value) => min(value, minimum), words: bound(`must be at least ${minimum}`) },
    { name: 'max', holds: (value) => max(value, maximum), words: bound(`must be at most ${maximum}`) },
  ];
}

const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const dateIn = (text: string): string => text.slice(0, 'YYYY-MM-DD'.length);
const isDateTime = (text: string): boolean => DATE_TIME.test(text) && isLocalDate(dateIn(text));

const IS_LOCAL_DATE = textRule('isLocalDate', isLocalDate, 'must be a date that exists, written YYYY-MM-DD');
const IS_DATE_TIME = textRule(
  'isDateTime',
  isDateTime,
  'must be an ISO 8601 date-time with an offset, such as 2026-01-31T09:30:00Z',
);
const IS_WITHIN_CALENDAR = textRule(
  'isWithinCalendar',
  (text) => dateIn(text) >= EARLIEST_DATE && dateIn(text) <= LATEST_DATE,
  `must lie between ${EARLIEST_DATE} and ${LATEST_DATE}`,
);

/** If exactly one shape accepts this JSON type, its message is the most precise. */
function problemOfOneOf(shapes: readonly Shape[], value: unknown): string | null {
  const problems = shapes.map((candidate) => problemOf(candidate, value));
  if (problems.includes(null)) return null;
  const ofType = problems.filter((_, index) => typeof value === jsonTypeOf(shapes[index]!));
  return ofType.length === 1 ? ofType[0]! : 'has a type that is not valid here';
}

function jsonTypeOf({ kind }: Shape): 'string' | 'number' | 'boolean' | null {
  if (kind === 'list' || kind === 'object' || kind === 'one_of') return null;
  if (kind === 'boolean') return kind;
  return kind === 'integer' || kind === 'number' ? 'number' : 'string';
}

/** The class-validator and class-transformer group of rules that apply only to texts of a query or a path. */
export const FROM_TEXT = 'text';

const INTEGER_PATTERN = /^-?\d{1,16}$/;
const DECIMAL_NUMBER = /^-?\d{1,16}(?:\.\d{1,16})?$/;

const DATE_TIME_DESCRIPTION =
  'must be a date-time with an offset, such as 2026-01-31T09:30:00Z or 2026-01-31T10:30:00%2B01:00 (%2B is a ' +
  'plus sign in a URL), or a date, such as 2026-01-31, for midnight UTC';

const IS_ONE: Rule = { name: 'isOne', holds: (value) => !Array.isArray(value), words: 'must be given once' };
const IS_LINE = textProblemRule('isLine', lineProblem);
const IS_DATE_TIME_TEXT = textRule('isDateTimeText', isDateTime, DATE_TIME_DESCRIPTION);

/**
 * Returns the rules that a value must satisfy only if it comes from a text. They are reported before the
 * rules of its shape.
 */
export function rulesFromText({ kind }: Shape): readonly Rule[] {
  if (kind === 'identifier') return [IS_ONE];
  return kind === 'date_time' ? [IS_ONE, IS_LINE, IS_DATE_TIME_TEXT] : [IS_ONE, IS_LINE];
}

/**
 * Parses a text into a value; returns the text itself if it cannot be parsed, so that the rules refuse it.
 */
export function fromText({ kind }: Shape, text: unknown): unknown {
  if (typeof text !== 'string') return text;
  // HTML forms send all their fields, including empty ones.
  if (text === '') return undefined;
  if (kind === 'integer') return INTEGER_PATTERN.test(text) ? Number(text) : text;
  if (kind === 'number') return DECIMAL_NUMBER.test(text) ? Number(text) : text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return kind === 'date_time' ? instantFrom(text) : text;
}

/**
 * Parses a date-time in the forms that clients send: with an offset of `+0100` or `+01:00`, with a space in
 * place of the plus sign (an unescaped plus sign in a query), or as a date, which means midnight UTC.
 */
function instantFrom(text: string): string {
  const signed = text.replace(/ (?=\d{2}:?\d{2}$)/, '+').replace(/(?<=[+-]\d{2})(?=\d{2}$)/, ':');
  return isLocalDate(text) ? `${text}T00:00:00Z` : signed;
}

/** Returns a valid value in the form that query handlers expect: times in UTC with milliseconds. */
export function inUtc({ kind }: Shape, value: unknown): unknown {
  return kind === 'date_time' && typeof value === 'string' ? new Date(value).toISOString() : value;
}

/** Returns the source of the regular expression that matches whole ids of this kind. */
export function identifierPattern(kind: IdentifierKind): string {
  return kind === 'person' ? PERSON_ID_PATTERN.source : idPatternSource(kind);
}

/** Whether the text has the form of an id of this kind. */
export function hasFormOfIdentifier(kind: IdentifierKind, text: string): boolean {
  return new RegExp(identifierPattern(kind)).test(text);
}

/** Returns the kinds of ids that a shape accepts; empty if it accepts other texts too. */
export function identifierKindsOf(shape: Shape): readonly IdentifierKind[] {
  if (shape.kind === 'identifier') return [shape.of];
  if (shape.kind === 'list') return identifierKindsOf(shape.item);
  if (shape.kind !== 'one_of') return [];
  const kinds = shape.shapes.map(identifierKindsOf);
  return kinds.every(({ length }) => length > 0) ? kinds.flat() : [];
}

/**
 * Returns the text if it has the form of an id of one of these kinds, otherwise an id that no resource has.
 * The domain then reports the malformed id as unknown, so no answer distinguishes a malformed id from an
 * unknown one.
 */
export function asIdentifier(kinds: readonly IdentifierKind[], text: string): string {
  if (kinds.some((kind) => hasFormOfIdentifier(kind, text))) return text;
  const [kind] = kinds;
  return kind === undefined || kind === 'person' ? UNASSIGNED_PERSON_ID : unassignedId(kind);
}
