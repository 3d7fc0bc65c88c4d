/**
 * Part 4 of the contract, the row of GET /metadata, and every other row's method, path, scope, query and
 * success, as GET /metadata and the OpenAPI document list them.
 */
import { apiRoutes } from '#api/listener.js';
import { EXTENSION_SCOPES } from '#kernel/scopes.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { operationsOf } from '../../support/api/document-walk.js';
import { dataOf } from '../../support/api/http-client.js';
import { TestApi } from '../../support/api/test-api.js';
import {
  boolean,
  expectShape,
  type Fields,
  integer,
  list,
  nullable,
  object,
  oneOf,
  string,
} from '../../support/contract/kinds.js';
import { EXACT_SCOPES } from '../../support/contract/shapes.js';
import type { Schemas } from '../../support/api/shapes.js';

const LIST = ['limit:integer', 'cursor:string'];
const UPDATED = 'updated_since:date-time';
const SORT = 'sort:string(updated_at_desc)';
/** Parameters of ours, beside those of the contract. */
const DIRECTORY = [
  'sort:string(updated_at_desc,name,start_date)',
  'q:string',
  'status:string(active,ended,inactive)',
  'department_id:string',
  'include_units:boolean',
  'without_department:boolean',
  'manager_id:string',
  'work_place_id:string',
  'work_email:string',
  'staff_id:string',
  'as_of:date',
  'known_at:date-time',
];
const EVENT_TYPES =
  `webhook.test,person.created,person.updated,person.ended,person.reactivated,time_off.created,time_off.updated,time_off.cancelled,time_off.approved,time_off.declined,
time_off_category.created,time_off_category.updated,time_off_category.archived,time_off_settings.updated,org_unit.created,org_unit.updated,org_unit.archived,org_unit.reactivated,
working_pattern.created,working_pattern.updated,working_pattern.archived`.replace(/\n/g, '');
const DELIVERIES = [
  'status:string(pending,retry_scheduled,delivered,failed)',
  `event_type:string(${EVENT_TYPES})`,
  'created_since:date-time',
];
const STATUS = 'status:string(pending,approved,rejected,cancelled)';

/** Of the contract: method and path, scope (null: any valid key), query (`!`: required), success status. */
const ROWS: readonly (readonly [route: string, scope: string | null, query: readonly string[], success: number])[] = [
  ['GET /me', null, [], 200],
  ['GET /metadata', null, [], 200],
  ['GET /organisation', 'organisation:read', [], 200],
  ['GET /organisation/locations', 'organisation:read', [], 200],
  ['GET /people', 'people:read', [...LIST, UPDATED, ...DIRECTORY], 200],
  ['POST /people', 'people:write', [], 201],
  ['GET /people/{personId}', 'people:read', [], 200],
  ['PATCH /people/{personId}', 'people:write', [], 200],
  ['POST /people/{personId}/end', 'people:write', [], 200],
  ['POST /people/{personId}/reactivate', 'people:write', [], 200],
  ['GET /people/{personId}/employment', 'people:read', [], 200],
  ['PATCH /people/{personId}/employment', 'people:write', [], 200],
  ['POST /people/{personId}/employment-history', 'people:write', [], 201],
  ['GET /people/{personId}/personal', 'people:personal:read', [], 200],
  ['GET /people/{personId}/avatar', 'people:avatar:read', [], 200],
  ['GET /people/{personId}/custom-fields', 'custom_fields:read', [], 200],
  ['PATCH /people/{personId}/custom-fields', 'custom_fields:write', [], 200],
  ['POST /people/{personId}/time-off-balance/adjustments', 'time_off:balance:write', [], 201],
  [
    'GET /time-off',
    'time_off:read',
    [...LIST, 'from:date', 'to:date', STATUS, 'person_id:string', 'category_id:string', UPDATED, SORT],
    200,
  ],
  ['POST /time-off', 'time_off:write', [], 201],
  ['GET /time-off/{timeOffId}', 'time_off:read', [], 200],
  ['PATCH /time-off/{timeOffId}', 'time_off:write', [], 200],
  ['GET /time-off/settings', 'time_off:read', [], 200],
  ['GET /public-holidays', 'time_off:read', ['year:integer', 'region:string', 'with_working_days:boolean'], 200],
  ['GET /org-units', 'org_units:read', [], 200],
  ['GET /org-units/{orgUnitId}', 'org_units:read', [], 200],
  ['GET /working-patterns', 'working_patterns:read', [], 200],
  ['GET /working-patterns/{workingPatternId}', 'working_patterns:read', [], 200],
  ['GET /documents', 'documents:read', [...LIST, UPDATED, 'person_id:string'], 200],
  ['GET /documents/{documentId}', 'documents:read', [], 200],
  ['GET /custom-fields', 'custom_fields:read', [], 200],
  ['GET /provider-mappings', 'provider_mappings:read', [...LIST, 'provider_name:string'], 200],
  ['GET /reference/countries', 'reference:read', [], 200],
  ['GET /reference/statuses', 'reference:read', [], 200],
  ['GET /reference/work-types', 'reference:read', [], 200],
  ['GET /reference/work-places', 'reference:read', [], 200],
  ['GET /reference/time-off-statuses', 'reference:read', [], 200],
  ['GET /reference/time-off-categories', 'reference:read', [], 200],
  ['GET /reference/document-types', 'reference:read', [], 200],
  ['GET /payroll-readiness-export', 'payroll_exports:read', LIST, 200],
  ['GET /payroll-changes-export', 'payroll_exports:read', [...LIST, 'from:date!', 'to:date!'], 200],
  ['GET /integration-readiness', 'organisation:read', [], 200],
  ['GET /webhooks', 'webhooks:manage', LIST, 200],
  ['POST /webhooks', 'webhooks:manage', [], 201],
  ['GET /webhooks/{webhookId}', 'webhooks:manage', [], 200],
  ['PATCH /webhooks/{webhookId}', 'webhooks:manage', [], 200],
  ['DELETE /webhooks/{webhookId}', 'webhooks:manage', [], 204],
  ['POST /webhooks/{webhookId}/rotate-secret', 'webhooks:manage', [], 200],
  ['POST /webhooks/{webhookId}/test', 'webhooks:manage', [], 200],
  ['GET /webhooks/{webhookId}/health', 'webhooks:manage', [], 200],
  ['GET /webhooks/{webhookId}/deliveries', 'webhooks:manage', [...LIST, ...DELIVERIES], 200],
  ['GET /webhooks/{webhookId}/deliveries/{deliveryId}', 'webhooks:manage', [], 200],
  ['POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', 'webhooks:manage', [], 200],
];

