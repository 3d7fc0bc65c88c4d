import { testContext, testServices } from '../../test/support/command-services.js';
import { databaseForSpec } from '../../test/support/postgres.js';
import type { CommandServices } from './services.js';
import { commandOrgUnit, findOrCreateOrgUnit, findOrCreateOrgUnits } from '#organisation/org-unit/org-unit.api.js';
import { organisationIdOf } from '#organisation/organisation/organisation.api.js';
import { orgUnitTable } from '#organisation/org-unit/org-unit.js';
import { WORK_PLACES, WORK_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { workPlaceTable, workTypeTable } from '#organisation/dictionary/dictionary.js';
import { findByNames } from './named-resource.js';

const database = databaseForSpec();
let services: CommandServices;
let organisationId: string;
beforeAll(async () => {
  services = testServices(database);
});
beforeEach(() => {
  organisationId = organisationIdOf(services.mint, expect.getState().currentTestName!);
});

const context = () => testContext(organisationId);

describe('org units by their names', () => {
  it('are created if the name is free, and otherwise found without case', async () => {
    const made = await findOrCreateOrgUnits(services, context(), ['Engineering', ' engineering ', 'Human  Resources']);
    expect([...made].map(([key, unit]) => [key, unit.name, unit.created])).toEqual([
      ['engineering', 'Engineering', true],
      ['human resources', 'Human Resources', true],
    ]);
    const again = await findOrCreateOrgUnits(services, context(), ['ENGINEERING', 'human resources']);
    expect([...again.values()]).toEqual([...made.values()].map((unit) => ({ ...unit, created: false })));
    const found = await findByNames(database.pool, orgUnitTable, organisationId, ['Engineering', 'Sales']);
    expect([...found.keys()]).toEqual(['engineering']);
  });

  it('are created once, however many processes compete for a name', async () => {
    const racing = await Promise.all(
      Array.from({ length: 20 }, () => findOrCreateOrgUnits(services, context(), ['Sales'])),
    );
    const units = racing.map((one) => one.get('sales')!);
    expect(new Set(units.map((unit) => unit.id)).size).toBe(1);
    expect(units.filter((unit) => unit.created)).toHaveLength(1);
    const { rowCount } = await database.pool.query('select from org_units where organisation_id = $1', [
      organisationId,
    ]);
    expect(rowCount).toBe(1);
  });

  it('are created again if the one of that name was renamed, and again if that one was renamed too', async () => {
    const names = ['First', 'Second'];
    const ids = new Set<string>();
    for (const name of names) {
      const { id, created } = await findOrCreateOrgUnit(services, context(), { name: 'Operations' });
      expect(created).toBe(true);
      ids.add(id);
      await commandOrgUnit(services, context(), id, { type: 'change', changes: { name } });
    }
    ids.add((await findOrCreateOrgUnit(services, context(), { name: 'Operations' })).id);
    expect(ids.size).toBe(3);
  });

  it('are returned if they are archived, and not created again', async () => {
    const { id } = await findOrCreateOrgUnit(services, context(), { name: 'Closed' });
    await commandOrgUnit(services, context(), id, { type: 'archive' });
    expect(await findOrCreateOrgUnit(services, context(), { name: 'closed' })).toEqual({
      id,
      name: 'Closed',
      isArchived: true,
      created: false,
    });
    await commandOrgUnit(services, context(), id, { type: 'reactivate' });
    expect(await findOrCreateOrgUnit(services, context(), { name: 'closed' })).toMatchObject({ isArchived: false });
  });

  it('need a parent that exists and is in use', async () => {
    const parent = await findOrCreateOrgUnit(services, context(), { name: 'Parent' });
    const child = await findOrCreateOrgUnit(services, context(), { name: 'Child', parentId: parent.id, code: 'C' });
    const { rows } = await database.pool.query(
      'select parent_id, code from org_units where organisation_id = $1 and id = $2',
      [organisationId, child.id],
    );
    expect(rows).toEqual([{ parent_id: parent.id, code: 'C' }]);
    for (const { id } of [child, parent]) await commandOrgUnit(services, context(), id, { type: 'archive' });
    await expect(findOrCreateOrgUnit(services, context(), { name: 'Late', parentId: parent.id })).rejects.toThrow(
      'this org unit is archived',
    );
    await expect(
      findOrCreateOrgUnit(services, context(), { name: 'Late', parentId: child.id.toUpperCase() }),
    ).rejects.toThrow('no such org unit');
  });
});

describe.each([
  ['work places', WORK_PLACES, workPlaceTable],
  ['work types', WORK_TYPES, workTypeTable],
] as const)('%s by their labels', (_, dictionary, table) => {
  it('are created once and found again, also inactive ones', async () => {
    const racing = await Promise.all(
      Array.from({ length: 10 }, () => dictionary.findOrCreate(services, context(), ['Head office', 'Remote'])),
    );
    const { id } = racing[0]!.get('head office')!;
    expect(new Set(racing.map((one) => one.get('head office')!.id))).toEqual(new Set([id]));
    await dictionary.command(services, context(), id, { type: 'deactivate' });
    const found = await findByNames(database.pool, table, organisationId, ['HEAD OFFICE', 'remote', 'elsewhere']);
    expect(found.get('head office')).toEqual([{ id, name: 'Head office', isArchived: true }]);
    expect(found.get('remote')).toMatchObject([{ name: 'Remote', isArchived: false }]);
    expect(found.size).toBe(2);
    const { rowCount } = await database.pool.query(`select from ${table.name} where organisation_id = $1`, [
      organisationId,
    ]);
    expect(rowCount).toBe(2);
  });
});
