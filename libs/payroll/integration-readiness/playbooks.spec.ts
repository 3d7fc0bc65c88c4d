import { routeTable } from '#http/operations/route-table.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { playbooksFor } from './playbooks.js';

const routes = new Map(
  routeTable(RESOURCE_MODULES).map(({ method, path, operation }) => [`${method} ${path}`, operation.scope]),
);

describe('playbooks', () => {
  it('name routes that there are, each with the scope that it needs', () => {
    const steps = playbooksFor(['xero']).flatMap((playbook) => playbook.steps);
    for (const step of steps) {
      const named = [...step.matchAll(/((?:GET|POST|PATCH) \/\S*) \(([\w:]+)\)/g)].map(([, route, scope]) => [
        route!,
        scope,
      ]);
      expect(named.length).toBeGreaterThan(0);
      expect(named).toEqual(named.map(([route]) => [route, routes.get(route!)]));
    }
  });

  it('are the general ones and one for each provider, once', () => {
    expect(playbooksFor([]).map(({ provider_name }) => provider_name)).toEqual([
      'payroll',
      'identity',
      'business_intelligence',
      'calendar',
    ]);
    expect(
      playbooksFor(['xero', 'okta'])
        .slice(4)
        .map(({ provider_name }) => provider_name),
    ).toEqual(['xero', 'okta']);
    const [payroll] = playbooksFor(['payroll']);
    expect(playbooksFor(['payroll'])).toHaveLength(4);
    expect(payroll!.steps.some((step) => step.includes('GET /provider-mappings'))).toBe(true);
  });
});