/**
 * Where the contract names events or states without a path, and what is ours beyond it. Further routes need
 * no row here: apps/api/routes.spec.ts holds each against its declaration.
 */
const OURS: typeof ROWS = [
  ['GET /people/{personId}/employment-history', 'people:read', LIST, 200],
  [
    'GET /people/{personId}/timeline',
    'people:read',
    ['as_of:date', 'known_at:date-time', 'compare_known_at:date-time'],
    200,
  ],
  ['GET /people/{personId}/time-off-balance', 'time_off:read', ['as_of:date'], 200],
  ['POST /time-off/{timeOffId}/approve', 'time_off:write', [], 200],
  ['POST /time-off/{timeOffId}/reject', 'time_off:write', [], 200],
  ['POST /time-off/{timeOffId}/cancel', 'time_off:write', [], 200],
  ['PATCH /time-off/settings', 'time_off:config:write', [], 200],
  ['GET /time-off/categories', 'reference:read', LIST, 200],
  ['POST /time-off/categories', 'time_off:config:write', [], 201],
  ['GET /time-off/categories/{categoryId}', 'reference:read', [], 200],
  ['PATCH /time-off/categories/{categoryId}', 'time_off:config:write', [], 200],
  ['POST /time-off/categories/{categoryId}/archive', 'time_off:config:write', [], 200],
  ['POST /org-units', 'org_units:write', [], 201],
  ['PATCH /org-units/{orgUnitId}', 'org_units:write', [], 200],
  ['POST /org-units/{orgUnitId}/archive', 'org_units:write', [], 200],
  ['POST /org-units/{orgUnitId}/reactivate', 'org_units:write', [], 200],
  ['POST /working-patterns', 'working_patterns:write', [], 201],
  ['PATCH /working-patterns/{workingPatternId}', 'working_patterns:write', [], 200],
  ['POST /working-patterns/{workingPatternId}/archive', 'working_patterns:write', [], 200],
  ['POST /webhooks/{webhookId}/resend', 'webhooks:manage', [], 200],
];

/**
 * Existing people and employments: 428 without If-Match. It is honoured on every other write to something
 * that is there, but for webhooks.
 */
