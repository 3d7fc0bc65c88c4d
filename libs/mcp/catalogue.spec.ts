import { routeTable } from '#http/operations/route-table.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { authenticatedKey } from '../../test/support/http/authenticated-key.js';
import { Catalogue } from './catalogue.js';
import { GENERIC_TOOLS } from './generic-tools.js';
import { argumentsOf } from './schemas.js';

const ROUTES = routeTable(RESOURCE_MODULES);
const catalogue = new Catalogue(ROUTES);
const DECLARED = ROUTES.flatMap(({ operation }) =>
  operation.tools.map((tool) => [tool.name, operation, tool] as const),
);
const KEY = authenticatedKey();

it('has tools with names of their own', () => {
  const names = [...DECLARED.map(([name]) => name), ...Object.keys(GENERIC_TOOLS)];
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeLessThanOrEqual(30);
});

it.each(DECLARED)(
  '%s has words for a model, parameters that the operation has, and a proposal only where it writes',
  (name, operation, { title, description, without = [], requires = [], proposal }) => {
    if (proposal !== undefined) expect(operation.write).toBeDefined();
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(title).toMatch(/^[A-Z][^.]+$/);
    expect(description).toMatch(/^[^\n]{60,700}\.$/);
    const parameters = argumentsOf(operation).map(({ field }) => field.name);
    expect(parameters).toEqual(expect.arrayContaining([...without, ...requires]));
  },
);

it('shows the same catalogue to every key, but for what would happen', () => {
  const poor = catalogue.listFor(authenticatedKey([]));
  const rich = catalogue.listFor(KEY);
  const withoutMeta = (tools: typeof rich): unknown => tools.map(({ _meta, ...tool }) => tool);
  expect(withoutMeta(poor)).toEqual(withoutMeta(rich));
  expect(poor.map(({ _meta }) => _meta)).not.toEqual(rich.map(({ _meta }) => _meta));
});

it('describes every operation, also one that writes', () => {
  for (const route of ROUTES) {
    const described = catalogue.describe(route, KEY) as { readonly disposition: string; readonly input_schema: object };
    expect([route.operation.operationId, described.disposition]).toEqual([
      route.operation.operationId,
      dispositionOfDeclaration(route.operation),
    ]);
    expect(described.input_schema).toHaveProperty('properties');
  }
});

it('refuses to start with a tool of a write that needs the header of a request', () => {
  const route = ROUTES.find(({ operation }) => operation.write?.receipt === 'sealed')!;
  const tools = [{ name: 'hire', title: 'Hire', description: 'Hires.' }];
  expect(() => new Catalogue([{ ...route, operation: { ...route.operation, tools } }])).toThrow(
    'cannot run without a request of its own',
  );
});

function dispositionOfDeclaration({ write, tools }: (typeof ROUTES)[number]['operation']): string {
  if (write === undefined) return 'direct';
  if (tools.length === 0) return 'unavailable';
  return tools[0]!.proposal === undefined ? 'direct' : 'approval_required';
}
