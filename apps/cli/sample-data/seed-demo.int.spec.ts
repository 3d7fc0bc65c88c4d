import type { Appended, EventStore } from '#event-store/event-store.js';
import type { InstallationKeys } from '#database/installation-keys.js';
import { createOrganisation } from '#resources/organisation/organisation/organisation.commands.js';
import { findOrganisation } from '#resources/organisation/organisation/organisation.queries.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { NO_ORGANISATION } from '../command-context.js';
import { seedDemo } from './seed-demo.js';
import { seedOrganisation } from './seed-organisation.js';

const KEYS = { ids: Buffer.alloc(32, 7) } as InstallationKeys;
const PEOPLE = { seed: 11, count: 10, domain: 'small.example' };

async function select<T extends object>(database: TestDatabase, text: string): Promise<readonly T[]> {
  return (await database.pool.query<T>(text)).rows;
}

describe('the demo data', () => {
  let database: TestDatabase;

  const ofDemo = <T extends object>(text: string): Promise<readonly T[]> =>
    select<T>(database, `with demo as (select id from organisations where subdomain = 'demo') ${text}`);
  const distinct = async (table: string, column: string): Promise<readonly unknown[]> =>
    (
      await ofDemo<{ value: unknown }>(
        `select distinct ${column} as value from ${table} where organisation_id in (select id from demo) order by 1`,
      )
    ).map(({ value }) => value);
  const count = async (table: string): Promise<number> =>
    (await ofDemo<{ count: number }>(`select count(*)::integer as count from ${table} where organisation_id in (select id from demo)`))[0]!
      .count;
  const seed = (): ReturnType<typeof seedDemo> =>
    seedDemo({ pool: database.pool, eventStore: testServices(database).store, keys: KEYS, configuration: null as never });

  beforeAll(async () => {
    database = await createTestDatabase();
    await seed();
  });

  afterAll(() => database.drop());

  it('has time off of every status, over the end of a year, and halves of days', async () => {
    expect(await distinct('time_off', 'status_code')).toEqual(['approved', 'cancelled', 'pending', 'rejected']);
    expect(await distinct('time_off', 'start_date < current_date')).toEqual([false, true]);
    expect(await distinct('time_off', "date_trunc('year', start_date) < date_trunc('year', end_date)")).toEqual([false, true]);
    expect(await distinct('time_off', 'start_day_part')).toEqual(expect.arrayContaining(['afternoon', 'full', 'morning']));
    expect(await count('balance_adjustments')).toBe(6);
  });

  it('has custom fields of every type, sensitivity and access, with values for most people', async () => {
    expect(await distinct('custom_fields', 'field_type')).toEqual(['boolean', 'date', 'number', 'single_select', 'text']);
    expect(await distinct('custom_fields', 'sensitivity')).toEqual(['demographic', 'operational', 'payroll', 'personal']);
    expect(await distinct('custom_fields', 'api_access')).toEqual(['hidden', 'read', 'read_write']);
    expect(await count('person_custom_fields')).toBeGreaterThan(30);
  });

  it('has units below units, with codes and heads', async () => {
    expect(await distinct('org_units', 'parent_id is null')).toEqual([false, true]);
    expect(await distinct('org_units', 'code is null or head_id is null')).toEqual([false]);
    expect(await distinct('time_off_categories', 'negative_balance_minutes')).toEqual([2_250, null]);
  });

  it('has profiles, pictures, documents and mappings, and people without', async () => {
    const people = await count('people');
    for (const [table, least] of [
      ['personal_profiles', 30],
      ['avatars', 10],
    ] as const) {
      expect(await count(table)).toBeGreaterThan(least);
      expect(await count(table)).toBeLessThan(people);
    }
    expect(await count('documents')).toBeGreaterThan(people);
    expect(await distinct('provider_mappings', 'provider_name')).toEqual(['identity', 'payroll']);
    expect(await distinct('provider_mappings', 'status')).toEqual(['active', 'error', 'pending']);
    expect(await distinct('provider_mappings', 'resource_type')).toEqual(['org_unit', 'person', 'time_off_category']);
  });

  it('is told again forty days later without anything new but the key', async () => {
    const eventsBut = (): Promise<readonly object[]> =>
      select(database, "select stream, revision from events where stream not like 'api-key-%' order by stream, revision");
    const before = await eventsBut();
    jest.useFakeTimers({
      now: Date.now() + 40 * 86_400_000,
      doNotFake: [
        'nextTick',
        'setImmediate',
        'setTimeout',
        'setInterval',
        'clearTimeout',
        'clearInterval',
        'clearImmediate',
        'queueMicrotask',
        'performance',
        'hrtime',
      ],
    });
    try {
      await seed();
    } finally {
      jest.useRealTimers();
    }
    expect(await eventsBut()).toEqual(before);
  });
});

describe('a made-up organisation', () => {
  const databases: TestDatabase[] = [];

  afterAll(() => Promise.all(databases.map((database) => database.drop())));

  const filling = async (): Promise<{
    readonly fill: (store?: EventStore) => Promise<void>;
    readonly events: () => Promise<readonly object[]>;
    readonly store: EventStore;
  }> => {
    const database = await createTestDatabase();
    databases.push(database);
    const services = testServices(database);
    const wanted = {
      name: 'Small',
      subdomain: 'small',
      country_code: 'GB',
      plan: 'standard',
      time_zone: 'UTC',
      approveWrites: true,
    } as const;
    const { id } = await createOrganisation(services, testContext(NO_ORGANISATION.id), wanted);
    const organisation = (await findOrganisation(database.pool, id))!;
    return {
      store: services.store,
      fill: (store = services.store) => seedOrganisation({ ...services, store }, database.pool, organisation, PEOPLE),
      events: () =>
        select(
          database,
          "select stream, revision, event_id, type from events where stream not like 'organisation-%' order by stream, revision",
        ),
    };
  };

  it('is the same, event by event, after a run that broke off again and again', async () => {
    const [whole, broken] = [await filling(), await filling()];
    await whole.fill();
    const expected = await whole.events();
    let breaks = 0;
    while (!(await filledBefore(broken, 45))) breaks += 1;
    expect(breaks).toBeGreaterThan(3);
    expect(await broken.events()).toEqual(expected);
  });
});

/** Whether the organisation was filled within so many appends. Fails where anything else than the power was in the way. */
async function filledBefore(
  { fill, store }: { readonly fill: (store: EventStore) => Promise<void>; readonly store: EventStore },
  appends: number,
): Promise<boolean> {
  try {
    await fill(breakingAfter(store, appends));
    return true;
  } catch (error) {
    expect((error as Error).message).toBe('the power is gone');
    return false;
  }
}

/** A store that refuses to work after so many appends, as if the process had been killed there. */
function breakingAfter(store: EventStore, appends: number): EventStore {
  let left = appends;
  const append = (...given: Parameters<EventStore['append']>): Promise<Appended> => {
    if (left === 0) return Promise.reject(new Error('the power is gone'));
    left -= 1;
    return store.append(...given);
  };
  return new Proxy(store, { get: (target, name) => (name === 'append' ? append : bound(target, name)) });
}

function bound(target: EventStore, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}