const NEEDS_TAG =
  /^(PATCH \/people\/\{personId\}(\/employment|\/custom-fields)?|POST \/people\/\{personId\}\/(end|reactivate))$/;
const TAKES_NO_TAG =
  /^POST (\/people|\/time-off|\/time-off\/categories|\/org-units|\/working-patterns|\/people\/\{personId\}\/time-off-balance\/adjustments)$|^[A-Z]+ \/webhooks/;

/** docs/reference/http.md, "Entity tags": reads whose success has a tag, which If-None-Match may name. */
const SHOWS_TAG =
  /^GET (\/people\/\{personId\}(\/employment|\/employment-history|\/timeline|\/custom-fields)?|\/time-off\/(settings|\{timeOffId\}|categories\/\{categoryId\})|\/org-units\/\{orgUnitId\}|\/working-patterns\/\{workingPatternId\})$/;

/** docs/reference/http.md, "Errors": which statuses a row can answer with, from what kind of row it is. */
function statusesOf(route: string, scope: string | null, query: readonly string[], success: number): readonly number[] {
  const isWrite = !route.startsWith('GET ');
  const [hasPathId, namesResource] = [route.includes('{'), query.some((name) => /^person_id|^category_id/.test(name))];
  return [
    success,
    ...(SHOWS_TAG.test(route) ? [304] : []),
    400,
    401,
    ...(isWrite || scope !== null ? [403] : []),
    ...(isWrite || hasPathId || namesResource ? [404] : []),
    ...(isWrite ? [409, 413, 415] : []),
    ...(isWrite && !TAKES_NO_TAG.test(route) ? [412] : []),
    ...(NEEDS_TAG.test(route) ? [428] : []),
    429,
    500,
    503,
  ].sort((one, other) => one - other);
}

type Parameter = Schemas['MetadataParameter'];
type Metadata = Schemas['Metadata'];

let metadata: Metadata;

const api = TestApi.forSpec();

beforeAll(async () => {
  metadata = dataOf(200, await (await api.organisation()).client.get<Metadata>('/metadata'));
});

const told = ({ name, type, required, enum_values: values }: Parameter): string =>
  `${name}:${type}${values.length === 0 ? '' : `(${values.join()})`}${required ? '!' : ''}`;

