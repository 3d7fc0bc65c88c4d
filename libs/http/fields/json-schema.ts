import type { Json, JsonObject } from '#kernel/json.js';
import { idPatternSource } from '#kernel/identifier.js';
import { exampleOfShape } from './example.js';
import { identifierPattern } from './problem.js';
import { DEFAULT_LIST_LENGTH, type Field, fieldsOf, type Shape, type ShapeClass } from './shape.js';

/** Every class that a document refers to, by name. Two classes with the same name are an error. */
export class SchemaRegistry {
  private readonly classes = new Map<string, ShapeClass>();

  /** Returns the reference to a class's schema. The document must then define that schema. */
  refer(shapeClass: ShapeClass): JsonObject {
    const known = this.classes.get(shapeClass.name);
    if (known !== undefined && known !== shapeClass) throw new Error(`two classes are called ${shapeClass.name}`);
    this.classes.set(shapeClass.name, shapeClass);
    return { $ref: `#/components/schemas/${shapeClass.name}` };
  }

  /** Returns the schemas of all classes referred to, directly or through other classes, by name. */
  definitions(): { [name: string]: Json } {
    const defined = new Map<string, Json>();
    while (defined.size < this.classes.size) {
      for (const [name, shapeClass] of [...this.classes]) if (!defined.has(name)) defined.set(name, this.define(shapeClass));
    }
    return Object.fromEntries([...defined].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the schema of one field of a query, a path, a body or an answer. */
  ofField(field: Field): JsonObject {
    const schema = this.ofShape(field.shape);
    const described = { ...(field.description === '' ? {} : { description: field.description }) };
    const example = field.example ?? exampleOfShape(field.shape);
    if (!field.nullable) return '$ref' in schema ? { ...schema, ...described } : { ...schema, ...described, examples: [example] };
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
        return { type: 'string', format: 'date' };
      case 'date_time':
        return { type: 'string', format: 'date-time' };
      case 'boolean':
        return { type: 'boolean' };
      case 'integer':
      case 'number':
        return ofNumber(shape);
      case 'enumeration':
        return { type: 'string', enum: shape.values };
      case 'identifier':
        return { type: 'string', pattern: shape.of === 'person' ? identifierPattern('person') : idPatternSource(shape.of) };
      case 'object':
        return this.refer(shape.shapeClass());
      case 'list':
        return {
          type: 'array',
          items: this.ofShape(shape.item),
          ...(shape.minimumItems > 0 ? { minItems: shape.minimumItems } : {}),
          ...(shape.maximumItems === DEFAULT_LIST_LENGTH ? {} : { maxItems: shape.maximumItems }),
        };
      case 'one_of':
        return { anyOf: shape.shapes.map((candidate) => this.ofShape(candidate)) };
    }
  }
}

function ofText(shape: Extract<Shape, { kind: 'text' }>): JsonObject {
  const blankRefused = shape.minimumLength > 0 && shape.pattern === null && shape.format === null;
  return {
    type: 'string',
    minLength: shape.minimumLength,
    maxLength: shape.maximumLength,
    ...(shape.format === null ? {} : { format: shape.format }),
    ...(shape.pattern === null ? {} : { pattern: shape.pattern.source }),
    ...(blankRefused ? { pattern: '\\S' } : {}),
  };
}

function ofNumber(shape: Extract<Shape, { kind: 'integer' | 'number' }>): JsonObject {
  const { kind, minimum, maximum } = shape;
  const isBounded = (bound: number): boolean => Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  return { type: kind, ...(isBounded(minimum) ? { minimum } : {}), ...(isBounded(maximum) ? { maximum } : {}) };
}
