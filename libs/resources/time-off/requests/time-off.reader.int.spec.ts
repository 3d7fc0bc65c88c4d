import type { CommandServices } from '#commands/execute.js';
import type { Statement } from '#database/transaction.js';
import { compileSerialiser } from '#http/fields/serialise.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { testContext } from '../../../../test/support/command-services.js';
import { contextOf, createPerson, createWorld, newOrganisation, type World } from '../../../../test/support/people/world.js';
import { commandTimeOffCategory, createTimeOffCategory } from '../category/time-off-category.commands.js';
import { timeOffCategoryTable } from '../category/time-off-category.table.js';
import { TimeOffResponse } from '../records/time-off.contract.js';
import { timeOffProjection } from '../records/time-off.projection.js';
import { findTimeOff, type TimeOffPage } from '../records/time-off.queries.js';
import { requestTimeOff, stepTimeOff } from './time-off.commands.js';
import { presentTimeOff } from './time-off.handlers.js';
import { TimeOffReader } from './time-off.reader.js';

const serialise = compileSerialiser(TimeOffResponse);
const TODAY = '2026-03-01';
const ANY = { from: null, to: null, status: null, personId: null, categoryId: null } as const;
/** The first five records were requested on days of this window; the first lasts from before it. */
const WINDOW = { ...ANY, from: '2026-03-03', to: '2026-03-30' } as const;

let world: World;
let services: CommandServices;
let reader: TimeOffReader;
let first: TimeOffPage;
let categoryId: string;
let personId: string;
const statements: string[] = [];
const ids: string[] = [];

beforeAll(async () => {
  world = await createWorld();
  const { eventStore: store, pool, projector, mint } = world;
  services = { store, executor: pool, projector, mint };
  const organisationId = await newOrganisation(world);
  first = { organisationId, order: 'dates', filters: WINDOW, since: null, horizon: null, after: null, count: 3 };
  categoryId = (await createTimeOffCategory(services, testContext(organisationId), { label: 'Łeave' })).id;
  for (const day of ['02', '04', '09', '09', '16']) {
    const person_id = await createPerson(world, organisationId, {}, TODAY);
    const dates = { start_date: `2026-03-${day}`, end_date: '2026-03-16' };
    ids.push((await requestTimeOff(services, request(), { person_id, category_id: categoryId, ...dates })).id);
    personId ??= person_id;
  }
  const query: World['pool']['query'] = ((statement: Statement) => {
    statements.push(statement.name);
    return pool.query(statement);
  }) as never;
  reader = new TimeOffReader({ query });
});
beforeEach(() => statements.splice(0));
afterAll(() => world.database.drop());

const request = () => contextOf(first?.organisationId, { today: TODAY });

/** What the response class writes for the same records. */
async function expected(wanted: readonly string[]): Promise<readonly string[]> {
  return Promise.all(wanted.map(async (id) => serialise(presentTimeOff((await findTimeOff(world.pool, first.organisationId, id))!))));
}

const isVersions = (name: string): boolean => name.startsWith('versions-of-time-off');
const textsOf = async (page: TimeOffPage, one = reader) => (await one.list(page)).map(({ json }) => json.text);

describe('a list of time off that was shown before', () => {
  it('is read by versions alone, and shows what the response class writes', async () => {
    const inOrder = [ids[0]!, ids[1]!, ...[ids[2]!, ids[3]!].sort()];
    const texts = await textsOf({ ...first, count: 4 });
    expect(texts).toEqual(await expected(inOrder));
    expect(statements.map(isVersions)).toEqual([true, false]);
    statements.splice(0);
    expect(await textsOf({ ...first, count: 4 })).toEqual(texts);
    expect(statements.map(isVersions)).toEqual([true]);
  });

  it('has the same places either way, from page to page and in every order', async () => {
    for (const order of ['dates', 'latest'] as const) {
      for (const filters of order === 'dates' ? [WINDOW, ANY] : [ANY, { ...ANY, from: WINDOW.from }]) {
        const seen: string[] = [];
        for (let page: TimeOffPage = { ...first, order, filters, count: 2 }; ;) {
          const [fresh, kept] = [await new TimeOffReader(world.pool).list(page), (await reader.list(page), await reader.list(page))];
          expect(kept.map(({ id, time, json }) => [id, time, json.text])).toEqual(fresh.map(({ id, time, json }) => [id, time, json.text]));
          seen.push(...kept.map(({ id }) => id));
          const last = kept.at(-1);
          if (last === undefined) break;
          page = { ...page, after: { id: last.id, time: last.time instanceof Date ? last.time.toISOString() : last.time } };
        }
        expect(seen.toSorted()).toEqual(ids.toSorted());
      }
    }
  });

  it('reads the texts at once where it shows what has changed', async () => {
    await reader.list({ ...first, order: 'change', filters: ANY });
    expect(statements.map(isVersions)).toEqual([false]);
  });

  it('shows what holds now, whatever was written since', async () => {
    const { organisationId } = first;
    const { pool } = world;
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      approval: () => stepTimeOff(services, request(), ids[0]!, 'approve'),
      label: () =>
        commandTimeOffCategory(services, testContext(organisationId), categoryId, { type: 'change', changes: { label: 'Rest' } }),
      name: () => pool.query("update people set display_name = 'Grace' where person_id = $1", [personId]),
      'a name of two lines': () => pool.query("update people set display_name = E'Grace\\nHopper' where person_id = $1", [personId]),
      'another of two lines': () => pool.query("update people set display_name = E'Grace\\nH' where person_id = $1", [personId]),
      'nobody of that id': () => pool.query('delete from people where person_id = $1', [personId]),
      row: () => pool.query('update time_off set total_minutes = 7 where id = $1', [ids[1]]),
      rebuild: () => rebuild(world, timeOffProjection),
      'an unseen label': async () => {
        await pool.query('alter table time_off_categories disable trigger user');
        await pool.query("update time_off_categories set label = 'unseen' where id = $1", [categoryId]);
        await pool.query('alter table time_off_categories enable trigger user');
        await pool.query('update time_off set total_minutes = 8 where id = $1', [ids[1]]);
      },
      'a rebuild of categories': () => rebuild(world, timeOffCategoryTable.projection),
      'a category that is gone': () => pool.query('delete from time_off_categories where id = $1', [categoryId]),
      'a record that is gone': () => pool.query('delete from time_off where id = $1', [ids[1]]),
    };
    let before = await textsOf(first);
    for (const [name, change] of Object.entries(changes)) {
      await change();
      const after = await textsOf(first);
      expect([name, after]).not.toEqual([name, before]);
      expect([name, after]).toEqual([name, await textsOf(first, new TimeOffReader(pool))]);
      before = after;
    }
  });
});
