import type { CommandContext } from '#commands/command-context.js';
import { Projector } from '#projections/projector.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { allReadable, databaseForSpec } from '../../../test/support/postgres.js';
import type { CommandServices } from '#commands/services.js';
import { organisationIdOf } from '#organisation/organisation/organisation.api.js';
import { WORK_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { changeProviderMapping, createProviderMapping, removeProviderMapping } from './provider-mapping.api.js';
import { listProviderMappings, type ProviderMapping, providerMappingProjection } from './provider-mapping.js';

const database = databaseForSpec();
let services: CommandServices;
let organisationId: string;
let types: readonly string[];
beforeAll(async () => {
  services = testServices(database);
});
beforeEach(async () => {
  organisationId = organisationIdOf(services.mint, expect.getState().currentTestName!);
  const made = await WORK_TYPES.findOrCreate(services, context(), ['One', 'Two', 'Three', 'Four', 'Five', 'Six']);
  types = [...made.values()].map(({ id }) => id);
});

const context = (): CommandContext => testContext(organisationId);
const mappingOf = (index: number, more: Partial<ProviderMapping> = {}): ProviderMapping => ({
  provider_name: 'xero',
  resource_type: 'work_type',
  resource_id: types[index]!,
  external_id: `T-${index}`,
  status: 'active',
  last_synced_at: null,
  ...more,
});

const create = (index: number, more: Partial<ProviderMapping> = {}) =>
  createProviderMapping(services, context(), mappingOf(index, more));
const list = () =>
  listProviderMappings(database.pool, {
    organisationId,
    providerName: null,
    resourceTypes: ['work_type'],
    after: null,
    count: 200,
  });
const reservations = async () => {
  const { rows } = await database.pool.query<{ external_id: string }>(
    'select external_id from provider_external_ids where organisation_id = $1 order by 1',
    [organisationId],
  );
  return rows.map((row) => row.external_id);
};

describe('provider mappings', () => {
  it('are one a resource and provider, and one an external id', async () => {
    const first = await create(0);
    await expect(create(0, { external_id: 'T-9' })).rejects.toThrow('this provider has a mapping of it already');
    await expect(create(1, { external_id: 'T-0' })).rejects.toThrow(
      'another mapping of this provider has this external id',
    );
    expect((await create(0, { provider_name: ' DATEV ' })).provider_name).toBe('datev');
    const second = await create(1);
    await expect(changeProviderMapping(services, context(), second.id, { external_id: 'T-0' })).rejects.toThrow(
      'another mapping of this provider',
    );
    expect(await reservations()).toEqual(['T-0', 'T-0', 'T-1']);
    await changeProviderMapping(services, context(), first.id, { external_id: 'T-7' });
    expect((await changeProviderMapping(services, context(), second.id, { external_id: 'T-0' })).external_id).toBe(
      'T-0',
    );
    expect(await reservations()).toEqual(['T-0', 'T-0', 'T-7']);
  });

  it('give their external id back when they are removed, and can be created again', async () => {
    const { id } = await create(0);
    await removeProviderMapping(services, context(), id);
    expect([await list(), await reservations()]).toEqual([[], []]);
    await create(1, { external_id: 'T-0' });
    const again = await create(0, { external_id: 'T-1' });
    expect(again).toMatchObject({ id, external_id: 'T-1' });
    expect(await reservations()).toEqual(['T-0', 'T-1']);
  });

  it('are unique by external id under concurrent requests', async () => {
    const outcomes = await Promise.allSettled(types.map((_, index) => create(index, { external_id: 'SAME' })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const made = await Promise.all(types.map((_, index) => create(index, { provider_name: 'other' })));
    const changes = await Promise.allSettled(
      made.map(({ id }) => changeProviderMapping(services, context(), id, { external_id: 'SAME' })),
    );
    expect(changes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const names = (await list()).map((row) => `${row.provider_name} ${row.external_id}`);
    expect(new Set(names).size).toBe(names.length);
    expect((await reservations()).filter((one) => one === 'SAME')).toHaveLength(2);
  });

  it('keep their external ids where the table of those was lost and they are projected again', async () => {
    await create(0);
    const gone = await create(1);
    await removeProviderMapping(services, context(), gone.id);
    await database.pool.query('delete from provider_external_ids where organisation_id = $1', [organisationId]);
    await database.pool.query('delete from provider_mappings where organisation_id = $1', [organisationId]);
    await allReadable(database.pool);
    const events = (await services.store.readAll(null, 10_000)).filter(({ stream }) =>
      stream.startsWith(`provider-mapping-${organisationId}`),
    );
    const streams = await services.store.readStreams([...new Set(events.map(({ stream }) => stream))]);
    await new Projector([providerMappingProjection], { now: () => new Date() }).project(database.pool, streams);
    expect(await reservations()).toEqual(['T-0']);
    await expect(create(2, { external_id: 'T-0' })).rejects.toThrow('another mapping');
  });

  it('refuse what is not valid, and what the organisation does not have, and reserve nothing for it', async () => {
    await expect(create(0, { external_id: ' ' })).rejects.toThrow('must not be blank');
    await expect(create(0, { last_synced_at: 'soon' })).rejects.toThrow('must be an ISO 8601 date-time');
    await expect(create(0, { resource_id: 'wt_aaaaaaaa.bbbbbbbb.cccccccccccc' })).rejects.toThrow(
      'there is no such work type',
    );
    await expect(create(0, { resource_type: 'person' })).rejects.toThrow('there is no such person');
    expect(await reservations()).toEqual([]);
  });
});
