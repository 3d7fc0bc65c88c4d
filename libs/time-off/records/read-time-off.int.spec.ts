import type { CommandServices } from '#commands/services.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { testContext } from '../../../test/support/command-services.js';
import { contextOf, createPerson, newOrganisation, worldForSpec } from '../../../test/support/people/world.js';
import { commandTimeOffCategory, createTimeOffCategory } from '../category/time-off-category.api.js';
import { requestTimeOff } from '../requests/request-time-off.js';
import { timeOffProjection } from './time-off.table.js';
import { listTimeOff, type TimeOffPage } from './read-time-off.js';

const TODAY = '2026-03-01';
const ANY = { from: null, to: null, status: null, personId: null, categoryId: null } as const;
/** The records begin in this window, except for the first, which begins before it. */
const WINDOW = { ...ANY, from: '2026-03-03', to: '2026-03-30' } as const;

const world = worldForSpec();
let services: CommandServices;
let first: TimeOffPage;
let categoryId: string;
let personId: string;
const ids: string[] = [];

beforeAll(async () => {
  const { eventStore: store, pool, projector, mint } = world;
  services = { store, executor: pool, projector, mint };
  const organisationId = await newOrganisation(world);
  first = { organisationId, order: 'dates', filters: WINDOW, since: null, horizon: null, after: null, count: 3 };
  categoryId = (await createTimeOffCategory(services, testContext(organisationId), { label: 'Łeave' })).id;
  for (const day of ['02', '04', '09', '09', '16']) {
    const person_id = await createPerson(world, organisationId, {}, TODAY);
    const dates = { start_date: `2026-03-${day}`, end_date: '2026-03-16' };
    const context = contextOf(organisationId, { today: TODAY });
    ids.push((await requestTimeOff(services, context, { person_id, category_id: categoryId, ...dates })).id);
    personId ??= person_id;
  }
});

describe('a list of time off', () => {
  it('shows the names of today, also of what is gone, and the same after a rebuild', async () => {
    const { organisationId } = first;
    const shown = async () => (await listTimeOff(world.pool, first))[0]!;
    await commandTimeOffCategory(services, testContext(organisationId), categoryId, {
      type: 'change',
      changes: { label: 'Rest' },
    });
    await world.pool.query("update people set display_name = 'Grace' where person_id = $1", [personId]);
    const before = await shown();
    expect(before).toMatchObject({ display_name: 'Grace', category_label: 'Rest' });
    await rebuild(world, timeOffProjection);
    expect(await shown()).toEqual(before);
    await world.pool.query('delete from people where person_id = $1', [personId]);
    await world.pool.query('delete from time_off_categories where id = $1', [categoryId]);
    expect(await shown()).toMatchObject({ display_name: personId, category_label: categoryId });
  });
});
