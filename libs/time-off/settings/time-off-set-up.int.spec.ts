import { testContext, testServices } from '../../../test/support/command-services.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import type { CommandServices } from '#commands/services.js';
import { newOrganisation } from '../../../test/support/api/test-api.js';
import {
  commandTimeOffCategory,
  createFirstTimeOffCategories,
  createTimeOffCategory,
  findOrCreateTimeOffCategory,
} from '../category/time-off-category.api.js';
import { timeOffCategoryTable } from '../category/time-off-category.js';
import { changeTimeOffSettings } from './time-off-settings.api.js';
import { readTimeOffSettings } from './time-off-settings.js';

const database = databaseForSpec();
let services: CommandServices;
let organisationId: string;
beforeAll(async () => {
  services = testServices(database);
});
beforeEach(async () => {
  organisationId = (await newOrganisation(services, 'UTC')).id;
});

const context = () => testContext(organisationId);

describe('time-off categories', () => {
  it('keep the rules of every version, and make none of a new name or colour', async () => {
    const { id } = await createTimeOffCategory(services, context(), { label: 'Leave', annual_allowance_minutes: 100 });
    await commandTimeOffCategory(services, context(), id, {
      type: 'change',
      changes: { label: 'Holiday', colour: '#000000', code: 'H' },
    });
    await commandTimeOffCategory(services, context(), id, {
      type: 'change',
      changes: { annual_allowance_minutes: 200 },
    });
    const { versions, updated_at: updatedAt } = (await timeOffCategoryTable.find(database.pool, organisationId, id))!;
    expect(versions.map((version) => version.annual_allowance_minutes)).toEqual([100, 200]);
    expect(versions[1]!.recorded_at).toBe(updatedAt.toISOString());
    expect(versions[0]).not.toHaveProperty('label');
  });

  it('that an organisation begins with are made once', async () => {
    const made = await createFirstTimeOffCategories(services, context());
    expect([...made.keys()]).toEqual([
      'annual leave',
      'sick leave',
      'parental leave',
      'compassionate leave',
      'unpaid leave',
    ]);
    const again = await createFirstTimeOffCategories(services, context());
    expect([...again.values()].map(({ id }) => id)).toEqual([...made.values()].map(({ id }) => id));
    expect(await timeOffCategoryTable.list(database.pool, organisationId)).toHaveLength(5);
  });

  it('are found by label rather than made, and not made with the code of another one', async () => {
    const { id } = await createTimeOffCategory(services, context(), { label: 'Leave', code: 'L' });
    expect(await findOrCreateTimeOffCategory(services, context(), { label: ' LEAVE ' })).toMatchObject({
      id,
      created: false,
    });
    await expect(findOrCreateTimeOffCategory(services, context(), { label: 'Other', code: 'l' })).rejects.toMatchObject(
      { rejection: { kind: 'conflict' } },
    );
  });

  it('may have the names of those of another organisation', async () => {
    const other = await newOrganisation(services);
    await createTimeOffCategory(services, context(), { label: 'Leave', code: 'L' });
    const theirs = await createTimeOffCategory(services, testContext(other.id), { label: 'Leave', code: 'L' });
    expect(await timeOffCategoryTable.find(database.pool, organisationId, theirs.id)).toBeNull();
  });
});

describe('time-off settings', () => {
  it('are the same before anything was set, whether read or left unchanged', async () => {
    const read = await readTimeOffSettings(database.pool, organisationId);
    expect(read).toMatchObject({ revision: null, versions: [], holiday_region: 'GB', own_holiday_region: null });
    expect(await changeTimeOffSettings(services, context(), { pending_counts: true })).toEqual(read);
  });

  it('keep every version whole', async () => {
    await changeTimeOffSettings(services, context(), { leave_year_start: '04-06' });
    await changeTimeOffSettings(services, context(), { accrual_method: 'monthly' });
    const { versions } = await readTimeOffSettings(database.pool, organisationId);
    expect(
      versions.map((version) => [version.leave_year_start, version.accrual_method, version.pending_counts]),
    ).toEqual([
      ['04-06', 'fixed_yearly', true],
      ['04-06', 'monthly', true],
    ]);
  });
});
