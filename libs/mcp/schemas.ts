import type { Json, JsonObject } from '#kernel/json.js';
import { SchemaRegistry } from '#http/fields/json-schema.js';
import { type Field, fieldsOf, type ShapeClass } from '#http/fields/shape.js';
import { envelopeSchema } from '#http/operations/envelope-schema.js';
import type { Operation, ToolOptions } from '#http/operation.js';

/** An argument of a tool: its name, and its parameter of the operation. */
export interface Argument {
  /** In snake_case: `person_id` for the path parameter `personId`. */
  readonly name: string;
  readonly field: Field;
  readonly where: 'path' | 'query' | 'body';
  readonly isRequired: boolean;
}

/** Returns the arguments of an operation, path parameters first. A tool may omit some and require others. */
export function argumentsOf(
  operation: Operation,
  { without = [], requires = [] }: Partial<ToolOptions> = {},
): readonly Argument[] {
  const from = (shapeClass: ShapeClass | undefined, where: Argument['where']): readonly Argument[] =>
    (shapeClass === undefined ? [] : fieldsOf(shapeClass)).map((field) => ({
      name: snakeCase(field.name),
      field,
      where,
      isRequired: !field.optional || requires.includes(field.name),
    }));
  return [
    ...from(operation.parameters, 'path'),
    ...from(operation.query, 'query'),
    ...from(bodyOf(operation), 'body'),
  ].filter(({ field }) => !without.includes(field.name));
}

/** An AI client sends a body only to a write with a tool. */
function bodyOf({ body, tools }: Operation): ShapeClass | undefined {
  return tools.length === 0 ? undefined : body;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The argument of every writing tool that identifies repeats of a call. */
export const IDEMPOTENCY_ARGUMENT = 'idempotency_key';
const IDEMPOTENCY_SCHEMA: JsonObject = {
  type: 'string',
  description: 'Repeated calls with it happen once.',
};

/**
 * The response of every writing tool: a proposal, or for a direct write the response of its operation
 * (`describe_operation` has every field of both). One schema for both, because a client that listed the tools
 * before the organisation allowed an operation validates later responses with it; and because a model pays
 * for each character.
 */
export const WRITTEN_SCHEMA: JsonObject = {
  type: 'object',
  required: ['data'],
};

/**
 * Returns the schema of a tool's input. It contains types, enumerations and descriptions; the operation's own
 * validation is stricter. A field of a path or a body has only its name: a model pays for each character.
 */
export function inputSchemaOf(given: readonly Argument[], isWrite = false): JsonObject {
  const required = given.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const registry = new SchemaRegistry();
  const properties = given.map(({ name, field, where }): [string, Json] => [
    name,
    {
      ...lean(registry.ofField(field, 'request'), TELLING_FORMATS),
      ...(field.description === '' || where !== 'query' ? {} : { description: field.description }),
    },
  ]);
  if (isWrite) properties.push([IDEMPOTENCY_ARGUMENT, IDEMPOTENCY_SCHEMA]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Returns the schema of an operation's response: {@link lean}. */
export function outputSchemaOf(operation: Operation): JsonObject {
  const registry = new SchemaRegistry();
  const envelope = envelopeSchema(operation, registry);
  if (envelope === null) return { type: 'object' };
  const definitions = Object.entries(registry.definitions()).map(([name, schema]) => [
    name,
    lean(schema as JsonObject, NO_FORMATS),
  ]);
  return { ...lean(envelope, NO_FORMATS), required: ['data'], $defs: Object.fromEntries(definitions) };
}

/** Formats that tell a model how to write a value. */
const TELLING_FORMATS: ReadonlySet<Json> = new Set(['date', 'date-time']);
/** A model infers the form of a value from the value. */
const NO_FORMATS: ReadonlySet<Json> = new Set();

/**
 * Returns a schema of the OpenAPI document with names, types and enumerations only, without limits and
 * descriptions: a model pays for each character.
 */
function lean(schema: JsonObject, formats: ReadonlySet<Json>): JsonObject {
  const members = Object.entries(schema).flatMap(([keyword, value]): readonly [string, Json][] => {
    switch (keyword) {
      case 'type':
      case 'enum':
        return [[keyword, value]];
      case 'format':
        return formats.has(value) ? [[keyword, value]] : [];
      case '$ref':
        return [[keyword, (value as string).replace('#/components/schemas/', '#/$defs/')]];
      case 'items':
        return [[keyword, lean(value as JsonObject, formats)]];
      case 'anyOf':
        return [[keyword, (value as readonly JsonObject[]).map((one) => lean(one, formats))]];
      case 'properties':
        return [
          [
            keyword,
            Object.fromEntries(
              Object.entries(value as JsonObject).map(([name, one]) => [name, lean(one as JsonObject, formats)]),
            ),
          ],
        ];
      default:
        return [];
    }
  });
  return Object.fromEntries(members);
}
