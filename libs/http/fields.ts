import 'reflect-metadata';
import { Expose, Transform, Type } from 'class-transformer';
import { ArrayMaxSize } from 'class-validator/cjs/decorator/array/ArrayMaxSize.js';
import { ArrayMinSize } from 'class-validator/cjs/decorator/array/ArrayMinSize.js';
import { IsDefined } from 'class-validator/cjs/decorator/common/IsDefined.js';
import { ValidateIf } from 'class-validator/cjs/decorator/common/ValidateIf.js';
import { ValidateNested } from 'class-validator/cjs/decorator/common/ValidateNested.js';
import type { Json } from '#kernel/json.js';
import {
  applyRule,
  applyRuleToItems,
  asIdentifier,
  FROM_TEXT,
  fromText,
  identifierKindsOf,
  inUtc,
  rulesFromText,
  rulesOf,
} from './fields/rules.js';
import {
  type Deprecation,
  type Field,
  fieldsOf,
  type IdentifierKind,
  registerField,
  type Shape,
  type ShapeClass,
} from './fields/shape.js';

/** The options of every field. */
export interface FieldOptions {
  readonly description?: string;
  /** An example for the documentation; derived from the shape by default. */
  readonly example?: Json;
  /** Whether null is valid. */
  readonly nullable?: boolean;
  /** Whether the field may be absent from a request, or from a response that has no value for it. */
  readonly optional?: boolean;
  /** Announces the end of the field: in the document, and by headers of the operations that have it. */
  readonly deprecated?: Deprecation;
}

export interface TextOptions {
  /** In characters; 0 by default. From 1 on, blank texts are refused too. */
  readonly minimumLength?: number;
  /** In characters; 255 by default. */
  readonly maximumLength?: number;
  readonly format?: 'email' | 'uri';
  /** Whether it may contain tabs and line breaks; false by default. */
  readonly isMultiLine?: boolean;
  readonly isFile?: boolean;
  /** A regular expression for the whole text, and its rule in plain words: "must …". */
  readonly pattern?: { readonly source: string; readonly words: string };
}

