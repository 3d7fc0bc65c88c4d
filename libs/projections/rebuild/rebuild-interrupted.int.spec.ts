import type pg from 'pg';
import { contentByPerson } from '../../../test/support/people/tables.js';
import {
  createPerson,
  createWorld,
  newOrganisation,
  recordFact,
  type World,
} from '../../../test/support/people/world.js';
import { killRebuilds } from '../../../test/support/killed-rebuilds.js';
import { allReadable } from '../../../test/support/postgres.js';
import { createPool } from '#database/pool.js';
import type { EventStore } from '#event-store/event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { runEffectiveDateJob } from '#people/timeline/effective-date-job.js';
import { peopleProjection } from '#people/record/people.js';
import { PROJECTIONS } from '#composition/registry.js';
import { Projector } from '../projector.js';
import { abandonLeftRebuilds, abandonRebuild } from './abandon-rebuild.js';
import { rebuild, type RebuildParts, verify } from './rebuild.js';
import { readRebuilds } from './rebuild-progress.js';

const PEOPLE = 8;

let world: World;
let organisationId: string;
let pool: pg.Pool;

beforeEach(async () => {
  world = await createWorld();
  organisationId = await newOrganisation(world);
  pool = createPool(world.database.url, { applicationName: 'rebuild', maximum: 8, statementTimeout: 0 });
});
afterEach(async () => {
  await pool.end();
  await world.database.drop();
});

function parts(more: Partial<RebuildParts> = {}): RebuildParts {
  return { pool, eventStore: new PostgresEventStore(pool), clock: world.clock, ...more };
}

/** A store whose scans return one event at a time and call `between` before each. */
function scanned(between: (events: number) => Promise<void> | void): EventStore {
  const real = new PostgresEventStore(pool);
  const store = Object.create(real) as EventStore;
  let events = 0;
  store.scanCategory = async function* (category, upTo, scan) {
    for await (const batch of real.scanCategory(category, upTo, { ...scan, batchSize: 1 })) {
      if (category === 'employment') await between((events += 1));
      yield batch;
    }
  };
  return store;
}

/** A store that calls `between` when the shadows are filled and complete, before it reads the log further. */
function readOn(between: () => Promise<void>): EventStore {
  const store = Object.create(new PostgresEventStore(pool)) as EventStore;
  store.readAll = async (after, limit) => {
    await between();
    return new PostgresEventStore(pool).readAll(after, limit);
  };
  return store;
}

async function people(count = PEOPLE): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push(await createPerson(world, organisationId));
  await allReadable(world.pool);
  return ids;
}

/** Kills a rebuild that has filled its tables. */
async function killOne(): Promise<void> {
  const eventStore = readOn(() => killRebuilds(world.pool));
  await expect(rebuild(parts({ eventStore }), peopleProjection)).rejects.toThrow();
}

async function leftTables(): Promise<readonly string[]> {
  const { rows } = await world.pool.query<{ relname: string }>(
    `select relname from pg_class where relname like 'rebuild_%' and relkind = 'r' order by 1`,
  );
  return rows.map(({ relname }) => relname);
}

describe('a rebuild that was killed', () => {
  it.each([
    [
      'while it filled tables',
      60,
      (kill: () => Promise<void>, count: number) => scanned((events) => (events === count - 1 ? kill() : undefined)),
    ],
    ['when it had filled them', PEOPLE, (kill: () => Promise<void>) => readOn(kill)],
  ])('%s starts again, and creates the same tables as an uninterrupted one', async (_when, count, storeWith) => {
    await people(count);
    const before = await contentByPerson(world.pool, [organisationId]);
    const eventStore = storeWith(() => killRebuilds(world.pool), count);
    await expect(rebuild(parts({ eventStore }), peopleProjection)).rejects.toThrow();
    expect(await contentByPerson(world.pool, [organisationId])).toEqual(before);
    const [left] = await readRebuilds(pool);
    const phase = count === PEOPLE ? 'completing' : 'filling';
    expect(left).toMatchObject({ projection: 'people', phase, rows: expect.any(Number), expectedRows: 3 * count });
    if (phase === 'completing') expect(left).toMatchObject({ events: 2 * count, secondsLeft: 0 });

    const person = await createPerson(world, organisationId);
    await allReadable(world.pool);
    const rebuilt = await rebuild(parts(), peopleProjection);
    expect(rebuilt).toMatchObject({ events: 2 * (count + 1), differences: 0, rows: 3 * (count + 1) });
    const after = await contentByPerson(world.pool, [organisationId]);
    expect(new Map([...after].filter(([row]) => before.has(row)))).toEqual(before);
    const added = expect.stringContaining(person) as string;
    expect([...after.keys()].filter((row) => !before.has(row))).toEqual([added, added, added]);
    expect([await leftTables(), await readRebuilds(pool)]).toEqual([[], []]);
  });

  it('writes nothing into the tables of a rebuild that has started since', async () => {
    await people();
    let second: unknown;
    const eventStore = scanned(async (events) => {
      if (events !== 5) return;
      await killRebuilds(world.pool);
      second = await rebuild(parts(), peopleProjection);
    });
    await expect(rebuild(parts({ eventStore }), peopleProjection)).rejects.toThrow();
    expect(second).toMatchObject({ events: 2 * PEOPLE, differences: 0, rows: 3 * PEOPLE });
    expect(await rebuild(parts(), peopleProjection)).toMatchObject({ differences: 0, rows: 3 * PEOPLE });
  });

  it.each([
    ['of one projection', () => abandonRebuild(pool, peopleProjection)],
    ['of all projections', () => abandonLeftRebuilds(pool, PROJECTIONS)],
  ])('can be abandoned: %s', async (_what, abandon) => {
    await people();
    await killOne();
    expect(await leftTables()).toHaveLength(3);
    await abandon();
    expect([await leftTables(), await readRebuilds(pool)]).toEqual([[], []]);
  });
});

