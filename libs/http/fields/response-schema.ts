import type { JsonObject } from '#kernel/json.js';
import { type Field, fieldsOf, type Shape, type ShapeClass } from './shape.js';

/**
 * Returns the JSON schema of a success's body, from which `fast-json-stringify` compiles its writer: the
 * fields of the class in their order, and no other member of the object. `anyOf` lets the writer test the
 * whole body first. It refuses a missing value and one of a wrong type, which it would else convert.
 */
export function responseSchemaOf(shapeClass: ShapeClass, kind: 'single' | 'page' | 'list'): JsonObject {
  const data = objectSchema(fieldsOf(shapeClass));
  if (kind === 'single') return { anyOf: [requiring(['data'], { data })] };
  const list = { type: 'array', items: data };
  if (kind === 'list') return { anyOf: [requiring(['data'], { data: list })] };
  return {
    anyOf: [requiring(['data', 'pagination'], { data: list, pagination: requiring([], { next_cursor: TEXT }) })],
  };
}

/** A text, and no object that has a text, such as a buffer: the writer takes those for dates. */
const TEXT: JsonObject = { type: 'string', not: { type: 'object' } };
/** The same, or a `Date`. */
const TEXT_OR_DATE: JsonObject = { type: 'string', not: { type: 'object', not: { required: ['toISOString'] } } };

/**
 * The writer writes members that are `required` before the others, and looks for them nowhere else. So they
 * keep the order of the class.
 */
function requiring(required: readonly string[], properties: { readonly [name: string]: JsonObject }): JsonObject {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { not: { not: { required } } }) };
}

function objectSchema(fields: readonly Field[]): JsonObject {
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  return requiring(required, Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])));
}

function fieldSchema({ shape, nullable }: Field): JsonObject {
  const schema = shapeSchema(shape);
  if (!nullable) return schema;
  return shape.kind === 'one_of' ? { anyOf: [schema, { type: 'null' }] } : { ...schema, nullable };
}

function shapeSchema(shape: Shape): JsonObject {
  switch (shape.kind) {
    case 'text':
    case 'date':
    case 'enumeration':
    case 'identifier':
      return TEXT;
    case 'date_time':
      return TEXT_OR_DATE;
    case 'integer':
    case 'number':
      // The writer would cut the decimals of an integer.
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'object':
      return objectSchema(fieldsOf(shape.shapeClass()));
    case 'list':
      return { type: 'array', items: shapeSchema(shape.item) };
    case 'one_of':
      return { anyOf: shape.shapes.map(shapeSchema) };
  }
}
