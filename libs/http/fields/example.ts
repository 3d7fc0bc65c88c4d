import { ID_PREFIXES } from '#kernel/identifier.js';
import type { Json, JsonObject } from '#kernel/json.js';
import { type Field, fieldsOf, type Shape, type ShapeClass } from './shape.js';

/**
 * Returns an example of a class from the example of each field, or from its shape; null only where the
 * field's example is null.
 */
export function exampleOf(shapeClass: ShapeClass): JsonObject {
  return Object.fromEntries(fieldsOf(shapeClass).map((field) => [field.name, exampleOfField(field)]));
}

/**
 * Returns an example of a request's body that the service accepts wherever possible. It omits optional ids,
 * because invented ids do not exist.
 */
export function requestExampleOf(shapeClass: ShapeClass): JsonObject {
  const fields = fieldsOf(shapeClass).filter((field) => !(field.optional && isReference(field.shape)));
  return Object.fromEntries(fields.map((field) => [field.name, exampleOfField(field)]));
}

/** Whether a value of the shape is the id of a resource that must exist. */
export function isReference(shape: Shape): boolean {
  return (
    shape.kind === 'identifier' ||
    (shape.kind === 'list' && isReference(shape.item)) ||
    (shape.kind === 'one_of' && shape.shapes.some(isReference))
  );
}

/** Returns an example of one field. */
export function exampleOfField(field: Field): Json {
  return field.example !== undefined ? field.example : exampleOfShape(field.shape);
}

/** Returns an example of a shape, with a plain value for texts and numbers. */
export function exampleOfShape(shape: Shape): Json {
  switch (shape.kind) {
    case 'text':
      return shape.format === 'email' ? 'ada@example.com' : shape.format === 'uri' ? 'https://example.com/' : 'text';
    case 'date':
      return '2026-01-31';
    case 'date_time':
      return '2026-01-31T09:30:00.000Z';
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(0, shape.minimum);
    case 'enumeration':
      return shape.values[0] ?? '';
    case 'identifier':
      return shape.of === 'person' ? '0a1b2c3d4e5f' : `${ID_PREFIXES[shape.of]}Zm9vYmFy.YmF6cXV4.c2VhbGVkX2lk`;
    case 'object':
      return exampleOf(shape.shapeClass());
    case 'list':
      return [exampleOfShape(shape.item)];
    case 'one_of':
      return shape.shapes[0] === undefined ? null : exampleOfShape(shape.shapes[0]);
  }
}