describe('a rebuild', () => {
  it('that runs over midnight shows the later day', async () => {
    world.clock.standAt('2026-03-01T12:00:00Z');
    for (const id of await people())
      await recordFact(world, organisationId, id, {
        type: 'change',
        startDate: '2026-03-05',
        terms: { job_title: 'Lead' },
        today: '2026-03-01',
      });
    await allReadable(world.pool);
    let isLater = false;
    const eventStore = readOn(async () => {
      if (isLater) return;
      isLater = true;
      world.clock.standAt('2026-03-07T12:00:00Z');
      await runEffectiveDateJob({
        pool: world.pool,
        eventStore: world.eventStore,
        projector: new Projector(PROJECTIONS, world.clock),
        clock: world.clock,
      });
      await allReadable(world.pool);
    });
    expect((await rebuild(parts({ eventStore }), peopleProjection)).differences).toBe(0);
    expect((await pool.query('select distinct job_title from people')).rows).toEqual([{ job_title: 'Lead' }]);
  });

  it('discards everything if a table refuses a row', async () => {
    await people();
    await pool.query(`update people set last_name = 'Other'`);
    await pool.query(`alter table people add constraint refusing check (last_name = 'Other')`);
    await expect(rebuild(parts(), peopleProjection)).rejects.toThrow('refusing');
    expect([await leftTables(), await readRebuilds(pool)]).toEqual([[], []]);
  });

  it('does not delay readers of the log while it fills tables', async () => {
    // Enough rows that a COPY writes some of them before it ends.
    await Promise.all(Array.from({ length: 250 }, () => createPerson(world, organisationId)));
    await allReadable(world.pool);
    let read = 0;
    const eventStore = scanned(async (events) => {
      if (events !== 240) return;
      const person = await createPerson(world, organisationId);
      await allReadable(world.pool);
      const log = await world.eventStore.readAll(null, 1_000);
      read = log.filter(({ stream }) => stream.endsWith(person)).length;
    });
    expect(await rebuild(parts({ eventStore }), peopleProjection)).toMatchObject({ differences: 0 });
    expect(read).toBe(2);
  });

  it('reports its speed and the time left', async () => {
    await people(60);
    const told: { events: number; rows: number; secondsLeft: number | null }[] = [];
    await rebuild(parts({ onProgress: (progress) => void told.push(progress) }), peopleProjection);
    expect(told).toMatchObject([
      { projection: 'people', events: 100, rows: 150, expectedRows: 180, secondsLeft: expect.any(Number) as number },
      { projection: 'people', events: 120, rows: 180, expectedRows: 180, secondsLeft: 0 },
      { projection: 'people', events: 120, rows: 180, expectedRows: 180, secondsLeft: 0 },
    ]);
    expect(told[0]!.secondsLeft).toBeGreaterThan(0);
  });
});

describe('a verification', () => {
  it('finds nothing in correct tables, also during writes', async () => {
    const ids = await people();
    const writing = new AbortController();
    const write = async (): Promise<void> => {
      for (let turn = 0; !writing.signal.aborted; turn += 1) {
        await recordFact(world, organisationId, ids[turn % PEOPLE]!, {
          type: 'change',
          startDate: '2026-01-02',
          terms: { job_title: `Title ${turn}` },
          today: '2026-01-02',
        });
      }
    };
    const writer = write();
    try {
      for (let turn = 0; turn < 3; turn += 1) expect((await verify(parts(), peopleProjection)).differences).toEqual([]);
    } finally {
      writing.abort();
      await writer;
    }
    expect([await leftTables(), await readRebuilds(pool)]).toEqual([[], []]);
  });

  it('names the rows that differ, and leaves them unchanged', async () => {
    const [first, second, third] = await people();
    await pool.query(`update people set job_title = 'Impostor' where person_id = $1`, [first]);
    await pool.query('delete from employment_beliefs where person_id = $1', [second]);
    await pool.query('delete from people where person_id = $1', [third]);
    const { differences } = await verify(parts(), peopleProjection);
    const found = differences.map(({ table, key }) => [table, [first, second, third].find((id) => key.includes(id!))]);
    expect(found.sort()).toEqual(
      [
        ['employment_beliefs', second],
        ['people', first],
        ['people', third],
      ].sort(),
    );
    expect((await pool.query(`select person_id from people where job_title = 'Impostor'`)).rows).toEqual([
      { person_id: first },
    ]);
    expect(await leftTables()).toEqual([]);
  });
});
