import { randomUUID } from 'node:crypto';
import { createOrganisation } from '#organisation/organisation/organisation.api.js';
import { commandOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { createProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import { WORK_PLACES } from '#organisation/dictionary/dictionary.api.js';
import { commandWorkingPattern } from '#organisation/working-pattern/working-pattern.api.js';
import { dataOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { newKey, TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import type { Schemas } from '../support/api/shapes.js';

const PATH = '/integration-readiness';

type Readiness = Schemas['IntegrationReadinessResponse'];

let organisation: TestOrganisation;
let people: PeopleActions;

const api = TestApi.forSpec();
beforeEach(async () => {
  organisation = await api.organisation();
  people = new PeopleActions(organisation);
});

const read = async (client = organisation.client): Promise<Readiness> => dataOf(200, await client.get<Readiness>(PATH));
const told = async (): Promise<readonly string[]> =>
  (await read()).issues.map(({ severity, area, issue, count }) => `${severity} ${area}: ${count} ${issue}`);
const context = () => testContext(organisation.row.id);

/** With everything that no issue is made of. */
async function completePerson(body: object = {}): Promise<string> {
  const { department_id, work_type_id, work_place_id, working_pattern_id } = organisation.references;
  const whole = {
    staff_id: randomUUID(),
    start_date: '2024-01-01',
    department_id,
    work_type_id,
    work_place_id,
    working_pattern_id,
    manager_id: await manager(),
    ...body,
  };
  return (await people.create(whole)).id;
}

const managers = new WeakMap<TestOrganisation, string>();

/** Somebody to report to, who lacks a manager themselves: the one issue that every organisation has. */
async function manager(): Promise<string> {
  const known = managers.get(organisation);
  if (known !== undefined) return known;
  const { department_id, working_pattern_id } = organisation.references;
  const { id } = await people.create({ staff_id: 'BOSS', start_date: '2020-01-01', department_id, working_pattern_id });
  managers.set(organisation, id);
  return id;
}

const ALWAYS = 'info employment: 1 people without a manager';

describe('GET /integration-readiness', () => {
  it('counts what people lack and share, and whom time will move, once each', async () => {
    await completePerson();
    await people.create({ manager_id: await manager() });
    await completePerson({ staff_id: 'E-7', start_date: '2090-01-01' });
    await completePerson({ staff_id: 'E-7' });
    await people.end(await completePerson(), '2090-01-01');
    await people.end((await people.create({ start_date: '2020-01-01' })).id, '2020-02-01');
    expect(await told()).toEqual([
      'blocking people: 2 people who share a staff id with another person',
      'warning people: 1 people without a staff id to be matched by',
      'warning employment: 1 people without a first day of employment',
      'warning employment: 1 people without a working pattern, whose working days cannot be told from days off',
      'info employment: 1 people without a department',
      ALWAYS,
      'info employment: 1 people who have yet to start',
      'info employment: 1 people whose final day is still to come',
    ]);
  });

  it('counts archived and inactive references that are in use, and managers and heads who have left', async () => {
    const { other_department_id, work_place_id, working_pattern_id } = organisation.references;
    const leaver = await completePerson();
    dataOf(
      200,
      await organisation.client.patch(`/org-units/${organisation.references.department_id}`, { head_id: leaver }),
    );
    await completePerson({ manager_id: leaver });
    await people.end(leaver, '2024-02-01');
    // A unit is archived although somebody works out their notice there.
    await people.end(await completePerson({ department_id: other_department_id }), '2090-01-01');
    await commandOrgUnit(api.services, context(), other_department_id, { type: 'archive' });
    await commandWorkingPattern(api.services, context(), working_pattern_id, { type: 'archive' });
    await WORK_PLACES.command(api.services, context(), work_place_id, { type: 'deactivate' });
    expect(await told()).toEqual([
      'warning employment: 1 people whose manager has left',
      'warning org_units: 1 people in an archived department',
      'warning working_patterns: 3 people with an archived working pattern',
      ALWAYS,
      'info org_units: 1 org units headed by a person who has left',
      'info reference: 2 people with an inactive work place',
      'info employment: 1 people whose final day is still to come',
    ]);
  });

  it('tells how far each provider has got, and has a playbook for it', async () => {
    const [known, other] = [await completePerson(), await completePerson()];
    const mapping = { provider_name: 'Xero', resource_type: 'person', status: 'active', last_synced_at: null } as const;
    await createProviderMapping(api.services, context(), {
      ...mapping,
      resource_id: known,
      external_id: 'MARKER-1',
      status: 'error',
    });
    await createProviderMapping(api.services, context(), {
      ...mapping,
      provider_name: 'okta',
      resource_id: known,
      external_id: 'MARKER-2',
    });
    await createProviderMapping(api.services, context(), {
      ...mapping,
      provider_name: 'okta',
      resource_id: other,
      external_id: 'MARKER-3',
      status: 'pending',
    });
    expect(await told()).toEqual([
      'blocking provider_mappings: 1 mappings of xero in error',
      'warning provider_mappings: 1 people without a mapping of okta',
      'warning provider_mappings: 2 people without a mapping of xero',
      ALWAYS,
      'info provider_mappings: 1 mappings of okta that were not exchanged yet',
    ]);
    const answer = await organisation.client.get<Readiness>(PATH);
    expect(answer.json.data.playbooks.slice(4).map(({ provider_name }) => provider_name)).toEqual(['okta', 'xero']);
    expect(answer.text).not.toMatch(/marker/i);
    for (const id of [known, other]) expect(answer.text).not.toContain(id);
  });

  it('says that writes wait for approval, counts nobody of another organisation, and is read on every plan', async () => {
    await completePerson();
    const profile = {
      name: 'New',
      subdomain: `t-${randomUUID()}`,
      country_code: 'GB',
      plan: 'starter',
      time_zone: 'UTC',
      approveWrites: false,
    } as const;
    const fresh = await createOrganisation(api.services, testContext(''), profile);
    const { apiKey } = await newKey(api.services, fresh);
    expect((await read(api.client(apiKey))).issues).toEqual([
      {
        severity: 'info',
        area: 'organisation',
        issue: 'the operator has not approved writes through the API',
        count: 1,
      },
    ]);
  });
});
