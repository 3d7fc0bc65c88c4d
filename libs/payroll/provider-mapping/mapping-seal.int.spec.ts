import { rebuild } from '#projections/rebuild/rebuild.js';
import { testContext } from '../../../test/support/command-services.js';
import { createPerson, newOrganisation, worldForSpec } from '../../../test/support/people/world.js';
import { allReadable } from '../../../test/support/postgres.js';
import type { CommandServices } from '#commands/services.js';
import { recordDocument, removeDocument } from '#people/document/document.api.js';
import { DOCUMENT_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { erasePerson } from '../../../test/support/people/erase-person.js';
import { findOrCreateOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { changeProviderMapping, createProviderMapping, removeProviderMapping } from './provider-mapping.api.js';
import { type ProviderMapping, providerMappingAggregate, providerMappingProjection } from './provider-mapping.js';

const world = worldForSpec();
let services: CommandServices;
let organisationId: string;
beforeAll(async () => {
  services = { store: world.eventStore, executor: world.pool, projector: world.projector, mint: world.mint };
  organisationId = await newOrganisation(world);
});

const context = () => testContext(organisationId);
const create = (): Promise<string> => createPerson(world, organisationId, {}, '2026-03-01');
const mappingOf = (person: string, external_id: string, more: Partial<ProviderMapping> = {}): ProviderMapping => ({
  provider_name: 'xero',
  resource_type: 'person',
  resource_id: person,
  external_id,
  status: 'active',
  last_synced_at: null,
  ...more,
});

const dataOfStream = async (id: string): Promise<string> =>
  JSON.stringify(await services.store.readStream(providerMappingAggregate.streamOf(organisationId, id)));
const rowOf = async (id: string) =>
  (
    await world.pool.query<{ external_id: string; removed_at: Date | null }>(
      'select external_id, removed_at from provider_mappings where id = $1',
      [id],
    )
  ).rows[0]!;
const reserved = async (externalId: string): Promise<number> =>
  (await world.pool.query('select from provider_external_ids where external_id = $1', [externalId])).rowCount!;
const eraseThem = (person: string) => erasePerson(services, context(), { person_id: person, reason: null });

async function documentOf(person: string): Promise<string> {
  const type = (await DOCUMENT_TYPES.findOrCreate(services, context(), ['Contract'])).get('contract')!.id;
  return (
    await recordDocument(services, context(), person, {
      name: 'x',
      document_type_id: type,
      content_type: 'text/plain',
      byte_size: 0,
      issued_on: null,
      expires_on: null,
    })
  ).id;
}

describe('the external id of a person', () => {
  it('is encrypted in events, and is returned and compared as given', async () => {
    const [one, other] = [await create(), await create()];
    const made = await createProviderMapping(services, context(), mappingOf(one, 'EMP-1'));
    expect(made.external_id).toBe('EMP-1');
    await expect(createProviderMapping(services, context(), mappingOf(other, 'EMP-1'))).rejects.toThrow(
      'another mapping of this provider has this external id',
    );
    expect((await changeProviderMapping(services, context(), made.id, { external_id: 'EMP-2' })).external_id).toBe(
      'EMP-2',
    );
    expect(
      (await changeProviderMapping(services, context(), made.id, { external_id: 'EMP-2', status: 'error' }))
        .external_id,
    ).toBe('EMP-2');
    await createProviderMapping(services, context(), mappingOf(other, 'EMP-1'));
    const events = await dataOfStream(made.id);
    expect([events.includes('EMP-'), events.includes('sealed_external_id'), await rowOf(made.id)]).toEqual([
      false,
      true,
      { external_id: 'EMP-2', removed_at: null },
    ]);
  });

  it("is encrypted for the person's resources too, and unencrypted for others", async () => {
    const person = await create();
    const document = await createProviderMapping(
      services,
      context(),
      mappingOf(person, 'DOC-1', { resource_type: 'document', resource_id: await documentOf(person) }),
    );
    await removeDocument(services, context(), document.resource_id);
    expect((await changeProviderMapping(services, context(), document.id, { external_id: 'DOC-2' })).external_id).toBe(
      'DOC-2',
    );
    await expect(
      createProviderMapping(
        services,
        context(),
        mappingOf(person, 'DOC-3', {
          provider_name: 'sage',
          resource_type: 'document',
          resource_id: document.resource_id,
        }),
      ),
    ).rejects.toThrow('there is no such document');
    const unit = await findOrCreateOrgUnit(services, context(), { name: 'Sales' });
    const ofUnit = await createProviderMapping(
      services,
      context(),
      mappingOf(person, 'UNIT-1', { resource_type: 'org_unit', resource_id: unit.id }),
    );
    expect([
      (await dataOfStream(document.id)).includes('DOC-'),
      (await dataOfStream(ofUnit.id)).includes('UNIT-1'),
    ]).toEqual([false, true]);
  });

  it('is deleted from the row when the mapping is removed, also of resources without a person', async () => {
    const person = await create();
    const { id } = await createProviderMapping(services, context(), mappingOf(person, 'EMP-3'));
    expect((await removeProviderMapping(services, context(), id)).external_id).toBe('EMP-3');
    expect([await rowOf(id), await reserved('EMP-3')]).toEqual([{ external_id: '', removed_at: expect.any(Date) }, 0]);
    expect(await createProviderMapping(services, context(), mappingOf(person, 'EMP-3'))).toMatchObject({
      id,
      external_id: 'EMP-3',
    });
  });

  it('is decrypted by a rebuild, except after an erasure', async () => {
    const [kept, erased] = [await create(), await create()];
    const [one, other] = [
      await createProviderMapping(services, context(), mappingOf(kept, 'EMP-4')),
      await createProviderMapping(services, context(), mappingOf(erased, 'EMP-5')),
    ];
    // As if the erasing process had died before it removed the mapping.
    await world.pool.query('update person_keys set key = null where organisation_id = $1 and person_id = $2', [
      organisationId,
      erased,
    ]);
    await allReadable(world.pool);
    await rebuild(
      { pool: world.pool, eventStore: services.store, clock: { now: () => new Date() } },
      providerMappingProjection,
    );
    expect([(await rowOf(one.id)).external_id, (await rowOf(other.id)).external_id]).toEqual(['EMP-4', '[erased]']);
  });

  it('is not recorded for an erased person', async () => {
    const person = await create();
    const document = await documentOf(person);
    await eraseThem(person);
    await expect(createProviderMapping(services, context(), mappingOf(person, 'EMP-6'))).rejects.toThrow(
      'the personal data of this person was erased',
    );
    await expect(
      createProviderMapping(
        services,
        context(),
        mappingOf(person, 'DOC-6', { resource_type: 'document', resource_id: document }),
      ),
    ).rejects.toThrow('was erased');
    expect([await reserved('EMP-6'), await reserved('DOC-6')]).toEqual([0, 0]);
  });

  it('is nowhere after an erasure that races with its creation, change or removal', async () => {
    for (let round = 0; round < 40; round += 1) {
      const person = await create();
      const [before, beside] = [`RACE-${round}-before`, `RACE-${round}-beside`];
      const { id } = await createProviderMapping(
        services,
        context(),
        mappingOf(person, before, { provider_name: 'sage' }),
      );
      const work = [
        () => createProviderMapping(services, context(), mappingOf(person, beside)),
        () => changeProviderMapping(services, context(), id, { external_id: beside }),
        () => removeProviderMapping(services, context(), id),
      ][round % 3]!;
      const [outcome, erasure] = await Promise.allSettled([work(), eraseThem(person)]);
      expect([round, erasure]).toMatchObject([round, { status: 'fulfilled' }]);
      if (outcome.status === 'rejected')
        expect((outcome.reason as Error).message).toMatch(/was erased|there is no such provider mapping/);
      const { rows } = await world.pool.query<{ external_id: string; removed_at: Date | null }>(
        'select external_id, removed_at from provider_mappings where resource_id = $1',
        [person],
      );
      expect([
        round,
        rows.map(({ external_id: externalId, removed_at: removedAt }) => [externalId, removedAt === null]),
      ]).toEqual([round, rows.map(() => ['', false])]);
      expect([round, await reserved(before), await reserved(beside)]).toEqual([round, 0, 0]);
    }
  });
});
