import type { Json, JsonObject } from '#kernel/json.js';
import { type Field, fieldsOf, type Shape, type ShapeClass } from '#http/fields/shape.js';
import type { Operation, ToolOptions } from '#http/operation.js';

/** What an argument of a tool is: its name, and the parameter of the operation that it sets. */
export interface Argument {
  /** In snake_case: `person_id` for the path parameter `personId`. */
  readonly name: string;
  readonly field: Field;
  readonly where: 'path' | 'query';
  readonly isRequired: boolean;
}

/** Returns the arguments of a read, path parameters first. A tool may leave some out and require others. */
export function argumentsOf(operation: Operation, { without = [], requires = [] }: Partial<ToolOptions> = {}): readonly Argument[] {
  const from = (shapeClass: ShapeClass | undefined, where: 'path' | 'query'): readonly Argument[] =>
    (shapeClass === undefined ? [] : fieldsOf(shapeClass)).map((field) => ({
      name: snakeCase(field.name),
      field,
      where,
      isRequired: !field.optional || requires.includes(field.name),
    }));
  return [...from(operation.parameters, 'path'), ...from(operation.query, 'query')].filter(({ field }) => !without.includes(field.name));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the schema of a tool's input. It states types, words and meanings; the operation's own check is stricter. */
export function inputSchemaOf(given: readonly Argument[]): JsonObject {
  const required = given.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const properties = given.map(({ name, field }): [string, Json] => [
    name,
    { ...schemaOfShape(field.shape, new Map()), ...(field.description === '' ? {} : { description: field.description }) },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/**
 * Returns the schema of what an operation answers with. It states names and types, without the limits and descriptions that the
 * OpenAPI document has: a model pays for each character.
 */
export function outputSchemaOf({ response, responseKind }: Operation): JsonObject {
  const definitions: Definitions = new Map();
  const one = response === null ? { type: 'object' } : refer(response, definitions);
  const isPage = responseKind === 'page';
  const pagination = { type: 'object', properties: { next_cursor: { type: 'string' } } };
  return {
    type: 'object',
    properties: { data: responseKind === 'single' ? one : { type: 'array', items: one }, ...(isPage ? { pagination } : {}) },
    required: ['data'],
    $defs: Object.fromEntries(definitions),
  };
}

type Definitions = Map<string, Json>;

function refer(shapeClass: ShapeClass, definitions: Definitions): JsonObject {
  const { name } = shapeClass;
  if (!definitions.has(name)) {
    // Its place, for a class that contains itself.
    definitions.set(name, null);
    const properties = fieldsOf(shapeClass).map((field): [string, Json] => [field.name, schemaOfField(field, definitions)]);
    definitions.set(name, { type: 'object', properties: Object.fromEntries(properties) });
  }
  return { $ref: `#/$defs/${name}` };
}

function schemaOfField({ shape, nullable }: Field, definitions: Definitions): JsonObject {
  const schema = schemaOfShape(shape, definitions);
  if (!nullable) return schema;
  if (typeof schema.type === 'string' && !('enum' in schema)) return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

function schemaOfShape(shape: Shape, definitions: Definitions): JsonObject {
  switch (shape.kind) {
    case 'text':
    case 'identifier':
      return { type: 'string' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'date_time':
      return { type: 'string', format: 'date-time' };
    case 'boolean':
    case 'integer':
    case 'number':
      return { type: shape.kind };
    case 'enumeration':
      return { type: 'string', enum: shape.values };
    case 'object':
      return refer(shape.shapeClass(), definitions);
    case 'list':
      return { type: 'array', items: schemaOfShape(shape.item, definitions) };
    case 'one_of':
      return { anyOf: shape.shapes.map((candidate) => schemaOfShape(candidate, definitions)) };
  }
}
