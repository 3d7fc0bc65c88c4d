import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import { commandLocation, createLocation } from '#organisation/location/location.api.js';
import type { Location } from '#organisation/location/location.js';
import { dataOf } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
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

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

type Row = Readonly<Record<string, unknown>>;

const locations = async (): Promise<readonly Row[]> =>
  dataOf(200, await organisation.client.get<readonly Row[]>('/organisation/locations'));

describe('GET /organisation', () => {
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
});

describe('GET /organisation/locations', () => {
  it('leaves out what was deactivated until it is active again, and shows changes under the same id', async () => {
    const context = () => testContext(organisation.row.id);
    await createLocation(api.services, context(), LOCATION);
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
});
