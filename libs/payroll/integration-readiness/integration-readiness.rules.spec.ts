import { integrationIssues, type PeopleCounts, type ProviderCounts } from './integration-readiness.rules.js';

const NO_PEOPLE: PeopleCounts = {
  people: 0,
  without_start_date: 0,
  sharing_staff_ids: 0,
  without_staff_id: 0,
  without_department: 0,
  without_manager: 0,
  without_working_pattern: 0,
  in_archived_departments: 0,
  with_former_managers: 0,
  with_archived_working_patterns: 0,
  with_inactive_work_places: 0,
  with_inactive_work_types: 0,
  units_with_former_heads: 0,
  to_start: 0,
  leaving: 0,
};
const XERO: ProviderCounts = { provider_name: 'xero', failing: 0, pending: 0, people: 0, current_people: 0 };
const READY = { writesApproved: true, people: NO_PEOPLE, providers: [] };

describe('readiness for integrations', () => {
  it('finds nothing if there is no obstacle', () => {
    expect(integrationIssues({ ...READY, people: { ...NO_PEOPLE, people: 10 } })).toEqual([]);
  });

  it.each([
    ['sharing_staff_ids', 'blocking', 'people'],
    ['without_staff_id', 'warning', 'people'],
    ['without_start_date', 'warning', 'employment'],
    ['without_working_pattern', 'warning', 'employment'],
    ['with_former_managers', 'warning', 'employment'],
    ['in_archived_departments', 'warning', 'org_units'],
    ['with_archived_working_patterns', 'warning', 'working_patterns'],
    ['without_department', 'info', 'employment'],
    ['without_manager', 'info', 'employment'],
    ['units_with_former_heads', 'info', 'org_units'],
    ['with_inactive_work_places', 'info', 'reference'],
    ['with_inactive_work_types', 'info', 'reference'],
    ['to_start', 'info', 'employment'],
    ['leaving', 'info', 'employment'],
  ] as const)('%s is %s, in %s, with how many', (name, severity, area) => {
    expect(integrationIssues({ ...READY, people: { ...NO_PEOPLE, [name]: 3 } })).toEqual([
      { severity, area, issue: expect.any(String), count: 3 },
    ]);
  });

  it('says that writes are not approved', () => {
    expect(integrationIssues({ ...READY, writesApproved: false })).toMatchObject([
      { severity: 'info', area: 'organisation', count: 1 },
    ]);
  });

  it('reports each provider separately, and people without a mapping of a provider that has mappings of people', () => {
    const providers = [
      { ...XERO, failing: 2, pending: 1, people: 8, current_people: 7 },
      { ...XERO, provider_name: 'okta' },
    ];
    expect(integrationIssues({ ...READY, people: { ...NO_PEOPLE, people: 10 }, providers })).toEqual([
      { severity: 'blocking', area: 'provider_mappings', issue: 'mappings of xero in error', count: 2 },
      { severity: 'warning', area: 'provider_mappings', issue: 'people without a mapping of xero', count: 3 },
      { severity: 'info', area: 'provider_mappings', issue: 'mappings of xero that were not exchanged yet', count: 1 },
    ]);
  });

  it('lists the most severe issue first', () => {
    const people = Object.fromEntries(Object.keys(NO_PEOPLE).map((name) => [name, 1])) as unknown as PeopleCounts;
    const severities = integrationIssues({ writesApproved: false, people, providers: [{ ...XERO, failing: 1 }] }).map(
      ({ severity }) => severity,
    );
    expect([...severities].sort((one, other) => 'bwi'.indexOf(one[0]!) - 'bwi'.indexOf(other[0]!))).toEqual(severities);
    expect(severities).toHaveLength(16);
  });
});
