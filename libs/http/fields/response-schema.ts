import type { JsonObject } from '#kernel/json.js';
import { type Field, fieldsOf, type Shape, type ShapeClass } from './shape.js';

/**
 * Returns the JSON schema of a successful response's body, from which `fast-json-stringify` compiles its
 * serialiser. It contains the fields of the class in their order and no others. With `anyOf`, the serialiser
 * checks the whole body first: it refuses a missing value and a value of the wrong type, which it would
 * otherwise convert.
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

/**
 * A string, and no object that has a string form, such as a buffer: the serialiser would treat it as a date.
 */
const TEXT: JsonObject = { type: 'string', not: { type: 'object' } };
/** The same, or a `Date`. */
const TEXT_OR_DATE: JsonObject = { type: 'string', not: { type: 'object', not: { required: ['toISOString'] } } };

/**
 * The serialiser writes `required` members before the others, and reads them from there alone. Listing all
 * members keeps the order of the class.
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
      // The serialiser would truncate the decimals of an integer.
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
