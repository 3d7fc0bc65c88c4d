import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import { dataOf } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';

const api = TestApi.forSpec();

type Row = Readonly<Record<string, unknown>>;

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
