import type pg from 'pg';
import { contentByPerson } from '../../../test/support/people/tables.js';
import { createPerson, createWorld, newOrganisation, recordFact, type World } from '../../../test/support/people/world.js';
import { allReadable } from '../../../test/support/postgres.js';
import { createPool } from '#database/pool.js';
import type { EventStore } from '#event-store/event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { runEffectiveDateJob } from '#resources/people/employment-api/effective-date-job.js';
import { peopleProjection } from '#resources/people/people/people.projection.js';
import { PROJECTIONS } from '#resources/registry.js';
import { Projector } from '../projector.js';
import { abandonLeftRebuilds, abandonOldRebuilds, abandonRebuild } from './abandon-rebuild.js';
import { rebuild, type RebuildParts, verify } from './rebuild.js';
import { readRebuilds, RebuildTakenOverError } from './rebuild-progress.js';

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

/** The parts of a rebuild with chunks of one person each. */
function parts(more: Partial<RebuildParts> = {}): RebuildParts {
  return { pool, eventStore: new PostgresEventStore(pool), clock: world.clock, chunk: { events: 1, milliseconds: 60_000 }, ...more };
}

/** A store whose scans return one event at a time and call `between` before each; an error from it interrupts the rebuild. */
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

async function people(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let count = 0; count < PEOPLE; count += 1) ids.push(await createPerson(world, organisationId));
  await allReadable(world.pool);
  return ids;
}

async function breakOff(afterEvents = 6, more: Partial<RebuildParts> = {}): Promise<void> {
  const eventStore = scanned((events) => {
    if (events === afterEvents) throw new Error('broken off');
  });
  await expect(rebuild(parts({ eventStore, ...more }), peopleProjection)).rejects.toThrow('broken off');
}

async function leftTables(): Promise<readonly string[]> {
  const { rows } = await world.pool.query<{ relname: string }>(
    `select relname from pg_class where relname like 'rebuild_%' and relkind = 'r' order by 1`,
  );
  return rows.map(({ relname }) => relname);
}

describe('a rebuild that broke off while it filled tables', () => {
  it('is gone on with, and gives the same tables as one that was not', async () => {
    await people();
    const before = await contentByPerson(world.pool, [organisationId]);
    await breakOff();
    expect(await contentByPerson(world.pool, [organisationId])).toEqual(before);
    const [left] = await readRebuilds(pool);
    expect(left).toMatchObject({ projection: 'people', phase: 'filling', rows: expect.any(Number), expectedRows: 3 * PEOPLE });
    expect(left!.events).toBeGreaterThan(0);

    const person = await createPerson(world, organisationId);
    await allReadable(world.pool);
    const folded: number[] = [];
    const again = await rebuild(parts({ eventStore: scanned((events) => void folded.push(events)) }), peopleProjection);
    expect(again).toMatchObject({ events: 2 * PEOPLE, resumedEvents: left!.events, differences: 0, rows: 3 * (PEOPLE + 1) });
    // Committed events are not read again, and the catch-up added the person created since.
    expect(folded).toHaveLength(PEOPLE - left!.events / 2);
    const after = await contentByPerson(world.pool, [organisationId]);
    expect(new Map([...after].filter(([row]) => before.has(row)))).toEqual(before);
    expect([...after.keys()].filter((row) => !before.has(row))).toEqual([
      expect.stringContaining(person),
      expect.stringContaining(person),
      expect.stringContaining(person),
    ]);
    expect([await leftTables(), await readRebuilds(pool)]).toEqual([[], []]);
  });

  it('has some tables further than others: no row is missing, none is there twice', async () => {
    await people();
    await breakOff();
    // As if the chunk of one table had been committed and that of the other had not.
    const { rows } = await pool.query<{ person_id: string; organisation_id: string }>(
      'select organisation_id, person_id from rebuild_people order by organisation_id, person_id',
    );
    const last = rows.at(-2)!;
    await pool.query('delete from rebuild_people where person_id <> $1 and person_id >= $2', [last.person_id, last.person_id]);
    await pool.query(`update projection_rebuilds set filled_to = $1, events = events - 2, rows = rows - 1 where table_name = 'people'`, [
      `${last.organisation_id}.${last.person_id}`,
    ]);
    expect(await rebuild(parts(), peopleProjection)).toMatchObject({ events: 2 * PEOPLE, differences: 0, rows: 3 * PEOPLE });
  });

  it('is broken off and gone on with again and again, and comes to its end', async () => {
    await people();
    let resumed = 0;
    for (let turn = 0; turn < 2; turn += 1) {
      await breakOff(5);
      const [left] = await readRebuilds(pool);
      expect(left!.events).toBeGreaterThan(resumed);
      resumed = left!.events;
    }
    expect(await rebuild(parts(), peopleProjection)).toMatchObject({ events: 2 * PEOPLE, resumedEvents: resumed, differences: 0 });
  });

  it.each([
    ['by another program', () => Promise.resolve({ program: 'another' })],
    ['whose shadow somebody dropped', () => pool.query('drop table rebuild_employment_facts').then(() => ({}))],
    [
      'whose shadow somebody made anew',
      () => pool.query('drop table rebuild_people; create table rebuild_people (like people including all)').then(() => ({})),
    ],
    ['before the table got another column', () => pool.query('alter table people add column later text').then(() => ({}))],
  ])('%s is begun anew', async (_name, change) => {
    await people();
    await breakOff();
    const more = await change();
    expect(await rebuild(parts(more), peopleProjection)).toMatchObject({ events: 2 * PEOPLE, resumedEvents: 0, differences: 0 });
  });

  it('is gone on with on a later day, and shows that day', async () => {
    world.clock.standAt('2026-03-01T12:00:00Z');
    const ids = await people();
    for (const id of ids)
      await recordFact(world, organisationId, id, {
        type: 'change',
        startDate: '2026-03-05',
        terms: { job_title: 'Lead' },
        today: '2026-03-01',
      });
    await allReadable(world.pool);
    await breakOff(9);
    world.clock.standAt('2026-03-07T12:00:00Z');
    await runEffectiveDateJob({
      pool: world.pool,
      eventStore: world.eventStore,
      projector: new Projector(PROJECTIONS, world.clock),
      clock: world.clock,
    });
    await allReadable(world.pool);
    const again = await rebuild(parts(), peopleProjection);
    expect(again.resumedEvents).toBeGreaterThan(0);
    expect(again.differences).toBe(0);
    expect((await pool.query('select distinct job_title from people')).rows).toEqual([{ job_title: 'Lead' }]);
  });

  it('is gone on with where indexes were made already', async () => {
    await people();
    const eventStore = Object.create(new PostgresEventStore(pool)) as EventStore;
    let pages = 0;
    eventStore.readAll = (after, limit) => {
      // The first page is the first event of the log; the next one comes when the tables are complete.
      if ((pages += 1) === 2) throw new Error('broken off');
      return new PostgresEventStore(pool).readAll(after, limit);
    };
    await expect(rebuild(parts({ eventStore }), peopleProjection)).rejects.toThrow('broken off');
    expect(await readRebuilds(pool)).toMatchObject([{ phase: 'completing', events: 2 * PEOPLE }]);
    expect(await rebuild(parts(), peopleProjection)).toMatchObject({
      events: 2 * PEOPLE,
      resumedEvents: 2 * PEOPLE,
      differences: 0,
      rows: 3 * PEOPLE,
    });
  });

  it('can be abandoned', async () => {
    await people();
    await breakOff();
    expect(await leftTables()).toHaveLength(3);
    await abandonRebuild(pool, peopleProjection);
    expect([await leftTables(), await readRebuilds(pool)]).toEqual([[], []]);
  });

  it('is kept for a day', async () => {
    await people();
    await breakOff();
    await abandonOldRebuilds(pool, PROJECTIONS, new Date(Date.now() + 23 * 3_600_000));
    expect(await leftTables()).toHaveLength(3);
    await abandonOldRebuilds(pool, PROJECTIONS, new Date(Date.now() + 25 * 3_600_000));
    expect([await leftTables(), await readRebuilds(pool)]).toEqual([[], []]);
  });

  it('is thrown away at once where somebody in it was erased', async () => {
    await people();
    await breakOff();
    await abandonLeftRebuilds(pool, PROJECTIONS);
    expect([await leftTables(), await readRebuilds(pool)]).toEqual([[], []]);
  });
});

