import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusesOf } from '#http/operations/answer-statuses.js';
import { requestExampleOf } from '#http/fields/example.js';
import { type Field, fieldsOf, type Shape, type ShapeClass } from '#http/fields/shape.js';
import { openApiDocument } from './openapi/document.js';
import { createdPathOf, type Route } from '#http/operations/route-table.js';
import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { apiRoutes } from './listener.js';
import { errorsPage } from './errors-text.js';
import { openApiText } from './openapi-text.js';
import { routesPage } from './routes-text.js';

/**
 * Routes that any valid key may call; those of write proposals check the scope of the proposed operation
 * themselves.
 */
const WITHOUT_SCOPE = new Set([
  ...['getMe', 'getMetadata'],
  ...['listWriteProposals', 'getWriteProposal', 'approveWriteProposal', 'rejectWriteProposal', 'cancelWriteProposal'],
]);

const routes = apiRoutes(RESOURCE_MODULES);

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_, { method, path, operation }: Route) => {
    it('says who may call it, what it is called and what it belongs to', () => {
      expect(operation.scope === null).toBe(WITHOUT_SCOPE.has(operation.operationId));
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.capability).toMatch(/^[a-z_]+(\.[a-z_]+)+$/);
      expect([operation.tags.length > 0, operation.summary.length > 0]).toEqual([true, true]);
    });

    it('is a write exactly where its method says so', () => {
      expect(operation.write !== undefined).toBe(method !== 'GET');
    });

    it('has a response class, unless it answers 204', () => {
      expect([operation.response === null, operation.responseKind === 'none']).toEqual(
        Array(2).fill(operation.successStatus === 204),
      );
    });

    it('describes the parameters of its path', () => {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(operation.parameters === undefined ? [] : fieldsOf(operation.parameters).map(({ name }) => name)).toEqual(
        named,
      );
    });

    it('has an example for every field that its shape alone cannot show', () => {
      const classes = [operation.parameters, operation.query, operation.body, operation.response];
      const missing = classes.flatMap((shapeClass) => (shapeClass ? withoutExample(shapeClass, []) : []));
      expect(missing).toEqual([]);
    });
  },
);

it('has the ids of people and of their time off where the roles by relation are checked: in plain fields', () => {
  const checked = ['person', 'timeOff', 'timeOffCategory', 'orgUnit', 'workPlace'];
  for (const { operation } of routes.filter((route) => route.operation.people !== undefined)) {
    const { parameters, query, body } = operation;
    const fields = [parameters, query, body].flatMap((shapeClass) => (shapeClass ? fieldsOf(shapeClass) : []));
    for (const { name, shape } of fields) {
      const isPlain = !['list', 'object', 'one_of'].includes(shape.kind);
      const isChecked = shape.kind !== 'identifier' || checked.includes(shape.of);
      expect([operation.operationId, name, isPlain && isChecked]).toEqual([operation.operationId, name, true]);
    }
  }
});

it('calls no two operations the same', () => {
  const names = routes.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
});

it('names in Location where each creating route leads, unless nothing leads there', () => {
  const creating = routes.filter(({ operation }) => operation.successStatus === 201);
  expect(Object.fromEntries(creating.map((route) => [route.path, createdPathOf(route, routes)]))).toMatchObject({
    '/people': '/people/{personId}',
    '/people/{personId}/employment-history': null,
    '/people/{personId}/time-off-balance/adjustments': null,
    '/time-off': '/time-off/{timeOffId}',
    '/time-off/{timeOffId}/decisions': null,
    '/time-off/categories': '/time-off/categories/{categoryId}',
    '/org-units': '/org-units/{orgUnitId}',
    '/working-patterns': '/working-patterns/{workingPatternId}',
    '/webhooks': '/webhooks/{webhookId}',
    '/imports': '/imports/{importId}',
    '/api-keys': null,
    '/users': null,
  });
});

