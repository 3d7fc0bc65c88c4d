import { createCustomField } from '#organisation/custom-field/custom-field.api.js';
import { MAX_FIELDS } from '#organisation/custom-field/custom-field.js';
import { testContext } from '../support/command-services.js';
import { CustomFieldActions } from '../support/api/custom-fields.js';
import { dataOf, expectError } from '../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

type CustomField = Schemas['CustomFieldResponse'];

let organisation: TestOrganisation;
let fields: CustomFieldActions;
const api = TestApi.forSpec();
beforeEach(async () => {
  organisation = await api.organisation();
  fields = new CustomFieldActions(api, organisation);
});

const list = async (): Promise<readonly CustomField[]> =>
  dataOf(200, await organisation.client.get<readonly CustomField[]>('/custom-fields'));

describe('GET /custom-fields', () => {
  it('lists what the API may see by display_order and key, on one page, and leaves hidden ones out', async () => {
    await fields.define('zeta', { display_order: 1 });
    await fields.define('beta', { display_order: 2, api_access: 'read', sensitivity: 'payroll' });
    await fields.define('alpha', { display_order: 2, is_required: true, description: 'Why.' });
    await fields.define('secret', { api_access: 'hidden' });
    const answer = await organisation.client.get<readonly CustomField[]>('/custom-fields');
    expect(Object.keys(answer.json)).toEqual(['data']);
    expect(dataOf(200, answer).map(({ key }) => key)).toEqual(['zeta', 'alpha', 'beta']);
    expect(answer.json.data[1]).toMatchObject({
      id: expect.stringMatching(/^cfd_[\w-]{8}\.[\w-]{8}\.[\w-]{12}$/),
      label: 'alpha',
      description: 'Why.',
      target_resource: 'person',
      field_type: 'text',
      sensitivity: 'operational',
      api_access: 'read_write',
      is_required: true,
      options: [],
    });
    expectError(await organisation.client.get('/custom-fields', { limit: 1 }), 400, 'invalid_request', 'limit');
  });

  it('is one field of two that race for a key, and never has more than an organisation may have', async () => {
    const requested = {
      label: 'Race',
      description: null,
      field_type: 'text',
      sensitivity: 'operational',
      api_access: 'read',
      display_order: 0,
      is_required: false,
      options: [],
    } as const;
    const define = (key: string) =>
      createCustomField(api.services, testContext(organisation.row.id), { ...requested, key });
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => define('race')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (let index = 0; index < MAX_FIELDS - 2; index += 1) await define(`race_${index}`);
    const last = await Promise.allSettled(Array.from({ length: 5 }, (_, index) => define(`last_${index}`)));
    expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await list()).toHaveLength(MAX_FIELDS);
  });

  it('shows definitions of every sensitivity to every key, as they hold no values', async () => {
    for (const sensitivity of ['personal', 'demographic', 'payroll'] as const)
      await fields.define(sensitivity, { sensitivity });
    const { apiKey } = await api.key(organisation.row, { scopes: ['custom_fields:read'] });
    expect(
      dataOf(200, await api.client(apiKey).get<readonly CustomField[]>('/custom-fields')).map(({ key }) => key),
    ).toEqual(['demographic', 'payroll', 'personal']);
  });
});
