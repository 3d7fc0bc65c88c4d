import type { Json, JsonObject } from '#kernel/json.js';
import { SchemaRegistry } from '#http/fields/json-schema.js';
import { type Field, fieldsOf, type ShapeClass } from '#http/fields/shape.js';
import { envelopeSchema } from '#http/openapi/operation-object.js';
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
  const registry = new SchemaRegistry();
  const properties = given.map(({ name, field }): [string, Json] => [
    name,
    { ...lean(registry.ofField(field)), ...(field.description === '' ? {} : { description: field.description }) },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Returns the schema of what an operation answers with: {@link lean}. */
export function outputSchemaOf(operation: Operation): JsonObject {
  const registry = new SchemaRegistry();
  const envelope = envelopeSchema(operation, registry);
  if (envelope === null) return { type: 'object' };
  const definitions = Object.entries(registry.definitions()).map(([name, schema]) => [name, lean(schema as JsonObject)]);
  return { ...lean(envelope), required: ['data'], $defs: Object.fromEntries(definitions) };
}

/** Formats that tell a model how to write a value. */
const TELLING_FORMATS: ReadonlySet<Json> = new Set(['date', 'date-time']);

/**
 * Returns a schema of the OpenAPI document with names, types and words only, without limits and descriptions: a model pays for each
 * character.
 */
function lean(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).flatMap(([keyword, value]): readonly [string, Json][] => {
    switch (keyword) {
      case 'type':
      case 'enum':
        return [[keyword, value]];
      case 'format':
        return TELLING_FORMATS.has(value) ? [[keyword, value]] : [];
      case '$ref':
        return [[keyword, (value as string).replace('#/components/schemas/', '#/$defs/')]];
      case 'items':
        return [[keyword, lean(value as JsonObject)]];
      case 'anyOf':
        return [[keyword, (value as readonly JsonObject[]).map(lean)]];
      case 'properties':
        return [[keyword, Object.fromEntries(Object.entries(value as JsonObject).map(([name, one]) => [name, lean(one as JsonObject)]))]];
      default:
        return [];
    }
  });
  return Object.fromEntries(kept);
}
