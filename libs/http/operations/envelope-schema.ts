import type { JsonObject } from '#kernel/json.js';
import { MAX_PAGE_SIZE } from '#kernel/page-size.js';
import type { SchemaRegistry } from '../fields/json-schema.js';
import { GROWING_LIST_LENGTH } from '../fields/shape.js';
import type { Operation } from '../operation.js';
import { MAX_CURSOR_LENGTH } from '../pages.js';

const CURSOR: JsonObject = { type: 'string', minLength: 1, maxLength: MAX_CURSOR_LENGTH, pattern: '^[A-Za-z0-9._-]+$' };

/** Returns the schema of the whole body of a success; null for an operation without a response body. */
export function envelopeSchema({ response, responseKind }: Operation, registry: SchemaRegistry): JsonObject | null {
  if (response === null || responseKind === 'none') return null;
  const one = registry.refer(response, 'response');
  const isPage = responseKind === 'page';
  const pagination = { type: 'object', properties: { next_cursor: CURSOR } };
  const items = { type: 'array', items: one, maxItems: isPage ? MAX_PAGE_SIZE : GROWING_LIST_LENGTH };
  return {
    type: 'object',
    required: isPage ? ['data', 'pagination'] : ['data'],
    properties: { data: responseKind === 'single' ? one : items, ...(isPage ? { pagination } : {}) },
  };
}
