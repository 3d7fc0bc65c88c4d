import { UNASSIGNED_PERSON_ID, unassignedId } from '#kernel/identifier.js';
import type { Json, JsonObject } from '#kernel/json.js';
import { LINE_PATTERN, LINES_PATTERN, VISIBLE_LINE_PATTERN, VISIBLE_LINES_PATTERN } from '#kernel/plain-text.js';
import { deprecationSentence } from '../deprecation.js';
import { EMAIL_ADDRESS_PATTERN } from './email-address.js';
import { exampleOfShape } from './example.js';
import { identifierPattern } from './rules.js';
import {
  type Field,
  fieldsOf,
  type IdentifierKind,
  type NumericShape,
  type Shape,
  type ShapeClass,
  type TextShape,
} from './shape.js';

/**
 * The side that writes objects of a class. Requests are strict; clients must accept more fields in
 * responses.
 */
export type SchemaUse = 'request' | 'response';

/**
 * Every class that a document refers to, by name. Two classes with the same name are an error, and so is a
 * class in both requests and responses: a subclass without fields of its own serves the other side.
 */
export class SchemaRegistry {
  private readonly classes = new Map<string, { readonly shapeClass: ShapeClass; readonly use: SchemaUse }>();

  /** Returns the reference to a class's schema. The document must then define that schema. */
  refer(shapeClass: ShapeClass, use: SchemaUse): JsonObject {
    const { name } = shapeClass;
    const known = this.classes.get(name) ?? { shapeClass, use };
    if (known.shapeClass !== shapeClass) throw new Error(`two classes are named ${name}`);
    if (known.use !== use) throw new Error(`${name} is in a request and in a response`);
    this.classes.set(name, known);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Returns the schemas of all classes referred to, directly or through other classes, by name. */
  definitions(): { [name: string]: Json } {
    const defined = new Map<string, Json>();
    while (defined.size < this.classes.size) {
      for (const [name, { shapeClass, use }] of [...this.classes])
        if (!defined.has(name)) defined.set(name, this.define(shapeClass, use));
    }
    return Object.fromEntries([...defined].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the schema of one field of a query, a path, a body or an answer. */
  ofField(field: Field, use: SchemaUse): JsonObject {
    const schema = this.ofShape(field.shape, use);
    const described = describedOf(field);
    const example = field.example ?? exampleOfShape(field.shape);
    if (!field.nullable)
      return '$ref' in schema ? { ...schema, ...described } : { ...schema, ...described, examples: [example] };
    if (typeof schema.type === 'string' && !('enum' in schema))
      return { ...schema, type: [schema.type, 'null'], ...described, examples: [example] };
    return { anyOf: [schema, { type: 'null' }], ...described };
  }

  /** The classes referred to. */
  all(): readonly ShapeClass[] {
    return [...this.classes.values()].map(({ shapeClass }) => shapeClass);
  }

  private define(shapeClass: ShapeClass, use: SchemaUse): JsonObject {
    const fields = fieldsOf(shapeClass);
    const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
    return {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.ofField(field, use)])),
      ...(use === 'request' ? { additionalProperties: false } : {}),
    };
  }

  private ofShape(shape: Shape, use: SchemaUse): JsonObject {
    switch (shape.kind) {
      case 'text':
        return ofText(shape);
      case 'date':
        return { type: 'string', format: 'date', minLength: DATE_LENGTH, maxLength: DATE_LENGTH };
      case 'date_time':
        return { type: 'string', format: 'date-time', maxLength: MAX_DATE_TIME_LENGTH };
      case 'boolean':
        return { type: 'boolean' };
      case 'integer':
      case 'number':
        return ofNumber(shape);
      case 'enumeration':
        return { type: 'string', enum: shape.values };
      case 'identifier':
        return ofIdentifier(shape.of);
      case 'object':
        return this.refer(shape.shapeClass(), use);
      case 'list':
        return {
          type: 'array',
          items: this.ofShape(shape.item, use),
          ...(shape.minimumItems > 0 ? { minItems: shape.minimumItems } : {}),
          maxItems: shape.maximumItems,
        };
      case 'one_of':
        return { anyOf: shape.shapes.map((candidate) => this.ofShape(candidate, use)) };
    }
  }
}

function describedOf({ description, deprecated }: Field): JsonObject {
  const sentences = [
    ...(description === '' ? [] : [description]),
    ...(deprecated ? [deprecationSentence(deprecated)] : []),
  ];
  return {
    ...(sentences.length === 0 ? {} : { description: sentences.join(' ') }),
    ...(deprecated ? { deprecated: true } : {}),
  };
}

const DATE_LENGTH = '2026-01-31'.length;
/** Nine decimal places of a second and an offset: the longest date-time that a request may contain. */
const MAX_DATE_TIME_LENGTH = '2026-01-31T09:30:00.000000000+00:00'.length;
/** The bounds of the format `int32`; any other integer is an `int64`, within ±(2^53 − 1). */
const INT32 = { minimum: -2_147_483_648, maximum: 2_147_483_647 };

function ofIdentifier(kind: IdentifierKind): JsonObject {
  const { length } = kind === 'person' ? UNASSIGNED_PERSON_ID : unassignedId(kind);
  return { type: 'string', minLength: length, maxLength: length, pattern: identifierPattern(kind) };
}

function ofText(shape: TextShape): JsonObject {
  const length = { minLength: shape.minimumLength, maxLength: shape.maximumLength };
  // The format `email` covers ASCII only, and validators reject `idn-email` where they do not support it.
  if (shape.format === 'email') return { type: 'string', ...length, pattern: EMAIL_ADDRESS_PATTERN };
  return {
    type: 'string',
    ...length,
    ...(shape.format === null ? {} : { format: shape.format }),
    ...(shape.pattern === null && shape.format !== null
      ? {}
      : { pattern: shape.pattern?.source ?? charactersOf(shape) }),
  };
}

/**
 * The pattern of the characters that a text may contain; a text with a minimum length also needs a visible
 * one.
 */
function charactersOf({ isMultiLine, isFile = false, minimumLength }: TextShape): string {
  const pattern = linesOf(isMultiLine, minimumLength);
  return isFile ? pattern.replace('^', String.raw`^\uFEFF?`) : pattern;
}

function linesOf(isMultiLine: boolean, minimumLength: number): string {
  if (minimumLength === 0) return isMultiLine ? LINES_PATTERN : LINE_PATTERN;
  return isMultiLine ? VISIBLE_LINES_PATTERN : VISIBLE_LINE_PATTERN;
}

function ofNumber({ kind, minimum, maximum }: NumericShape): JsonObject {
  if (kind === 'integer') {
    const format = minimum >= INT32.minimum && maximum <= INT32.maximum ? 'int32' : 'int64';
    return { type: kind, format, minimum, maximum };
  }
  const isBounded = (bound: number): boolean => Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  return { type: kind, ...(isBounded(minimum) ? { minimum } : {}), ...(isBounded(maximum) ? { maximum } : {}) };
}
