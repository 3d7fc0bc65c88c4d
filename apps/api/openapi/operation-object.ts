import type { Json, JsonObject } from '#kernel/json.js';
import { deprecationOf, deprecationSentence } from '#http/deprecation.js';
import { scopesNeeded } from '#kernel/scopes.js';
import { answersUnchanged, errorAnswersOf } from '#http/operations/answer-statuses.js';
import { exampleOf, exampleOfField, isReference, requestExampleOf } from '#http/fields/example.js';
import type { SchemaRegistry } from '#http/fields/json-schema.js';
import { fieldsOf, type ShapeClass } from '#http/fields/shape.js';
import type { Operation } from '#http/operation.js';
import { envelopeSchema } from '#http/operations/envelope-schema.js';
import { createdPathOf, type Route } from '#http/operations/route-table.js';
import { errorReference, headerReferences } from './error-responses.js';

/** Returns a route as an OpenAPI operation. */
export function operationObject(route: Route, registry: SchemaRegistry, routes: readonly Route[]): JsonObject {
  const { operation } = route;
  const scopes = scopesNeeded(operation.scope);
  const errors = errorAnswersOf(operation).map((answer) => [String(answer.status), errorReference(answer)] as const);
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    ...descriptionOf(operation),
    ...(operation.deprecated === undefined ? {} : { deprecated: true }),
    tags: operation.tags,
    'x-service-domain-capability': operation.capability,
    'x-service-required-scope': scopes.contract,
    ...(scopes.extension === null ? {} : { 'x-service-extension-scope': scopes.extension }),
    parameters: [
      ...parametersIn('path', operation.parameters, registry),
      ...parametersIn('query', operation.query, registry),
      ...headerParameters(operation),
    ],
    ...bodyOf(operation, registry),
    responses: {
      [operation.successStatus]: success(operation, registry, createdPathOf(route, routes) !== null),
      ...(answersUnchanged(operation)
        ? { 304: { description: 'The caller already has the current representation.', headers: headersOf(operation) } }
        : {}),
      ...Object.fromEntries(errors),
      default: { $ref: '#/components/responses/Refused' },
    },
  };
}

/**
 * The description, with the scope if it is an extension: readers would otherwise look for it among the
 * contract's scopes.
 */
function descriptionOf(operation: Operation): JsonObject {
  const { deprecated } = operation;
  const { extension } = scopesNeeded(operation.scope);
  const end = deprecated === undefined ? null : deprecationSentence(deprecated);
  const note = extension === null ? null : `Needs the extension scope \`${extension}\`, which a key gets by name only.`;
  const sentences = [operation.description, end, note].filter((one) => one !== undefined && one !== null);
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

function parametersIn(
  where: 'path' | 'query',
  shapeClass: ShapeClass | undefined,
  registry: SchemaRegistry,
): readonly JsonObject[] {
  if (shapeClass === undefined) return [];
  return fieldsOf(shapeClass).map((field) => ({
    name: field.name,
    in: where,
    required: where === 'path' || !field.optional,
    ...(field.description === '' ? {} : { description: field.description }),
    ...(field.deprecated === undefined ? {} : { deprecated: true }),
    schema: registry.ofField({ ...field, description: '', deprecated: undefined }, 'request'),
    // Without an example: documentation tools that send examples would send an invented id or cursor, which
    // is refused.
    ...(isReference(field.shape) || field.name === 'cursor' ? {} : { example: exampleOfField(field) }),
  }));
}

/** A list of entity tags in quotation marks; a header is at most 16 KiB long. */
const IF_MATCH: JsonObject = { type: 'string', minLength: 2, maxLength: 16_384, pattern: '^[^*]*"[^*]*$' };

const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The entity tags that the caller has, or `*`. The answer is 304 if one of them is current.',
  schema: { type: 'string', minLength: 1, maxLength: 16_384, pattern: '^(\\*|.*".*)$' },
};

function headerParameters(operation: Operation): readonly JsonObject[] {
  const { write } = operation;
  if (write === undefined) return answersUnchanged(operation) ? [IF_NONE_MATCH] : [];
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    // Without an example: documentation tools would send it as the key of every write, and the second write
    // would be refused.
    description:
      'A new value for each write, such as a UUID. A retry with the same value and request gets the stored answer.',
    // 255 characters and two quotation marks.
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[\\x21-\\x7E]{1,257}$' },
  };
  if (write.ifMatch === 'none') return [key];
  const description = 'The tag of `Service-Resource-ETag` that the caller has read, in quotation marks.';
  return [
    key,
    { name: 'If-Match', in: 'header', required: write.ifMatch === 'required', description, schema: IF_MATCH },
  ];
}

function bodyOf({ body, isBodyOptional }: Operation, registry: SchemaRegistry): JsonObject {
  if (body === undefined) return {};
  return {
    requestBody: {
      required: isBodyOptional !== true,
      content: { 'application/json': { schema: registry.refer(body, 'request'), example: requestExampleOf(body) } },
    },
  };
}

function success(operation: Operation, registry: SchemaRegistry, hasLocation: boolean): JsonObject {
  const headers = headersOf(operation, ...(hasLocation ? ['Location'] : []));
  const envelope = envelopeOf(operation, registry);
  if (envelope === null) return { description: 'Done.', headers };
  return {
    description: operation.successStatus === 201 ? 'Created.' : 'Success.',
    headers,
    content: { 'application/json': envelope },
  };
}

function headersOf(operation: Operation, ...others: readonly string[]): JsonObject {
  const tags = operation.entityTag === true ? ['Service-Resource-ETag', 'ETag'] : [];
  const replayed = operation.write === undefined ? [] : ['Idempotent-Replayed'];
  const end = deprecationOf(operation);
  return headerReferences(
    'Access-Control-Allow-Origin',
    'Service-Request-Id',
    'RateLimit-Policy',
    'RateLimit',
    ...tags,
    ...replayed,
    ...(end === null ? [] : ['Deprecation', ...(end.sunset === undefined ? [] : ['Sunset'])]),
    ...others,
  );
}

function envelopeOf(operation: Operation, registry: SchemaRegistry): { schema: Json; example: Json } | null {
  const schema = envelopeSchema(operation, registry);
  if (schema === null) return null;
  const { response, responseKind } = operation;
  const example = exampleOf(response!);
  const pagination = responseKind === 'page' ? { pagination: { next_cursor: 'b2Zmc2V0' } } : {};
  return { schema, example: { data: responseKind === 'single' ? example : [example], ...pagination } };
}
