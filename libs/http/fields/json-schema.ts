import { UNASSIGNED_PERSON_ID, unassignedId } from '#kernel/identifier.js';
import type { Json, JsonObject } from '#kernel/json.js';
import { LINE_PATTERN, LINES_PATTERN, VISIBLE_LINE_PATTERN, VISIBLE_LINES_PATTERN } from '#kernel/plain-text.js';
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

/** Every class that a document refers to, by name. Two classes with the same name are an error. */
export class SchemaRegistry {
  private readonly classes = new Map<string, ShapeClass>();

  /** Returns the reference to a class's schema. The document must then define that schema. */
  refer(shapeClass: ShapeClass): JsonObject {
    const known = this.classes.get(shapeClass.name);
    if (known !== undefined && known !== shapeClass) throw new Error(`two classes are named ${shapeClass.name}`);
    this.classes.set(shapeClass.name, shapeClass);
    return { $ref: `#/components/schemas/${shapeClass.name}` };
  }

  /** Returns the schemas of all classes referred to, directly or through other classes, by name. */
  definitions(): { [name: string]: Json } {
    const defined = new Map<string, Json>();
    while (defined.size < this.classes.size) {
      for (const [name, shapeClass] of [...this.classes])
        if (!defined.has(name)) defined.set(name, this.define(shapeClass));
    }
    return Object.fromEntries([...defined].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the schema of one field of a query, a path, a body or an answer. */
  ofField(field: Field): JsonObject {
    const schema = this.ofShape(field.shape);
    const described = { ...(field.description === '' ? {} : { description: field.description }) };
    const example = field.example ?? exampleOfShape(field.shape);
    if (!field.nullable)
      return '$ref' in schema ? { ...schema, ...described } : { ...schema, ...described, examples: [example] };
    if (typeof schema.type === 'string' && !('enum' in schema))
      return { ...schema, type: [schema.type, 'null'], ...described, examples: [example] };
    return { anyOf: [schema, { type: 'null' }], ...described };
  }

  /** The classes referred to, by name. */
  all(): ReadonlyMap<string, ShapeClass> {
    return this.classes;
  }

  private define(shapeClass: ShapeClass): JsonObject {
    const fields = fieldsOf(shapeClass);
    const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
    return {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.ofField(field)])),
      additionalProperties: false,
    };
  }

  private ofShape(shape: Shape): JsonObject {
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
        return this.refer(shape.shapeClass());
      case 'list':
        return {
          type: 'array',
          items: this.ofShape(shape.item),
          ...(shape.minimumItems > 0 ? { minItems: shape.minimumItems } : {}),
          maxItems: shape.maximumItems,
        };
      case 'one_of':
        return { anyOf: shape.shapes.map((candidate) => this.ofShape(candidate)) };
    }
  }
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
