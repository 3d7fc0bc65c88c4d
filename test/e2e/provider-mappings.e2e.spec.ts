import { type Scope } from '#kernel/scopes.js';
import { createLocation } from '#organisation/location/location.api.js';
import { DOCUMENT_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { recordDocument } from '#people/document/document.api.js';
import { createProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import type { ProviderMapping, ProviderMappingRow, ResourceType } from '#payroll/provider-mapping/provider-mapping.js';
import { testContext } from '../support/command-services.js';
import { type ApiAnswer, type ApiClient, dataOf, expectError } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';

interface Mapping extends ProviderMapping {
  readonly id: string;
}

let resources: Readonly<Record<ResourceType, string>>;

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

beforeAll(async () => {
  const context = testContext(organisation.row.id);
  const timeOff = new TimeOffActions(api, organisation);
  const person = await timeOff.person();
  const time_off_category = await timeOff.category();
  const time_off = (
    await timeOff.create({
      person_id: person,
      category_id: time_off_category,
      start_date: '2026-08-03',
      end_date: '2026-08-07',
    })
  ).id;
  const {
    department_id: org_unit,
    work_place_id: work_place,
    work_type_id: work_type,
    working_pattern_id: working_pattern,
  } = organisation.references;
  const document_type = (await DOCUMENT_TYPES.findOrCreate(api.services, context, ['Contract'])).get('contract')!.id;
  const metadata = {
    name: 'x',
    document_type_id: document_type,
    content_type: 'text/plain',
    byte_size: 0,
    issued_on: null,
    expires_on: null,
  };
  const document = (await recordDocument(api.services, testContext(organisation.row.id), person, metadata)).id;
  const place = {
    label: 'HQ',
    address_line_1: '1',
    address_line_2: null,
    address_line_3: null,
    city: 'Oslo',
    region_state: '',
    postal_code: '',
    country_code: 'NO',
    capacity: null,
  };
  const location = (await createLocation(api.services, testContext(organisation.row.id), place)).id;
  resources = {
    person,
    org_unit,
    location,
    work_place,
    work_type,
    working_pattern,
    time_off,
    time_off_category,
    document,
    document_type,
  };
});

const create = (fields: Partial<ProviderMapping> = {}, owner = organisation): Promise<ProviderMappingRow> => {
  const type = fields.resource_type ?? 'person';
  const mapping = {
    provider_name: 'xero',
    resource_type: type,
    resource_id: resources[type],
    external_id: `E-${type}`,
    status: 'active',
    last_synced_at: null,
    ...fields,
  } as const;
  return createProviderMapping(api.services, testContext(owner.row.id), mapping);
};
const list = (client: ApiClient, query: Record<string, string | number> = {}): Promise<ApiAnswer<readonly Mapping[]>> =>
  client.get<readonly Mapping[]>('/provider-mappings', query);
const clientWith = async (...scopes: readonly Scope[]): Promise<ApiClient> =>
  api.client((await api.key(organisation.row, { scopes })).apiKey);

describe('GET /provider-mappings', () => {
  it('lists in the order of creation, those of one provider where that is asked, whatever its case', async () => {
    for (const type of Object.keys(resources) as ResourceType[]) await create({ resource_type: type });
    const { id } = await create({
      provider_name: 'DATEV',
      external_id: '00417',
      status: 'error',
      last_synced_at: '2026-01-31T10:30:00+01:00',
    });
    const ofAll = dataOf(200, await list(organisation.client));
    expect(ofAll.map((one) => `${one.provider_name} ${one.resource_type}`)).toEqual([
      ...Object.keys(resources).map((type) => `xero ${type}`),
      'datev person',
    ]);
    const datev = dataOf(200, await list(organisation.client, { provider_name: 'Datev' }));
    expect(datev).toEqual([
      expect.objectContaining({
        id,
        provider_name: 'datev',
        resource_id: resources.person,
        external_id: '00417',
        status: 'error',
        last_synced_at: '2026-01-31T09:30:00.000Z',
      }),
    ]);
    expect(dataOf(200, await list(organisation.client, { provider_name: 'nobody' }))).toEqual([]);
  });

  it.each<[Scope, readonly ResourceType[]]>([
    ['people:read', ['person', 'person']],
    ['org_units:read', ['org_unit']],
    ['working_patterns:read', ['working_pattern']],
    ['organisation:read', ['location']],
    ['reference:read', ['work_place', 'work_type', 'time_off_category', 'document_type']],
    ['documents:read', ['document']],
    ['time_off:read', ['time_off']],
  ])('leaves out what the key may not read: with %s alone it shows %j', async (scope, types) => {
    const shown = dataOf(200, await list(await clientWith('provider_mappings:read', scope)));
    expect(shown.map(({ resource_type: type }) => type)).toEqual(types);
  });

  it('has full pages also where mappings are left out, and cursors that hold for the same filter and readable resources only', async () => {
    const client = await clientWith('provider_mappings:read', 'reference:read');
    const first = await list(client, { limit: 2 });
    expect(dataOf(200, first).map(({ resource_type: type }) => type)).toEqual(['work_place', 'work_type']);
    const cursor = first.json.pagination.next_cursor!;
    const second = await list(client, { limit: 2, cursor });
    expect(dataOf(200, second).map(({ resource_type: type }) => type)).toEqual(['time_off_category', 'document_type']);
    expect(second.json.pagination.next_cursor ?? '').toBe('');
    expectError(await list(organisation.client, { limit: 2, cursor }), 400, 'invalid_request', 'cursor');
    expectError(await list(client, { limit: 2, cursor, provider_name: 'xero' }), 400, 'invalid_request', 'cursor');
  });
});
