import { changePersonalProfile } from '#people/profile/personal-profile.api.js';
import type { PersonalProfile } from '#people/profile/personal-profile.rules.js';
import { dataOf, tagOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';

const PROFILE: PersonalProfile = {
  middle_names: 'Marie Noel',
  date_of_birth: '1988-12-10',
  personal_email: 'ada@example.net',
  personal_phone_number: '+44 7700 900123',
  work_phone_number: '+44 117 496 0123 x12',
  home_address: {
    address_line_1: '12 Elm Grove',
    address_line_2: null,
    address_line_3: null,
    city: 'Bristol',
    region_state: '',
    postal_code: 'BS6 5AH',
    country_code: 'GB',
  },
};

type Shown = Readonly<Record<string, unknown>> & { readonly updated_at: string };

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const change = (personId: string, changes: Partial<PersonalProfile>, of = organisation) =>
  changePersonalProfile(api.services, testContext(of.row.id), personId, changes);

const read = async (personId: string): Promise<Shown> =>
  dataOf(200, await organisation.client.get<Shown>(`/people/${personId}/personal`));

it('a profile that is written leaves the person as they were: entity tag, updated_at and sync', async () => {
  const { id } = await people.create();
  const before = await organisation.client.get(`/people/${id}`);
  const since = new Date().toISOString();
  await change(id, PROFILE);
  const after = await organisation.client.get(`/people/${id}`);
  expect([tagOf(after), after.text]).toEqual([tagOf(before), before.text]);
  expect(
    (await people.all<{ id: string }>('/people', { updated_since: since })).map((person) => person.id),
  ).not.toContain(id);
});

it('profiles that are changed at once all come about', async () => {
  const { id } = await people.create();
  const changes: Partial<PersonalProfile>[] = Object.entries(PROFILE).map(([field, value]) => ({ [field]: value }));
  await Promise.all(changes.map((one) => change(id, one)));
  expect(await read(id)).toMatchObject({
    middle_names: PROFILE.middle_names,
    date_of_birth: PROFILE.date_of_birth,
    work_phone_number: PROFILE.work_phone_number,
  });
});
