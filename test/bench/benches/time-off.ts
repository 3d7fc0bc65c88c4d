import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { addDays, type LocalDate } from '#kernel/dates.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { peopleProjection } from '#resources/people/people/people.projection.js';
import { createTimeOffCategory } from '#resources/time-off/category/time-off-category.commands.js';
import { timeOffProjection } from '#resources/time-off/records/time-off.projection.js';
import { BARE_TABLES } from '../children/bare-statements.js';
import type { Load } from '../children/load-generator.js';
import { compare } from '../compare.js';
import { type Fixture, openFixture, recordPeople, recordTimeOff } from '../fixture.js';
import { count, type Line } from '../table.js';
import { firstDayOf, type MadeCategories, RECORDS, workingDaysFrom } from '../time-off-history.js';
import { lineOf, PREFIX, sampleOf, startServers, WRITING_CONNECTIONS } from './servers.js';
import type { Setting } from './setting.js';

/** Those of a list and a write of people. */
const GOALS = { list: 0.8, write: 0.5 };
/** Facts of each person's employment. */
const FACTS = 3;
const QUARTER_DAYS = 91;
/** Quarters that are full of records. */
const QUARTERS = 7;
/** New records lie from here on, where nobody has one. */
const DAYS_AHEAD = 30;
/** So many that a small organisation has enough for a long run. */
const DAYS_TO_TAKE = 400;
/** 25 days of the usual week. */
const ALLOWANCE_MINUTES = 11_250;

interface Measured {
  readonly what: string;
  readonly goal: number;
  readonly load: Omit<Load, 'url' | 'headers' | 'seconds'>;
}

/** A window's page of time off, and new records with and without a limit to hold them against. */
export async function measureTimeOff(setting: Setting): Promise<readonly Line[]> {
  const { options } = setting;
  setting.say(`Recording ${count(options.people)} people with ${RECORDS} records of time off each …`);
  const fixture = await openFixture(await setting.database('time_off'));
  try {
    const firstDay = firstDayOf(fixture.newContext().today);
    const categories = await createCategories(fixture);
    const personIds = await record(fixture, options.people, categories, firstDay);
    const somePage = pathOf(firstDay, 1);
    const servers = await startServers(setting, fixture, (url) => oneRecordOf(fixture, url, somePage));
    const generator = setting.start('load-generator');
    const lines: Line[] = [];
    for (const { what, goal, load } of measurements(setting, { personIds, categories, firstDay, today: fixture.newContext().today })) {
      setting.say(`Measuring ${what} …`);
      const common = { ...load, headers: { authorization: `Bearer ${fixture.apiKey}` }, seconds: options.seconds };
      const product = {
        server: servers.product.server,
        load: { ...common, url: servers.product.url, paths: load.paths.map((path) => PREFIX + path) },
      };
      const bare = { server: servers.bare.server, load: { ...common, url: servers.bare.url } };
      lines.push(lineOf(what, goal, await compare(generator, product, bare, options)));
    }
    return lines;
  } finally {
    await fixture.close();
  }
}

async function createCategories({ services, newContext }: Fixture): Promise<MadeCategories> {
  const annual = { label: 'Annual leave', annual_allowance_minutes: ALLOWANCE_MINUTES, negative_balance_minutes: 0 };
  const sick = { label: 'Sick leave', requires_approval: false, deducts_balance: false };
  const { id: annualLeaveId } = await createTimeOffCategory(services, newContext(), annual);
  const { id: sickLeaveId } = await createTimeOffCategory(services, newContext(), sick);
  return { annualLeaveId, sickLeaveId };
}

async function record(fixture: Fixture, people: number, categories: MadeCategories, firstDay: LocalDate): Promise<readonly string[]> {
  const { pool } = fixture;
  const ids = await recordPeople(
    fixture,
    people,
    () => FACTS,
    () => undefined,
  );
  await recordTimeOff(fixture, categories, ids, firstDay);
  const services = { pool, eventStore: new PostgresEventStore(pool), clock: { now: () => new Date() } };
  for (const projection of [peopleProjection, timeOffProjection]) await rebuild(services, projection);
  await pool.query(BARE_TABLES);
  await pool.query('vacuum analyze');
  return ids;
}

/** The page of a quarter; the quarters are counted from the first day on. */
function pathOf(firstDay: LocalDate, quarter: number): string {
  const from = addDays(firstDay, quarter * QUARTER_DAYS);
  return `/time-off?from=${from}&to=${addDays(from, QUARTER_DAYS - 1)}&limit=100`;
}

/** A short one, as the new records are. */
async function oneRecordOf(fixture: Fixture, productUrl: string, somePage: string): ReturnType<typeof sampleOf> {
  const response = await fetch(productUrl + somePage, { headers: { authorization: `Bearer ${fixture.apiKey}` } });
  const { data } = (await response.json()) as { data: readonly { readonly id: string; readonly days: readonly object[] }[] };
  const [shortest] = [...data].sort((one, other) => one.days.length - other.days.length);
  return sampleOf(fixture, 'TimeOffRequested', `${productUrl}/time-off/${shortest!.id}`);
}

function measurements(
  { options }: Setting,
  {
    personIds,
    categories,
    firstDay,
    today,
  }: { personIds: readonly string[]; categories: MadeCategories; firstDay: LocalDate; today: LocalDate },
): readonly Measured[] {
  const quarters = Array.from({ length: QUARTERS }, (_, quarter) => pathOf(firstDay, quarter));
  const days = workingDaysFrom(addDays(today, DAYS_AHEAD), DAYS_TO_TAKE);
  // The generator counts on from one of them to the next, so they share the days.
  const post = (categoryId: string): Measured['load'] => ({
    method: 'POST',
    paths: ['/time-off'],
    timeOff: { categoryId, personIds, days },
    connections: WRITING_CONNECTIONS,
  });
  return [
    {
      what: 'GET /time-off, a quarter, limit=100',
      goal: GOALS.list,
      load: { method: 'GET', paths: quarters, timeOff: null, connections: options.connections },
    },
    { what: 'POST /time-off, durable', goal: GOALS.write, load: post(categories.sickLeaveId) },
    { what: 'POST /time-off, with a limit, durable', goal: GOALS.write, load: post(categories.annualLeaveId) },
  ];
}
