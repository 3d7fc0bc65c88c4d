import { markPayroll } from '#payroll/marker/payroll-marker.api.js';
import { PAYROLL_MARKERS } from '#payroll/marker/payroll-marker.js';
import { addDays } from '#kernel/dates.js';
import { createCustomField } from '#organisation/custom-field/custom-field.api.js';
import { setCustomFieldValues } from '#people/custom-field-value/custom-field-value.api.js';
import { findPersonValues } from '#people/custom-field-value/custom-field-value.js';
import { PRESENCE_NAMES } from '#payroll/export/payroll-readiness.rules.js';
import { changePersonalProfile } from '#people/profile/personal-profile.api.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import type { Schemas } from '../support/api/shapes.js';

const PATH = '/payroll-readiness-export';

type Readiness = Schemas['PayrollReadinessResponse'];

const ADDRESS = {
  address_line_1: 'MARKER Lane',
  address_line_2: null,
  address_line_3: null,
  city: 'MARKER City',
  region_state: '',
  postal_code: 'MARKER',
  country_code: 'GB',
};

let organisation: TestOrganisation;
let people: PeopleActions;

// Stands still, so that the days on which people drop out of the list are known.
const api = TestApi.forSpec({ clock: { now: () => new Date('2026-04-01T11:30:00Z') } });
beforeEach(async () => {
  organisation = await api.organisation({ timeZone: 'Pacific/Auckland' });
  people = new PeopleActions(organisation);
});

const readiness = (limit = 200): Promise<readonly Readiness[]> => people.all<Readiness>(PATH, { limit });
const context = () => testContext(organisation.row.id);

/** With everything that payroll asks for. */
async function completePerson(body: object = {}): Promise<string> {
  const { department_id, work_type_id, working_pattern_id } = organisation.references;
  const manager = await people.create({ start_date: '2020-01-01' });
  const terms = {
    job_title: 'MARKER title',
    department_id,
    work_type_id,
    working_pattern_id,
    manager_id: manager.id,
    contracted_weekly_minutes: 2_000,
    full_time_weekly_minutes: 2_250,
  };
  const { id } = await people.create({
    first_name: 'Ada',
    staff_id: 'E-1',
    start_date: '2024-01-01',
    ...terms,
    ...body,
  });
  await changePersonalProfile(api.services, context(), id, {
    date_of_birth: '1980-02-03',
    home_address: ADDRESS,
    personal_email: 'marker@example.com',
    personal_phone_number: '+44 20 7946 0999',
  });
  for (const marker of PAYROLL_MARKERS)
    await markPayroll(api.services, context(), id, { marker, state: 'present', effective_date: '2024-01-01' });
  return id;
}

async function payrollField(
  key: string,
  changes: { readonly is_required?: boolean; readonly api_access?: 'hidden' | 'read' } = {},
): Promise<string> {
  const field = {
    key,
    field_type: 'text',
    label: key,
    description: null,
    sensitivity: 'payroll',
    api_access: 'read',
    display_order: 0,
    is_required: true,
    options: [],
    ...changes,
  } as const;
  return (await createCustomField(api.services, context(), field)).id;
}

describe('GET /payroll-readiness-export', () => {
  it('finds nothing in the way of a person of whom everything is there', async () => {
    const id = await completePerson();
    const row = (await readiness()).find(({ person }) => person.id === id);
    expect(row).toEqual({
      person: { id, display_name: 'Ada', staff_id: 'E-1' },
      presence: Object.fromEntries(PRESENCE_NAMES.map((name) => [name, true])),
      issues: [],
    });
  });

  it('tells of a staff id that two people share, and of more minutes than full time has', async () => {
    await people.create({ staff_id: 'E-7', contracted_weekly_minutes: 2_300, full_time_weekly_minutes: 2_250 });
    await people.create({ staff_id: 'E-7' });
    await people.create({ staff_id: 'E-8' });
    await new PeopleActions(await api.organisation()).create({ staff_id: 'E-8' });
    const found = (await readiness()).map(({ issues }) =>
      issues
        .filter(({ issue }) => /same staff id|more minutes/.test(issue))
        .map(({ severity, field }) => `${severity} ${field}`),
    );
    expect(found).toEqual([['blocking staff_id', 'warning contracted_weekly_minutes'], ['blocking staff_id'], []]);
  });

  it('asks for required custom fields of payroll that are not hidden, and for no others', async () => {
    const payGroup = await payrollField('pay_group');
    await payrollField('union_dues', { is_required: false });
    await payrollField('secret_plan', { api_access: 'hidden' });
    const { id } = await people.create();
    const issues = async (): Promise<readonly string[]> =>
      (await readiness())[0]!.issues.filter(({ field }) => field === 'custom_fields').map(({ issue }) => issue);
    expect(await issues()).toEqual(['required custom fields of payroll have no value: pay_group']);
    const known = (await findPersonValues(api.services.executor, organisation.row.id, id))!;
    await setCustomFieldValues(api.services, context(), known, {
      values: [{ field_id: payGroup, value: 'MARKER group' }],
      writer: { type: 'operator' },
    });
    expect(await issues()).toEqual([]);
    expect((await organisation.client.get(PATH)).text).not.toMatch(/marker/i);
  });

  it('lists who is employed, who is to come and who left at most 400 days ago, in the order of creation', async () => {
    // At half past eleven in London it is the second of April in Auckland.
    const today = '2026-04-02';
    const listed = [
      await people.create({ start_date: '2024-01-01' }),
      await people.create({ start_date: '2027-01-01' }),
      await people.create({ start_date: '2024-01-01' }),
    ];
    const gone = await people.create({ start_date: '2024-01-01' });
    await people.end(listed[2]!.id, addDays(today, -400));
    await people.end(gone.id, addDays(today, -401));
    const undated = await people.create();
    const ids = [...listed, undated].map(({ id }) => id);
    expect((await readiness()).map(({ person }) => person.id)).toEqual(ids);
    expect((await readiness(1)).map(({ person }) => person.id)).toEqual(ids);
  });
});