describe('the OpenAPI document', () => {
  it('describes every operation, tag and event, and calls each event by a name', () => {
    const { paths, tags, webhooks } = JSON.parse(openApiText()) as {
      paths: Record<string, Record<string, { description?: string }>>;
      tags: readonly { name: string; description?: string }[];
      webhooks: Record<string, { post: { operationId?: string; description?: string } }>;
    };
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const events = Object.values(webhooks).map(({ post }) => post);
    for (const { description } of [...operations, ...tags, ...events])
      expect(description).toMatch(/^[A-Z`].{20,}[.)]$/s);
    expect(Object.keys(webhooks).sort()).toEqual(Object.keys(WEBHOOK_EVENTS).sort());
    const names = events.map(({ operationId }) => operationId);
    expect(names.filter((name) => /^receive[A-Z][A-Za-z]+$/.test(name ?? ''))).toHaveLength(new Set(names).size);
    expect(new Set(names).size).toBe(events.length);
  });

  it('has no example for ids and cursors', () => {
    expect(openApiText()).not.toMatch(/"name": ?"(?:cursor|If-Match)"[^}]*"example"/);
    for (const { operation } of routes) {
      const { body } = operation;
      const optional =
        body === undefined
          ? []
          : fieldsOf(body).filter(({ optional, shape }) => optional && shape.kind === 'identifier');
      for (const { name } of optional) expect(Object.keys(requestExampleOf(body!))).not.toContain(name);
    }
  });

  const document = JSON.parse(openApiText()) as ReturnType<typeof openApiDocument>;
  const at = (reference: string): unknown =>
    reference
      .slice(2)
      .split('/')
      .reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], document);

  it('is the contract of this hash; a change of the contract changes it', () => {
    expect(createHash('sha256').update(openApiText()).digest('hex')).toBe(
      '6f66d9770f307ffb36b7c6397c08672b240e9d6e0f288d50cade530a97e949d9',
    );
  });

  it('has its errors in the reference; if not: npm run build && node scripts/write-reference-pages.mjs', () => {
    expect(readFileSync(join(__dirname, '../../docs/reference/generated/errors.md'), 'utf8')).toBe(errorsPage());
  });

  it('has its routes in the reference; if not: npm run build && node scripts/write-reference-pages.mjs', () => {
    expect(readFileSync(join(__dirname, '../../docs/reference/generated/routes.md'), 'utf8')).toBe(routesPage());
  });

  it('lets responses grow, and keeps requests strict', () => {
    const schemasBelow = (node: unknown, found = new Set<string>()): Set<string> => {
      for (const [, reference] of JSON.stringify(node).matchAll(/"\$ref":"(#\/components\/[^"]+)"/g)) {
        if (found.has(reference!)) continue;
        found.add(reference!);
        schemasBelow(at(reference!), found);
      }
      return found;
    };
    const operations = Object.values(document.paths as Record<string, Record<string, Record<string, object>>>).flatMap(
      (path) => Object.values(path),
    );
    const objects = (side: 'requestBody' | 'responses') =>
      [...schemasBelow(operations.map((operation) => operation[side] ?? {}))]
        .filter((reference) => reference.startsWith('#/components/schemas/'))
        .map((reference) => [reference, (at(reference) as { additionalProperties?: false }).additionalProperties]);
    expect(objects('requestBody').filter(([, closed]) => closed !== false)).toEqual([]);
    expect(objects('responses').filter(([, closed]) => closed !== undefined)).toEqual([]);
    expect(JSON.stringify(operations.map(({ responses }) => responses))).not.toContain('additionalProperties');
  });

  it('names the address of an installation that has one', () => {
    const serverOf = (publicUrl?: string) =>
      (openApiDocument(routes, publicUrl) as unknown as { servers: { url: string }[] }).servers[0]!.url;
    expect([serverOf(), serverOf('https://hr.example')]).toEqual(['/api/v1', 'https://hr.example/api/v1']);
  });

  it('has no dangling references', () => {
    const references = [...openApiText().matchAll(/"\$ref": "([^"]+)"/g)].map(([, reference]) => reference!);
    expect(references.filter((reference) => at(reference) === undefined)).toEqual([]);
  });

  it('lists every status that the metadata lists', () => {
    for (const { path, method, operation } of routes) {
      const described = Object.keys(
        (at(`#/paths`) as Record<string, Record<string, { responses: object }>>)[path]![method.toLowerCase()]!
          .responses,
      );
      expect(described.filter((status) => status !== 'default').map(Number)).toEqual(statusesOf(operation));
    }
  });
});

/** Texts and numbers need an example; other shapes generate their own. */
function withoutExample(shapeClass: ShapeClass, ancestors: readonly ShapeClass[]): readonly string[] {
  if (ancestors.includes(shapeClass)) return [];
  return fieldsOf(shapeClass).flatMap((field) => fieldWithoutExample(shapeClass, field, ancestors));
}

function fieldWithoutExample(
  shapeClass: ShapeClass,
  field: Field,
  ancestors: readonly ShapeClass[],
): readonly string[] {
  if (field.example !== undefined) return [];
  const shape: Shape = field.shape.kind === 'list' ? field.shape.item : field.shape;
  if (shape.kind === 'object') return withoutExample(shape.shapeClass(), [...ancestors, shapeClass]);
  return ['text', 'integer', 'number', 'one_of'].includes(shape.kind) ? [`${shapeClass.name}.${field.name}`] : [];
}
