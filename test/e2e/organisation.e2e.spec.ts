import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import { commandLocation, createLocation } from '#organisation/location/location.api.js';
import type { Location } from '#organisation/location/location.js';
import { expectError } from '../support/api/expect-error.js';
import { dataOf } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';

const LOCATION: Location = {
  label: 'London office',
  address_line_1: '1 Long Lane',
  address_line_2: null,
  address_line_3: null,
  city: 'London',
  region_state: '',
  postal_code: 'EC1A 9HF',
  country_code: 'gb',
  capacity: null,
};

let api: TestApi;
let organisation: TestOrganisation;

beforeAll(async () => {
  api = await TestApi.start();
  organisation = await api.organisation();
});

afterAll(() => api.stop());

type Row = Readonly<Record<string, unknown>>;

const locations = async (): Promise<readonly Row[]> =>
  dataOf(200, await organisation.client.get<readonly Row[]>('/organisation/locations'));

describe('GET /organisation', () => {
  it('shows exactly the fields of the contract, those that nobody set as null', async () => {
    const read = dataOf(200, await organisation.client.get<Row>('/organisation'));
    expect(Object.keys(read)).toEqual([
      'id',
      'name',
      'subdomain',
      'country',
      'plan',
      'logo_url',
      'primary_color_light',
      'primary_color_dark',
      'created_at',
      'updated_at',
    ]);
    expect(read).toEqual({
      id: organisation.row.id,
      name: 'Test',
      subdomain: organisation.row.subdomain,
      country: {
        id: expect.stringMatching(/^cty_[\w-]{8}\.[\w-]{8}\.[\w-]{12}$/),
        name: 'United Kingdom',
        country_code: 'GB',
      },
      plan: 'standard',
      logo_url: null,
      primary_color_light: null,
      primary_color_dark: null,
      created_at: organisation.row.created_at.toISOString(),
      updated_at: organisation.row.updated_at.toISOString(),
    });
  });

  it('shows what the settings changed at once; the id of a country stays what it was', async () => {
    const own = await api.organisation();
    const before = dataOf(200, await own.client.get<Row>('/organisation'));
    const profile = {
      name: 'Renamed',
      country_code: 'FR',
      logo_url: 'https://example.com/logo.png',
      primary_color_light: '#00ff00',
      primary_color_dark: '#003300',
    };
    await setOrganisation(api.services, testContext(own.row.id), profile);
    const { country_code: code, ...shown } = profile;
    expect(dataOf(200, await own.client.get<Row>('/organisation'))).toMatchObject({
      ...shown,
      country: { name: 'France', country_code: code },
    });
    await setOrganisation(api.services, testContext(own.row.id), { country_code: 'GB' });
    expect(dataOf(200, await own.client.get<Row>('/organisation'))['country']).toEqual(before['country']);
  });

  it('comes from the key alone: two keys show two organisations, and no query names one', async () => {
    const other = await api.organisation();
    expect(dataOf(200, await other.client.get<Row>('/organisation'))['id']).toBe(other.row.id);
    expectError(
      await organisation.client.get('/organisation', { organisation_id: other.row.id }),
      400,
      'invalid_request',
      'organisation_id',
    );
  });

  it('needs organisation:read', async () => {
    const { apiKey } = await api.key(organisation.row, { scopes: ['people:read', 'reference:read'] });
    expectError(await api.client(apiKey).get('/organisation'), 403, 'permission_denied');
    expectError(await api.client(apiKey).get('/organisation/locations'), 403, 'permission_denied');
  });
});

describe('GET /organisation/locations', () => {
  it('shows exactly the fields of the contract, on one page', async () => {
    const { id } = await createLocation(api.services, testContext(organisation.row.id), LOCATION);
    const answer = await organisation.client.get<readonly Row[]>('/organisation/locations');
    expect(Object.keys(answer.json)).toEqual(['data']);
    const [shown] = dataOf(200, answer);
    expect(Object.keys(shown!)).toEqual([
      'id',
      'label',
      'address_line_1',
      'address_line_2',
      'address_line_3',
      'city',
      'region_state',
      'postal_code',
      'country',
      'capacity',
      'is_active',
      'created_at',
      'updated_at',
    ]);
    const { country_code: _, ...fields } = LOCATION;
    expect(shown).toMatchObject({
      ...fields,
      id,
      is_active: true,
      country: { name: 'United Kingdom', country_code: 'GB' },
    });
    const profile = dataOf(200, await organisation.client.get<Row>('/organisation'));
    expect(shown!['country']).toEqual(profile['country']);
  });

  it('leaves out what was deactivated until it is active again, and shows changes under the same id', async () => {
    const context = () => testContext(organisation.row.id);
    const { id } = await createLocation(api.services, context(), { ...LOCATION, label: 'Attic', capacity: 3 });
    const other = await api.organisation();
    await createLocation(api.services, testContext(other.row.id), { ...LOCATION, label: 'Theirs' });
    expect((await locations()).map(({ label }) => label)).toEqual(['Attic', 'London office']);
    await commandLocation(api.services, context(), id, { type: 'deactivate' });
    expect((await locations()).map(({ label }) => label)).toEqual(['London office']);
    await commandLocation(api.services, context(), id, { type: 'reactivate' });
    await commandLocation(api.services, context(), id, { type: 'change', changes: { label: 'Loft', capacity: 4 } });
    expect((await locations()).find((one) => one['id'] === id)).toMatchObject({
      label: 'Loft',
      capacity: 4,
      is_active: true,
    });
  });

  it('takes no query and no write', async () => {
    expectError(
      await organisation.client.get('/organisation/locations', { limit: 1 }),
      400,
      'invalid_request',
      'limit',
    );
    expectError(await organisation.client.post('/organisation/locations', {}), 405, 'invalid_request');
  });
});
