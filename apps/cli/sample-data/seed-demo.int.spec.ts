import type { EventStore } from '#event-store/event-store.js';
import { forwardCalls } from '#event-store/forward-calls.js';
import { type InstallationKeys, loadInstallationKeys } from '#database/installation-keys.js';
import { createOrganisation } from '#organisation/organisation/organisation.api.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { type PayrollChangeResponse, readPayrollChanges } from '#payroll/export/payroll-export.api.js';
import { readTimeline } from '#people/timeline/read-timeline.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import { fixedRing } from '../../../test/support/fixed-ring.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { NO_ORGANISATION } from '../command-context.js';
import { type SeededDemo, seedDemo } from './seed-demo.js';
import { calendarOf } from './calendar.js';
import type { DemoReceiver } from './demo-receiver.js';
import { recordedAt } from './recorded-at.js';
import { createdAtOf, seedOrganisation } from './seed-organisation.js';
import { openSeeding } from './seeding.js';

const PEOPLE = { seed: 11, count: 24, domain: 'small.example' };
/** The day of the demo. */
const NOW = new Date('2026-06-17T12:00:00Z');
const TODAY = '2026-06-17';
/** Without a worker, nothing is sent. */
const RECEIVER: DemoReceiver = { address: '127.0.0.1', port: 9_999, stop: () => Promise.resolve() };

async function select<T extends object>(database: TestDatabase, text: string): Promise<readonly T[]> {
  return (await database.pool.query<T>(text)).rows;
}