describe('a rebuild', () => {
  it('whose work another process has taken over writes nothing more', async () => {
    await people();
    const eventStore = scanned(async (events) => {
      if (events === 5) await world.pool.query('update projection_rebuilds set run = gen_random_uuid()');
    });
    await expect(rebuild(parts({ eventStore }), peopleProjection)).rejects.toBeInstanceOf(RebuildTakenOverError);
    expect(await rebuild(parts(), peopleProjection)).toMatchObject({ events: 2 * PEOPLE, differences: 0, rows: 3 * PEOPLE });
  });

  it('keeps nothing of what the tables refuse', async () => {
    await people();
    await pool.query(`update people set last_name = 'Other'`);
    await pool.query(`alter table people add constraint refusing check (last_name = 'Other')`);
    await expect(rebuild(parts(), peopleProjection)).rejects.toThrow('refusing');
    expect([await leftTables(), await readRebuilds(pool)]).toEqual([[], []]);
  });

  it('lets the log be read while it fills tables', async () => {
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

  it('says how fast it is and how long it takes', async () => {
    await people();
    const told: { events: number; rows: number; secondsLeft: number | null }[] = [];
    await rebuild(parts({ onProgress: (progress) => void told.push(progress) }), peopleProjection);
    expect(told.at(-1)).toMatchObject({
      projection: 'people',
      events: 2 * PEOPLE,
      rows: 3 * PEOPLE,
      expectedRows: 3 * PEOPLE,
      secondsLeft: 0,
    });
    expect(told[0]!.secondsLeft).toBeGreaterThan(0);
    expect(told.map(({ events }) => events)).toEqual(told.map((_, index) => 2 * (index + 1)));
  });
});

describe('a verification', () => {
  it('finds nothing where all is right, also while somebody writes', async () => {
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

  it('names the rows that differ, and leaves them as they are', async () => {
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
    expect((await pool.query(`select person_id from people where job_title = 'Impostor'`)).rows).toEqual([{ person_id: first }]);
    expect(await leftTables()).toEqual([]);
  });
});