describe.each([
  ['Endpoints', ROWS],
  ['Endpoints that the contract leaves open, and ours', OURS],
] as const)('%s', (_, rows) => {
  it.each(rows)('%s | %s | query: %j | %i', (route, scope, query, success) => {
    const [method, path] = route.split(' ') as [string, string];
    const listed = metadata.routes.find((one) => one.method === method && one.path === path)!;
    const isExtension = EXTENSION_SCOPES.some((one) => one === scope);
    expect([listed.required_scope, listed.extension_scope]).toEqual(isExtension ? [null, scope] : [scope, null]);
    expect(listed.query_parameters.map(told).sort()).toEqual([...query].sort());
    expect(listed.path_parameters.map(told)).toEqual(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}:string!`),
    );
    expect(listed.response_statuses).toEqual(statusesOf(route, scope, query, success));
    const documented = api.check.document.paths[path]![method.toLowerCase()]!;
    expect(documented['x-service-required-scope']).toBe(isExtension ? null : scope);
    expect(documented['x-service-extension-scope'] ?? null).toBe(isExtension ? scope : null);
    expect((documented.description ?? '').includes('extension scope')).toBe(isExtension);
    const named = (place: string): readonly string[] =>
      documented.parameters
        .filter((one) => one.in === place)
        .map(({ name, required }) => `${name}${required ? '!' : ''}`);
    expect([...named('query')].sort()).toEqual(query.map((text) => text.replace(/:.*?(!?)$/, '$1')).sort());
    const isWrite = method !== 'GET';
    const ifMatch = !isWrite || TAKES_NO_TAG.test(route) ? [] : [NEEDS_TAG.test(route) ? 'If-Match!' : 'If-Match'];
    const ifNoneMatch = SHOWS_TAG.test(route) ? ['If-None-Match'] : [];
    expect(named('header')).toEqual([...(isWrite ? ['Idempotency-Key!'] : []), ...ifMatch, ...ifNoneMatch]);
    expect(
      Object.keys(documented.responses)
        .filter((status) => status !== 'default')
        .map(Number),
    ).toEqual(statusesOf(route, scope, query, success));
  });
});

describe('GET /metadata | data', () => {
  const parameter = object({ name: string, required: boolean, type: string, enum_values: list(string) });
  const SHAPE: Fields = {
    metadata_version: oneOf('v1'),
    api_version: oneOf('1.0.0-foundation'),
    generated_from: string,
    routes: list(
      object({
        method: oneOf('GET', 'POST', 'PATCH', 'DELETE'),
        path: string,
        operation_id: string,
        summary: string,
        tags: list(string),
        required_scope: nullable(string),
        extension_scope: nullable(string),
        capability: string,
        path_parameters: list(parameter),
        query_parameters: list(parameter),
        response_statuses: list(integer(200, 503)),
      }),
    ),
    schemas: list(
      object({
        name: string,
        fields: list(object({ path: string, type: string, required: boolean, enum_values: list(string) })),
      }),
    ),
    scopes: list(object({ scope: string, field_categories: list(string) })),
    extension_scopes: list(object({ scope: string, field_categories: list(string) })),
    field_categories: list(
      object({ id: string, label: string, sensitivity: oneOf('standard', 'standard_hr', 'elevated') }),
    ),
    webhook_events: list(object({ event_type: string, required_scopes: list(string) })),
  };

  it('metadata_version (`v1`), api_version, generated_from, routes[], schemas[], scopes[], field_categories[], webhook_events[]', () => {
    expectShape(SHAPE, metadata);
  });

  it('routes[]: those of the contract and ours, and exactly those that there are', () => {
    const listed = metadata.routes.map(({ method, path }) => `${method} ${path}`);
    expect(listed).toEqual(expect.arrayContaining([...ROWS, ...OURS].map(([route]) => route)));
    expect(listed.sort()).toEqual(
      apiRoutes(RESOURCE_MODULES)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    );
    const documented = operationsOf(api.check.document).map(({ method, template }) => `${method} ${template}`);
    expect(documented.sort()).toEqual(listed);
  });

  it('Also carries stable domain capability identifiers per operation', () => {
    for (const { method, path, capability, operation_id } of metadata.routes) {
      expect(capability).toMatch(/^[a-z_]+(\.[a-z_]+)+$/);
      const documented = api.check.document.paths[path]![method.toLowerCase()] as unknown as Readonly<
        Record<string, unknown>
      >;
      expect([documented['x-service-domain-capability'], documented['operationId']]).toEqual([
        capability,
        operation_id,
      ]);
    }
    expect(new Set(metadata.routes.map(({ capability }) => capability)).size).toBe(metadata.routes.length);
  });

  it('schemas[] {name, fields[]}: every field of what routes take and answer', () => {
    const person = metadata.schemas.find(({ name }) => name === 'PersonResponse')!;
    expect(person.fields.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['id', 'work_email', 'department', 'department.id', 'department.name', 'updated_at']),
    );
    expect(new Set(metadata.schemas.map(({ name }) => name)).size).toBe(metadata.schemas.length);
  });

  it('scopes[] {scope, field_categories[]}: the exact values of part 5 and no others, and categories that are listed', () => {
    expect(metadata.scopes.map(({ scope }) => scope)).toEqual([...EXACT_SCOPES]);
    const known = metadata.field_categories.map(({ id }) => id);
    expect(metadata.extension_scopes.map(({ scope }) => scope)).toEqual([...EXTENSION_SCOPES]);
    for (const { field_categories } of [...metadata.scopes, ...metadata.extension_scopes])
      expect(known).toEqual(expect.arrayContaining([...field_categories]));
  });

  it('webhook_events[] {event_type, required_scopes[]}: the types of part 6 without time_off.approved and time_off.declined', () => {
    const events = {
      'webhooks:manage': ['webhook.test'],
      'people:read': ['person.created', 'person.updated', 'person.ended', 'person.reactivated'],
      'time_off:read': ['time_off.created', 'time_off.updated', 'time_off.cancelled', 'time_off_settings.updated'],
      'reference:read': ['time_off_category.created', 'time_off_category.updated', 'time_off_category.archived'],
      'org_units:read': ['org_unit.created', 'org_unit.updated', 'org_unit.archived', 'org_unit.reactivated'],
      'working_patterns:read': ['working_pattern.created', 'working_pattern.updated', 'working_pattern.archived'],
    };
    const requested = Object.entries(events).flatMap(([scope, types]) => types.map((type) => `${type} ${scope}`));
    expect(
      metadata.webhook_events
        .map(({ event_type, required_scopes }) => `${event_type} ${required_scopes.join()}`)
        .sort(),
    ).toEqual(requested.sort());
  });
});
