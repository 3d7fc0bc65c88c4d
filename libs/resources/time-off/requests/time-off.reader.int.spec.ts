import type { CommandServices } from '#commands/execute.js';
import { inTransaction, type Statement } from '#database/transaction.js';
import { compileSerialiser } from '#http/fields/serialise.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { testContext } from '../../../../test/support/command-services.js';
import { contextOf, createPerson, createWorld, newOrganisation, type World } from '../../../../test/support/people/world.js';
import { peopleProjection } from '../../people/people/people.projection.js';
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
/** The first row of the last answer. */
let answered: unknown;
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
  const query: World['pool']['query'] = (async (statement: Statement) => {
    const result = await pool.query(statement);
    statements.push(statement.name);
    answered = result.rows[0];
    return result;
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

const MOVE_MARK = 'update sync_marks set high_water = high_water where organisation_id = $1 and resource = $2';

/** Writes to a table, and its mark, in one transaction, as every projection does. */
function projected(table: string, sql: string, values: readonly unknown[] = []): Promise<unknown> {
  return inTransaction(world.pool, async (connection) => {
    await connection.query(sql, [...values]);
    await connection.query(MOVE_MARK, [first.organisationId, table]);
  });
}

/** A page is kept as a whole when it is asked for twice. */
async function keptTextsOf(page: TimeOffPage): Promise<readonly string[]> {
  const texts = await textsOf(page);
  expect(await textsOf(page)).toEqual(texts);
  return texts;
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
    // Another page, of rows that are known.
    expect(await textsOf({ ...first, count: 3 })).toEqual(texts.slice(0, 3));
    expect(statements.map(isVersions)).toEqual([true, true]);
  });

  it('is not read again while no projection has written rows of it or of people, and then is', async () => {
    const before = await keptTextsOf(first);
    await world.pool.query('update time_off set total_minutes = total_minutes + 1 where id = $1', [ids[1]]);
    expect(await textsOf(first)).toEqual(before);
    expect(answered).toMatchObject({ state: expect.any(String) as unknown, ids: null });
    await textsOf({ ...first, count: 1 });
    await textsOf({ ...first, count: 1 });
    expect(answered).toMatchObject({ ids: expect.any(String) as unknown });
    await projected('time_off', "update time_off set status_code = 'pending' where id = $1", [ids[1]]);
    const after = await keptTextsOf(first);
    expect(after).not.toEqual(before);
    expect(after).toEqual(await textsOf(first, new TimeOffReader(world.pool)));
    await world.pool.query("update people set display_name = 'Ada King' where person_id = $1", [personId]);
    expect(await textsOf(first)).toEqual(after);
    await projected('people', 'select');
    expect((await textsOf(first)).join()).toContain('Ada King');
    statements.splice(0);
    await textsOf(first);
    expect(statements.map(isVersions)).toEqual([true]);
  });

  it('shows a write from its commit on, and that of another organisation never', async () => {
    const before = await keptTextsOf(first);
    await inTransaction(world.pool, async (connection) => {
      await connection.query("update people set display_name = 'Ada B' where person_id = $1", [personId]);
      await connection.query(MOVE_MARK, [first.organisationId, 'people']);
      expect(await textsOf(first)).toEqual(before);
    });
    const after = await textsOf(first);
    expect(after.join()).toContain('Ada B');
    expect(await reader.list({ ...first, organisationId: await newOrganisation(world) })).toEqual([]);
    expect(await textsOf(first)).toEqual(after);
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

  it('is empty once its last record is gone', async () => {
    const page = { ...first, filters: { ...ANY, personId: 'somebody' } };
    await projected('time_off', "update time_off set person_id = 'somebody' where id = $1", [ids[4]]);
    expect(await keptTextsOf(page)).toHaveLength(1);
    await projected('time_off', 'delete from time_off where id = $1', [ids[4]]);
    expect([await textsOf(page), await textsOf(page)]).toEqual([[], []]);
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
      name: () => projected('people', "update people set display_name = 'Grace' where person_id = $1", [personId]),
      'a rebuild of people': () => rebuild(world, peopleProjection),
      'a name of two lines': () =>
        projected('people', "update people set display_name = E'Grace\\nHopper' where person_id = $1", [personId]),
      'another of two lines': () => projected('people', "update people set display_name = E'Grace\\nH' where person_id = $1", [personId]),
      'nobody of that id': () => projected('people', 'delete from people where person_id = $1', [personId]),
      row: () => projected('time_off', 'update time_off set total_minutes = 7 where id = $1', [ids[1]]),
      rebuild: () => rebuild(world, timeOffProjection),
      'an unseen label': async () => {
        await pool.query('alter table time_off_categories disable trigger user');
        await pool.query("update time_off_categories set label = 'unseen' where id = $1", [categoryId]);
        await pool.query('alter table time_off_categories enable trigger user');
        await projected('time_off', 'update time_off set total_minutes = 8 where id = $1', [ids[1]]);
      },
      'a rebuild of categories': () => rebuild(world, timeOffCategoryTable.projection),
      'a category that is gone': () => pool.query('delete from time_off_categories where id = $1', [categoryId]),
      'a record that is gone': () => projected('time_off', 'delete from time_off where id = $1', [ids[1]]),
    };
    let before = await keptTextsOf(first);
    for (const [name, change] of Object.entries(changes)) {
      await change();
      const after = await keptTextsOf(first);
      expect([name, after]).not.toEqual([name, before]);
      expect([name, after]).toEqual([name, await textsOf(first, new TimeOffReader(pool))]);
      before = after;
    }
  });
});
