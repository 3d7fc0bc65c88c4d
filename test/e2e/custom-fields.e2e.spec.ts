import { createCustomField } from '#organisation/custom-field/custom-field.api.js';
import { MAX_FIELDS } from '#organisation/custom-field/custom-field.js';
import { testContext } from '../support/command-services.js';
import { dataOf } from '../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

type CustomField = Schemas['CustomFieldResponse'];

let organisation: TestOrganisation;
const api = TestApi.forSpec();
beforeEach(async () => {
  organisation = await api.organisation();
});

const list = async (): Promise<readonly CustomField[]> =>
  dataOf(200, await organisation.client.get<readonly CustomField[]>('/custom-fields'));

describe('GET /custom-fields', () => {
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
});
