import type { ValidationArguments, ValidationOptions } from 'class-validator';
import { IsIn, isIn } from 'class-validator/cjs/decorator/common/IsIn.js';
import { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy.js';
import { Max, max } from 'class-validator/cjs/decorator/number/Max.js';
import { Min, min } from 'class-validator/cjs/decorator/number/Min.js';
import { Matches, matches } from 'class-validator/cjs/decorator/string/Matches.js';
import { IsArray } from 'class-validator/cjs/decorator/typechecker/IsArray.js';
import { IsBoolean, isBoolean } from 'class-validator/cjs/decorator/typechecker/IsBoolean.js';
import { IsInt, isInt } from 'class-validator/cjs/decorator/typechecker/IsInt.js';
import { IsNumber, isNumber } from 'class-validator/cjs/decorator/typechecker/IsNumber.js';
import { IsObject, isObject } from 'class-validator/cjs/decorator/typechecker/IsObject.js';
import { IsString, isString } from 'class-validator/cjs/decorator/typechecker/IsString.js';
import { EARLIEST_DATE, isLocalDate, LATEST_DATE } from '#kernel/dates.js';
import { isBlank, lineProblem, linesProblem } from '#kernel/plain-text.js';
import { parsedUrl } from '#kernel/urls.js';
import { isEmailAddress } from './email-address.js';
import type { NumericShape, Shape, TextShape } from './shape.js';

/** One rule for a value: the decorator of class-validator that holds a field to it, what that decorator tests, and the words of its problem. */
export interface Rule {
  readonly decorate: (options: ValidationOptions) => PropertyDecorator;
  readonly holds: (value: unknown) => boolean;
  readonly words: string | ((value: unknown) => string);
}

const DATE_CHARACTERS = 'YYYY-MM-DD'.length;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const IS_STRING: Rule = { decorate: IsString, holds: isString, words: 'must be a string' };

/** Returns the rules of a single value of a shape, in the order in which they are tested. What is inside an object or a list has its own. */
export function rulesOf(shape: Shape): readonly Rule[] {
  switch (shape.kind) {
    case 'text':
      return [IS_STRING, ...rulesOfText(shape)];
    case 'integer':
    case 'number':
      return rulesOfNumber(shape);
    case 'boolean':
      return [{ decorate: IsBoolean, holds: isBoolean, words: 'must be true or false' }];
    case 'date':
      return [IS_STRING, IS_LOCAL_DATE, IS_WITHIN_CALENDAR];
    case 'date_time':
      return [IS_STRING, IS_DATE_TIME, IS_WITHIN_CALENDAR];
    case 'enumeration': {
      const { values } = shape;
      const words = `must be one of: ${values.join(', ')}`;
      return [{ decorate: (options) => IsIn(values, options), holds: (value) => isIn(value, values), words }];
    }
    case 'identifier':
      return [IS_STRING];
    case 'one_of':
      return [
        rule(
          'oneOf',
          (value) => problemOfOneOf(shape.shapes, value) === null,
          (value) => problemOfOneOf(shape.shapes, value) ?? '',
        ),
      ];
    case 'object':
      return [{ decorate: IsObject, holds: isObject, words: 'must be an object' }];
    case 'list':
      return [{ decorate: IsArray, holds: Array.isArray, words: 'must be a list' }];
  }
}

/** Returns the problem of a single value of this shape, in plain words; null where it is valid. For values that are no field of a request. */
export function problemOf(shape: Shape, value: unknown): string | null {
  const broken = rulesOf(shape).find(({ holds }) => !holds(value));
  return broken === undefined ? null : wordsOf(broken, value);
}

/** Returns the words in which a rule refuses a value. */
export function wordsOf({ words }: Rule, value: unknown): string {
  return typeof words === 'string' ? words : words(value);
}

/** Returns a rule of ours, which class-validator has no decorator for. */
export function rule(name: string, holds: Rule['holds'], words: Rule['words']): Rule {
  return { decorate: (options) => ValidateBy({ name, validator: { validate: holds } }, options), holds, words };
}

/** Holds a field to a rule, with the rule's words as the message of the decorator. */
export function applyRule(applied: Rule, prototype: object, name: string | symbol, options: ValidationOptions = {}): void {
  applied.decorate({ ...options, message: ({ value }: ValidationArguments) => wordsOf(applied, value) })(prototype, name);
}

/** Holds each item of a list to a rule. The message has a line for every item that breaks it: `item 0 must be a string`. */
export function applyRuleToItems(applied: Rule, prototype: object, name: string | symbol): void {
  const message = ({ value }: ValidationArguments): string =>
    Array.isArray(value)
      ? value.flatMap((item: unknown, index) => (applied.holds(item) ? [] : [`item ${index} ${wordsOf(applied, item)}`])).join('\n')
      : '';
  applied.decorate({ each: true, message })(prototype, name);
}

/** A rule about texts: of any other value, the rule about its type speaks. */
export function textRule(name: string, holds: (text: string) => boolean, words: string | ((text: string) => string)): Rule {
  return rule(
    name,
    (value) => typeof value !== 'string' || holds(value),
    typeof words === 'string' ? words : (value) => words(value as string),
  );
}

/** Decorators of class-validator count variation selectors with the character before them; here, as in JSON Schema, each is a character. */
function rulesOfText(shape: TextShape): readonly Rule[] {
  const { minimumLength, maximumLength, format, pattern } = shape;
  const problem = (text: string): string | null => charactersProblem(shape, text);
  return [
    textRule(
      'isPlainText',
      (text) => problem(text) === null,
      (text) => problem(text) ?? '',
    ),
    textRule('hasMaximumLength', (text) => isAtMost(maximumLength, text), `must be at most ${maximumLength} characters long`),
    ...(minimumLength > 0 ? [textRule('isVisible', (text) => !isBlank(text), 'must not be blank')] : []),
    ...(minimumLength > 1
      ? [textRule('hasMinimumLength', (text) => [...text].length >= minimumLength, `must be at least ${minimumLength} characters long`)]
      : []),
    ...(format === 'email' ? [textRule('isEmailAddress', isEmailAddress, 'must be an e-mail address')] : []),
    ...(format === 'uri' ? [textRule('isAbsoluteUri', (text) => parsedUrl(text) !== null, 'must be an absolute URI')] : []),
    ...(pattern === null
      ? []
      : [
          {
            decorate: (options: ValidationOptions) => Matches(pattern.expression, options),
            holds: (value: unknown) => matches(value as string, pattern.expression),
            words: pattern.words,
          },
        ]),
  ];
}

function charactersProblem({ isMultiLine, isFile = false }: TextShape, text: string): string | null {
  const plain = isFile && text.startsWith('\ufeff') ? text.slice(1) : text;
  return isMultiLine ? linesProblem(plain) : lineProblem(plain);
}

function isAtMost(maximumLength: number, text: string): boolean {
  return text.length <= maximumLength || [...text].length <= maximumLength;
}

/** A whole number beyond ±(2^53 − 1) is none that JSON carries exactly, so that it has no bound to break. */
function rulesOfNumber({ kind, minimum, maximum }: NumericShape): readonly Rule[] {
  const type: Rule =
    kind === 'integer'
      ? { decorate: IsInt, holds: isInt, words: 'must be a whole number' }
      : { decorate: (options) => IsNumber({}, options), holds: (value) => isNumber(value), words: 'must be a number' };
  const isExact = (value: unknown): boolean => kind === 'number' || Number.isSafeInteger(value);
  const bound = (words: string) => (value: unknown) => (isExact(value) ? words : wordsOf(type, value));
  return [
    type,
    { decorate: (options) => Min(minimum, options), holds: (value) => min(value, minimum), words: bound(`must be at least ${minimum}`) },
    { decorate: (options) => Max(maximum, options), holds: (value) => max(value, maximum), words: bound(`must be at most ${maximum}`) },
  ];
}

const IS_LOCAL_DATE = textRule('isLocalDate', isLocalDate, 'must be a date that exists, written YYYY-MM-DD');

const IS_DATE_TIME = textRule('isDateTime', isDateTime, 'must be an ISO 8601 date-time with an offset, such as 2026-01-31T09:30:00Z');

const IS_WITHIN_CALENDAR = textRule(
  'isWithinCalendar',
  (text) => {
    const date = text.slice(0, DATE_CHARACTERS);
    return date >= EARLIEST_DATE && date <= LATEST_DATE;
  },
  `must lie between ${EARLIEST_DATE} and ${LATEST_DATE}`,
);

/** Whether the text is an ISO 8601 date-time with an offset, of a date that exists. */
export function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && isLocalDate(text.slice(0, DATE_CHARACTERS));
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
