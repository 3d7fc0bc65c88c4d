import { WORK_PLACES, WORK_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly is_active?: boolean;
}

const entries = async (name: string, from: TestOrganisation = organisation): Promise<readonly Entry[]> =>
  dataOf(200, await from.client.get<readonly Entry[]>(`/reference/${name}`));

describe('work types and work places', () => {
  it('are those that people refer to by id', async () => {
    const { work_place_id, work_type_id } = organisation.references;
    const person = await new PeopleActions(organisation).create({ work_place_id, work_type_id });
    expect([await entries('work-places'), await entries('work-types')]).toEqual([
      [{ ...person.work_place, is_active: true }],
      [{ ...person.work_type, is_active: true }],
    ]);
  });

  it('keep their ids when the settings relabel and deactivate them, and stay with those who have them', async () => {
    const own = await api.organisation();
    const { work_type_id: id, work_place_id } = own.references;
    const people = new PeopleActions(own);
    const person = await people.create({ work_type_id: id });
    await WORK_TYPES.command(api.services, testContext(own.row.id), id, { type: 'relabel', label: 'Whole week' });
    await WORK_TYPES.command(api.services, testContext(own.row.id), id, { type: 'deactivate' });
    expect(await entries('work-types', own)).toEqual([{ id, label: 'Whole week', is_active: false }]);
    expect((await people.person(person.id)).work_type).toEqual({ id, label: 'Whole week' });
    expectError(
      await own.client.post('/people', { work_email: 'new@example.com', work_type_id: id }),
      409,
      'conflict',
      'work_type_id',
    );
    await WORK_PLACES.findOrCreate(api.services, testContext(own.row.id), ['Attic']);
    expect((await entries('work-places', own)).map(({ label }) => label)).toEqual(['Attic', 'London']);
    expect((await entries('work-places', own)).map((one) => one.id)).toContain(work_place_id);
  });
});