export interface NumericOptions {
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface ListOptions {
  readonly minimumItems?: number;
  /**
   * The maximum length: enforced in requests, documented in responses. `GROWING_LIST_LENGTH` for a response
   * without a limit of its own.
   */
  readonly maximumItems: number;
}

const DEFAULT_TEXT_LENGTH = 255;

/** Returns the shape of a text, for {@link ListField} and {@link OneOfField}. */
export function text(options: TextOptions = {}): Shape {
  const { pattern } = options;
  return {
    kind: 'text',
    minimumLength: options.minimumLength ?? 0,
    maximumLength: options.maximumLength ?? DEFAULT_TEXT_LENGTH,
    format: options.format ?? null,
    isMultiLine: options.isMultiLine ?? options.isFile ?? false,
    ...(options.isFile === true ? { isFile: true } : {}),
    pattern: pattern === undefined ? null : { ...pattern, expression: new RegExp(pattern.source, 'u') },
  };
}

/** Returns the shape of a whole number; within ±(2^53 − 1) by default. */
export function integer(options: NumericOptions = {}): Shape {
  return {
    kind: 'integer',
    minimum: options.minimum ?? Number.MIN_SAFE_INTEGER,
    maximum: options.maximum ?? Number.MAX_SAFE_INTEGER,
  };
}

/** Returns the shape of a number with decimals. */
export function decimal(options: NumericOptions = {}): Shape {
  return {
    kind: 'number',
    minimum: options.minimum ?? -Number.MAX_VALUE,
    maximum: options.maximum ?? Number.MAX_VALUE,
  };
}

/** Returns the shape of one of these words. */
export function enumeration(values: readonly string[]): Shape {
  return { kind: 'enumeration', values };
}

/** Returns the shape of an id. */
export function identifier(of: IdentifierKind): Shape {
  return { kind: 'identifier', of };
}

/** Returns the shape of an object. A function returns the class, because classes may refer to each other. */
export function object(shapeClass: () => ShapeClass): Shape {
  return { kind: 'object', shapeClass };
}

export const date: Shape = { kind: 'date' };
export const dateTime: Shape = { kind: 'date_time' };
export const boolean: Shape = { kind: 'boolean' };

/**
 * A text of one line, or of several with `isMultiLine`. `#kernel/plain-text.js` defines the characters that
 * it may contain.
 */
export function TextField(options: FieldOptions & TextOptions = {}): PropertyDecorator {
  return field(text(options), options);
}

/** A date that exists, `YYYY-MM-DD`, from 1900-01-01 to 9998-12-31. */
export function DateField(options: FieldOptions = {}): PropertyDecorator {
  return field(date, options);
}

/** An ISO 8601 date-time with an offset; a query receives it in UTC with milliseconds. */
export function DateTimeField(options: FieldOptions = {}): PropertyDecorator {
  return field(dateTime, options);
}

/** A whole number, bounds inclusive. */
export function IntegerField(options: FieldOptions & NumericOptions = {}): PropertyDecorator {
  return field(integer(options), options);
}

/** A number, bounds inclusive. */
export function NumberField(options: FieldOptions & NumericOptions = {}): PropertyDecorator {
  return field(decimal(options), options);
}

/** True or false. */
export function BooleanField(options: FieldOptions = {}): PropertyDecorator {
  return field(boolean, options);
}

/** One of these words. */
export function EnumField(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  return field(enumeration(values), options);
}

/**
 * An id. A string without the form of an id is read as an id of no resource; any other type is refused (400).
 */
export function IdField(of: IdentifierKind, options: FieldOptions = {}): PropertyDecorator {
  return field(identifier(of), options);
}

/** An object of a class. */
export function ObjectField(shapeClass: () => ShapeClass, options: FieldOptions = {}): PropertyDecorator {
  return field(object(shapeClass), options);
}

/**
 * A list of objects of a class, or of single values: `@ListField(text({ maximumLength: 40 }), { maximumItems:
 * 10 })`.
 */
export function ListField(item: Shape | (() => ShapeClass), options: FieldOptions & ListOptions): PropertyDecorator {
  const shape: Shape = {
    kind: 'list',
    item: typeof item === 'function' ? object(item) : item,
    minimumItems: options.minimumItems ?? 0,
    maximumItems: options.maximumItems,
  };
  return field(shape, options);
}

/**
 * A value of one of several shapes. The serialiser writes an object as the first class whose required fields
 * it has.
 */
export function OneOfField(shapes: readonly Shape[], options: FieldOptions = {}): PropertyDecorator {
  return field({ kind: 'one_of', shapes }, options);
}

/**
 * Records the field for documentation, metadata and responses, and declares its rules to class-validator and
 * class-transformer, which validate and transform requests.
 */
function field(shape: Shape, options: FieldOptions): PropertyDecorator {
  const { nullable = false, optional = false, description = '', example, deprecated } = options;
  return (prototype, name) => {
    const declared: Field = { name: String(name), shape, nullable, optional, description, example, deprecated };
    registerField(prototype.constructor, declared);
    declareValidation(declared, prototype, name);
    declareReading(shape, prototype, name);
  };
}

/** A value's first broken rule is reported, so rules are declared in the order in which they are reported. */
function declareValidation({ shape, nullable, optional }: Field, prototype: object, name: string | symbol): void {
  const isChecked = (value: unknown): boolean => !(optional && value === undefined) && !(nullable && value === null);
  ValidateIf((_, value) => isChecked(value))(prototype, name);
  // Null is a value of a wrong type, not a missing one.
  IsDefined({ message: 'is required', validateIf: (_, value) => value !== null })(prototype, name);
  for (const rule of rulesFromText(shape)) applyRule(rule, prototype, name, { groups: [FROM_TEXT] });
  for (const rule of rulesOf(shape)) applyRule(rule, prototype, name);
  if (shape.kind === 'list') {
    const { maximumItems, minimumItems } = shape;
    ArrayMaxSize(maximumItems, { message: `must have at most ${maximumItems} items` })(prototype, name);
    ArrayMinSize(minimumItems, { message: `must have at least ${minimumItems} items` })(prototype, name);
    for (const rule of rulesOf(shape.item)) applyRuleToItems(rule, prototype, name);
  }
  if (classWithin(shape) !== null) ValidateNested()(prototype, name);
}

function declareReading(shape: Shape, prototype: object, name: string | symbol): void {
  Expose()(prototype, name);
  // A plain object for a value without a class. Without a type, class-transformer would call the value's own
  // member `constructor`.
  Type(classWithin(shape) ?? (() => Object))(prototype, name);
  const kinds = identifierKindsOf(shape);
  const readId = (value: unknown): unknown => (typeof value === 'string' ? asIdentifier(kinds, value) : value);
  if (kinds.length > 0) {
    Transform(({ value }) => (Array.isArray(value) ? value.map(readId) : readId(value)), { toClassOnly: true })(
      prototype,
      name,
    );
  }
  Transform(({ value }) => fromText(shape, value), { groups: [FROM_TEXT], toClassOnly: true })(prototype, name);
  Transform(({ value }) => inUtc(shape, value), { groups: [FROM_TEXT], toPlainOnly: true })(prototype, name);
}

/** Returns the class of the objects of a field, or of those in its list; null if it has none. */
function classWithin(shape: Shape): (() => ShapeClass) | null {
  const inner = shape.kind === 'list' ? shape.item : shape;
  return inner.kind === 'object' ? inner.shapeClass : null;
}

/**
 * A class with the fields of another class, all optional in requests: the body that updates what the other
 * class creates. Like `PartialType` of `@nestjs/mapped-types`.
 */
export function partialOf<Instance extends object>(shapeClass: ShapeClass<Instance>): ShapeClass<Partial<Instance>> {
  class PartialShape {}
  for (const { shape, name, nullable, description, example } of fieldsOf(shapeClass)) {
    field(shape, { nullable, description, optional: true, ...(example === undefined ? {} : { example }) })(
      PartialShape.prototype,
      name,
    );
  }
  return PartialShape;
}
