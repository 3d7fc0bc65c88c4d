import { CONTRACT_SCOPES, EXTENSION_SCOPES, type Scope, scopesNeeded } from '#kernel/scopes.js';
import { statusesOf } from '#http/operations/answer-statuses.js';
import { FIELD_CATEGORIES, FIELD_CATEGORIES_OF_SCOPE } from './field-categories.js';
import { SchemaRegistry } from '#http/fields/json-schema.js';
import { type Field, fieldsOf, type Shape, type ShapeClass } from '#http/fields/shape.js';
import { CONTRACT_VERSION } from '../openapi/document.js';
import type { Route } from '#http/operations/route-table.js';
import { CATALOGUED_WEBHOOK_EVENTS, WEBHOOK_EVENTS } from '#kernel/webhook-events.js';

/** Returns the body of GET /metadata, derived once from the operations and classes (contract part 4). */
export function metadataOf(routes: readonly Route[]) {
  return {
    metadata_version: 'v1',
    api_version: CONTRACT_VERSION,
    generated_from: `OpenAPI 3.1 document /api/v1/openapi.json, version ${CONTRACT_VERSION}`,
    routes: routes.map(routeMetadata),
    schemas: [...classesOf(routes)].map(schemaMetadata).sort((a, b) => (a.name < b.name ? -1 : 1)),
    scopes: CONTRACT_SCOPES.map(scopeMetadata),
    extension_scopes: EXTENSION_SCOPES.map(scopeMetadata),
    field_categories: Object.entries(FIELD_CATEGORIES).map(([id, { label, sensitivity }]) => ({
      id,
      label,
      sensitivity,
    })),
    webhook_events: CATALOGUED_WEBHOOK_EVENTS.map((type) => ({
      event_type: type,
      required_scopes: [WEBHOOK_EVENTS[type]],
    })),
  };
}

function scopeMetadata(scope: Scope) {
  return { scope, field_categories: FIELD_CATEGORIES_OF_SCOPE[scope] };
}

function routeMetadata({ method, path, operation }: Route) {
  return {
    method,
    path,
    operation_id: operation.operationId,
    summary: operation.summary,
    tags: operation.tags,
    ...scopesOf(operation),
    capability: operation.capability,
    path_parameters: parametersOf(operation.parameters),
    query_parameters: parametersOf(operation.query),
    response_statuses: statusesOf(operation),
  };
}

function scopesOf({ scope }: Route['operation']) {
  const { contract, extension } = scopesNeeded(scope);
  return { required_scope: contract, extension_scope: extension };
}

function parametersOf(shapeClass: ShapeClass | undefined) {
  if (shapeClass === undefined) return [];
  return fieldsOf(shapeClass).map((field) => ({
    name: field.name,
    required: !field.optional,
    type: typeOf(field.shape),
    enum_values: enumValuesOf(field.shape),
  }));
}

/** Returns every class that is the body or the response of an operation, and the classes inside them. */
function classesOf(routes: readonly Route[]): Iterable<ShapeClass> {
  const registry = new SchemaRegistry();
  for (const { operation } of routes) {
    if (operation.body !== undefined) registry.refer(operation.body, 'request');
    if (operation.response !== null) registry.refer(operation.response, 'response');
  }
  registry.definitions();
  return registry.all();
}

function schemaMetadata(shapeClass: ShapeClass) {
  return {
    name: shapeClass.name,
    fields: fieldsOf(shapeClass).flatMap((field) => fieldMetadata(field, '', [shapeClass])),
  };
}

interface FieldMetadata {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly enum_values: readonly string[];
}

/**
 * Returns a field and the fields inside it, with dotted paths; `[]` marks the items of a list. A recursive
 * class is expanded once.
 */
function fieldMetadata(field: Field, prefix: string, ancestors: readonly ShapeClass[]): readonly FieldMetadata[] {
  const path = prefix + field.name;
  const own = { path, type: typeOf(field.shape), required: !field.optional, enum_values: enumValuesOf(field.shape) };
  const inner = field.shape.kind === 'list' ? field.shape.item : field.shape;
  if (inner.kind !== 'object' || ancestors.includes(inner.shapeClass())) return [own];
  const below = `${path}${field.shape.kind === 'list' ? '[]' : ''}.`;
  const lineage = [...ancestors, inner.shapeClass()];
  return [own, ...fieldsOf(inner.shapeClass()).flatMap((child) => fieldMetadata(child, below, lineage))];
}

function typeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
    case 'enumeration':
    case 'identifier':
      return 'string';
    case 'date_time':
      return 'date-time';
    case 'list':
      return 'array';
    case 'one_of':
      return shape.shapes
        .map(typeOf)
        .filter((type, index, types) => types.indexOf(type) === index)
        .join(' | ');
    default:
      return shape.kind;
  }
}

function enumValuesOf(shape: Shape): readonly string[] {
  if (shape.kind === 'list') return enumValuesOf(shape.item);
  return shape.kind === 'enumeration' ? shape.values : [];
}