describe('the demo data', () => {
  let database: TestDatabase;
  let keys: InstallationKeys;
  let demo: SeededDemo;

  const ofDemo = <T extends object>(text: string): Promise<readonly T[]> =>
    select<T>(database, `with demo as (select id from organisations where subdomain = 'demo') ${text}`);
  const distinct = async (table: string, column: string): Promise<readonly unknown[]> =>
    (
      await ofDemo<{ value: unknown }>(
        `select distinct ${column} as value from ${table} where organisation_id in (select id from demo) order by 1`,
      )
    ).map(({ value }) => value);
  const count = async (table: string): Promise<number> =>
    (
      await ofDemo<{ count: number }>(
        `select count(*)::integer as count from ${table} where organisation_id in (select id from demo)`,
      )
    )[0]!.count;
  const seed = (): ReturnType<typeof seedDemo> =>
    seedDemo(
      { pool: database.pool, eventStore: testServices(database).store, keys, configuration: null as never },
      RECEIVER,
      NOW,
    );

  beforeAll(async () => {
    database = await createTestDatabase();
    keys = await loadInstallationKeys(database.pool);
    demo = await seed();
  });

  afterAll(() => database.drop());

  it('has time off of every status, over the end of a year, and halves of days', async () => {
    expect(await distinct('time_off', 'status_code')).toEqual(['approved', 'cancelled', 'pending', 'rejected']);
    expect(await distinct('time_off', `start_date < '${TODAY}'`)).toEqual([false, true]);
    expect(await distinct('time_off', "date_trunc('year', start_date) < date_trunc('year', end_date)")).toEqual([
      false,
      true,
    ]);
    expect(await distinct('time_off', 'start_day_part')).toEqual(
      expect.arrayContaining(['afternoon', 'full', 'morning']),
    );
    expect(await count('balance_adjustments')).toBe(6);
  });

  it('was recorded over five years, and each stream in the order of its times', async () => {
    const years = await ofDemo<{ year: number; events: number }>(
      `select date_part('year', recorded_at)::integer as year, count(*)::integer as events from events
        where stream like '%' || (select id from demo) || '%' and stream not like all (array['api-key-%', 'user-%', 'sandbox-%']) group by 1 order by 1`,
    );
    expect(years.map(({ year }) => year)).toEqual([2021, 2022, 2023, 2024, 2025, 2026]);
    expect(Math.min(...years.map(({ events }) => events))).toBeGreaterThan(40);
    expect(
      await select(
        database,
        `select stream from (select stream, recorded_at, lag(recorded_at) over (partition by stream order by revision) as before from events) e
          where recorded_at < before`,
      ),
    ).toEqual([]);
    const last = await ofDemo<{ last: Date }>(
      `select max(recorded_at) as last from events where stream like '%' || (select id from demo) || '%' and stream not like all (array['api-key-%', 'user-%', 'sandbox-%'])`,
    );
    expect(last[0]!.last.toISOString() < `${TODAY}T00:00:00.000Z`).toBe(true);
  });

  it('has people, facts, time off and payroll changes of every kind', async () => {
    const figures = await figuresOf(database);
    expect(figures.filter(([, value]) => value === 0)).toEqual([]);
  });

  it('has a first example person, about whom another belief holds now', async () => {
    const { organisationId, firstPerson } = demo;
    const { asOf, knownAt, comparedKnownAt } = firstPerson.comparison;
    const services = testServices(database);
    const titleAt = async (instant: string): Promise<unknown> => {
      const owner = { organisationId, personId: firstPerson.id };
      const { timeline } = await readTimeline(
        { executor: database.pool, store: services.store, projector: services.projector },
        owner,
        { as_of: asOf, known_at: instant },
      );
      return timeline.segment?.job_title;
    };
    expect([await titleAt(knownAt), await titleAt(comparedKnownAt)]).toEqual([
      'Software Engineer',
      'Senior Software Engineer',
    ]);
  });

  it('has custom fields of every type, sensitivity and access, with values for most people', async () => {
    expect(await distinct('custom_fields', 'field_type')).toEqual([
      'boolean',
      'date',
      'number',
      'single_select',
      'text',
    ]);
    expect(await distinct('custom_fields', 'sensitivity')).toEqual([
      'demographic',
      'operational',
      'payroll',
      'personal',
    ]);
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
    for (const [table, minimum] of [
      ['personal_profiles', 30],
      ['avatars', 10],
    ] as const) {
      expect(await count(table)).toBeGreaterThan(minimum);
      expect(await count(table)).toBeLessThan(people);
    }
    expect(await count('documents')).toBeGreaterThan(people);
    expect(await distinct('provider_mappings', 'provider_name')).toEqual(['identity', 'payroll']);
    expect(await distinct('provider_mappings', 'status')).toEqual(['active', 'error', 'pending']);
    expect(await distinct('provider_mappings', 'resource_type')).toEqual(['org_unit', 'person', 'time_off_category']);
  });

  it('has users who decided about time off, and work that waits for a decision', async () => {
    expect(await distinct('users', 'role')).toEqual(['administrator', 'auditor', 'hr']);
    const deciders = await ofDemo<{ actor: string }>(
      `select distinct metadata -> 'actor' ->> 'type' as actor from events
        where stream like 'time-off-' || (select id from demo) || '%' and type in ('TimeOffApproved', 'TimeOffRejected')`,
    );
    expect(deciders).toEqual([{ actor: 'user' }]);
    expect(await distinct('imports', 'state')).toEqual(['check_queued']);
    expect(await distinct('write_proposals', 'status')).toEqual(['pending']);
    expect(await count('payroll_markers')).toBeGreaterThan(200);
  });

  it('has one person whose personal data an operator erased', async () => {
    expect(await ofDemo('select actor_type, completed_at is not null as done from person_erasures')).toEqual([
      { actor_type: 'operator', done: true },
    ]);
    expect(await ofDemo("select status from people where first_name = '[erased]'")).toEqual([{ status: 'ended' }]);
  });

  it('is seeded again forty days later without anything new but the key', async () => {
    const eventsBut = (): Promise<readonly object[]> =>
      select(
        database,
        "select stream, revision from events where stream not like 'api-key-%' order by stream, revision",
      );
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
    // The ids of both organisations derive from the same key.
    const keys = { ...(await loadInstallationKeys(database.pool)), ids: Buffer.alloc(32, 7) };
    const requested = {
      name: 'Small',
      subdomain: 'small',
      country_code: 'GB',
      plan: 'standard',
      time_zone: 'UTC',
      approveWrites: true,
    } as const;
    const store = recordedAt(services.store, createdAtOf(calendarOf(TODAY).firstDay));
    const { id } = await createOrganisation({ ...services, store }, testContext(NO_ORGANISATION.id), requested);
    const organisation = (await findOrganisation(database.pool, id))!;
    return {
      store: services.store,
      fill: async (eventStore = services.store) =>
        seedOrganisation(await openSeeding({ pool: database.pool, eventStore, keys }), organisation, PEOPLE),
      events: () =>
        select(
          database,
          // The effective-date job has ids of its own in every run.
          `select stream, revision, type, recorded_at, case when stream not like 'employment-effect-%' then event_id end as event_id
             from events where stream not like 'organisation-%' order by stream, revision`,
        ),
    };
  };

  it('is the same, event by event, after repeated interruptions', async () => {
    const [whole, broken] = [await filling(), await filling()];
    await whole.fill();
    const expected = await whole.events();
    let breaks = 0;
    while (!(await filledBefore(broken, 45))) breaks += 1;
    expect(breaks).toBeGreaterThan(3);
    expect(await broken.events()).toEqual(expected);
  });
});

/**
 * Whether the organisation was filled within this number of appends. Fails on any other error than the limit.
 */
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

/** A store that fails after this number of appends, as if the process had been killed. */
function breakingAfter(store: EventStore, appends: number): EventStore {
  let left = appends;
  return {
    ...forwardCalls(store),
    importEvents: async (...parameters) => {
      if (left === 0) throw new Error('the power is gone');
      left -= 1;
      return store.importEvents(...parameters);
    },
  };
}

async function payrollRowsOf({ pool }: TestDatabase): Promise<readonly PayrollChangeResponse[]> {
  const { id, time_zone: timeZone } = (await findOrganisation(pool, 'demo'))!;
  const [from, to] = ['2026-05-01', '2026-05-31'];
  const { rows } = await readPayrollChanges(
    pool,
    new CursorCodec(fixedRing(Buffer.alloc(32, 1))),
    { id, timeZone },
    { from, to, limit: 200 },
  );
  return rows;
}

/** The numbers of records of each kind in the demo. */
async function figuresOf(database: TestDatabase): Promise<readonly (readonly [string, number])[]> {
  const one = async (text: string): Promise<number> => {
    const [row] = await select<{ figure: number }>(
      database,
      `with demo as (select id from organisations where subdomain = 'demo') select (${text})::integer as figure`,
    );
    return row!.figure;
  };
  const of = (table: string, condition = 'true'): Promise<number> =>
    one(`select count(*) from ${table} where organisation_id = (select id from demo) and ${condition}`);
  const changes = await payrollRowsOf(database);
  const rows = (type: string): number => changes.filter(({ change_type: found }) => found === type).length;
  return [
    ['People', await of('people')],
    ['of them active', await of('people', "status = 'active'")],
    ['Facts of employment', await of('employment_facts')],
    ['of them corrections', await of('employment_facts', "action = 'correction'")],
    ['Returns', await of('employment_facts', "action = 'reactivate'")],
    ['Time off: approved', await of('time_off', "status_code = 'approved'")],
    ['Time off: pending', await of('time_off', "status_code = 'pending'")],
    ['Time off: rejected', await of('time_off', "status_code = 'rejected'")],
    ['Time off: cancelled', await of('time_off', "status_code = 'cancelled'")],
    ['Payroll rows of the last month', changes.length],
    ['of them starters', rows('starter')],
    ['of them leavers', rows('leaver')],
    ['of them rehires', rows('rehire')],
    ['of them corrections of facts', rows('correction')],
    ['of them retroactive', changes.filter(({ is_retroactive: late }) => late).length],
  ];
}
