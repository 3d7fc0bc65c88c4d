import { type Scope } from '#kernel/scopes.js';
import { createProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import type { ProviderMapping, ProviderMappingRow, ResourceType } from '#payroll/provider-mapping/provider-mapping.js';
import { testContext } from '../support/command-services.js';
import { recordEverything } from '../support/api/everything.js';
import { type ApiAnswer, type ApiClient, dataOf, expectError } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';

interface Mapping extends ProviderMapping {
  readonly id: string;
}

let resources: Readonly<Record<ResourceType, string>>;

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

beforeAll(async () => {
  const ids = await recordEverything(api, organisation);
  resources = {
    person: ids.get('person')!,
    org_unit: ids.get('org_unit_')!,
    location: ids.get('loc_')!,
    work_place: ids.get('wp_')!,
    work_type: ids.get('wt_')!,
    working_pattern: ids.get('working_pattern_')!,
    time_off: ids.get('to_')!,
    time_off_category: ids.get('toc_')!,
    document: ids.get('doc_')!,
    document_type: await documentTypeOf(ids.get('doc_')!),
  };
});

async function documentTypeOf(id: string): Promise<string> {
  const { document_type: type } = dataOf(
    200,
    await organisation.client.get<{ document_type: { id: string } }>(`/documents/${id}`),
  );
  return type.id;
}

const create = (fields: Partial<ProviderMapping> = {}, owner = organisation): Promise<ProviderMappingRow> => {
  const type = fields.resource_type ?? 'person';
  const mapping = {
    provider_name: 'sage',
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
      // What the set-up made.
      'xero person',
      ...Object.keys(resources).map((type) => `sage ${type}`),
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
    ['people:read', ['person', 'person', 'person']],
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
    expectError(await list(client, { limit: 2, cursor, provider_name: 'sage' }), 400, 'invalid_request', 'cursor');
  });
});
