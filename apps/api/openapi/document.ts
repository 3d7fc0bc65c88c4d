import type { Json, JsonObject } from '#kernel/json.js';
import { LINE_PATTERN } from '#kernel/plain-text.js';
import { ERRORS, MAX_ISSUES } from '#http/errors.js';
import { SchemaRegistry } from '#http/fields/json-schema.js';
import type { Route } from '#http/operations/route-table.js';
import { errorResponses, HEADERS, REQUEST_ID_SCHEMA } from './error-responses.js';
import { operationObject } from './operation-object.js';
import { TAGS, WEBHOOK_EVENTS_TAG } from './tags.js';
import { webhookObjects } from './webhooks.js';

/** The version of the contract (contract part 9). */
export const CONTRACT_VERSION = '1.0.0-foundation';

const TITLE = 'Workforce HR Public API';
const DESCRIPTION =
  'A governed REST API for people, employment and related data. Every call needs an API key; ' +
  'only this document, its reader and the documentation are public. Writes need an Idempotency-Key; writes to an ' +
  'existing person or employment also need If-Match. ' +
  'Every GET also answers HEAD. ' +
  'The [documentation](/docs/) shows how to use it, step by step.';

/**
 * Returns the OpenAPI 3.1 document of these routes, derived from their operations and field classes only.
 * `publicUrl`, without a slash at its end, makes the address of the server absolute; null leaves it relative.
 */
export function openApiDocument(routes: readonly Route[], publicUrl: string | null = null): JsonObject {
  const registry = new SchemaRegistry();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationObject(route, registry, routes);
  const tags = [...new Set([...routes.flatMap(({ operation }) => operation.tags), WEBHOOK_EVENTS_TAG])].map(tagObject);
  const webhooks = webhookObjects(registry);
  return {
    openapi: '3.1.0',
    info: {
      title: TITLE,
      version: CONTRACT_VERSION,
      description: DESCRIPTION,
      contact: { name: 'Workforce HR', url: 'https://github.com/workforce-hr/workforce-hr' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [
      {
        url: `${publicUrl ?? ''}/api/v1`,
        description: 'Production, or the sandbox: the address from which this document was read.',
        'x-internal': false,
      },
    ],
    security: [{ apiKey: [] }],
    tags,
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: '`svc_live_…` keys on the live address, `svc_test_…` keys on the sandbox address.',
        },
      },
      schemas: { ...registry.definitions(), Error: ERROR_SCHEMA },
      responses: errorResponses(),
      headers: headersIn(paths),
    },
  };
}

/** Longer than any message of the service, including those that list the values of an enumeration. */
const SENTENCE: JsonObject = { type: 'string', minLength: 1, maxLength: 5_000, pattern: LINE_PATTERN };

/** Contract part 7. */
const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERRORS) },
        message: SENTENCE,
        request_id: REQUEST_ID_SCHEMA,
        details: {
          type: 'array',
          minItems: 1,
          maxItems: MAX_ISSUES,
          items: {
            type: 'object',
            required: ['field', 'issue'],
            // A query may contain a parameter whose name is empty.
            properties: { field: { ...SENTENCE, minLength: 0, maxLength: 500 }, issue: SENTENCE },
          },
        },
      },
    },
  },
};

/** The headers of responses; those of a deprecation only if an operation has one. */
function headersIn(paths: object): JsonObject {
  const text = JSON.stringify(paths);
  const isUsed = (name: string): boolean => text.includes(`"#/components/headers/${name}"`);
  return Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => !['Deprecation', 'Sunset'].includes(name) || isUsed(name)),
  );
}

/** A tag as `tags.ts` describes it; an unknown tag is described by its name. */
function tagObject(name: string): JsonObject {
  const [page, description] = TAGS[name] ?? [null, `The operations of ${name.toLowerCase()}.`];
  return {
    name,
    description: page === null ? description : `${description} [More in the documentation](/docs/reference/${page}).`,
  };
}
