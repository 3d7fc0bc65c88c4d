import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { eventually } from '../../../test/contract/event-store.support.js';
import { contentByPerson } from '../../../test/support/people/tables.js';
import { allReadable } from '../../../test/support/postgres.js';
import {
  createPerson,
  createWorld,
  newOrganisation,
  recordFact,
  type World,
} from '../../../test/support/people/world.js';
import { createPool } from '#database/pool.js';
import { addDays } from '#kernel/dates.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { findPerson } from '#people/record/read-people.js';
import { peopleProjection } from '#people/record/people.js';
import { organisationProjection } from '#organisation/organisation/organisation.js';
import { PROJECTIONS } from '#composition/registry.js';
import { rebuild, type RebuildParts } from './rebuild.js';
import { RebuildInProgressError } from './rebuild-lock.js';
import { completeShadows, createShadows, swapShadows } from './shadow-tables.js';
import { hashTable } from '../table-hash.js';

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

async function marks(): Promise<ReadonlyMap<string, number>> {
  const { rows } = await world.pool.query<{ person_id: string; sync_mark: Date }>(
    'select person_id, sync_mark from people',
  );
  return new Map(rows.map((row) => [row.person_id, row.sync_mark.getTime()]));
}

describe('a rebuild beside writers', () => {
  const WRITERS = 16;

  it('loses no row, fails no read, decreases no mark, and creates tables that another rebuild finds correct', async () => {
    const people = await Promise.all(Array.from({ length: 60 }, () => createPerson(world, organisationId)));
    const writing = new AbortController();
    const problems: string[] = [];
    const highest = new Map<string, number>();
    const versions = new Map<string, number>();
    const write = async (writer: number): Promise<void> => {
      for (let turn = 0; !writing.signal.aborted; turn += 1) {
        const personId =
          turn % 3 === 0 ? await createPerson(world, organisationId) : people[(writer * 7 + turn) % people.length]!;
        await recordFact(world, organisationId, personId, {
          type: 'change',
          startDate: '2026-01-02',
          terms: { job_title: `${writer}-${turn}` },
          today: '2026-01-02',
        });
        // Every acknowledged write is visible to every later read.
        const row = await findPerson(world.pool, organisationId, personId);
        if (row === null) problems.push(`${personId} is lost`);
        else {
          if (row.employment_revision < (versions.get(personId) ?? 0))
            problems.push(`${personId} went back to ${row.employment_revision}`);
          versions.set(personId, Math.max(versions.get(personId) ?? 0, row.employment_revision));
        }
      }
    };
    const watch = async (): Promise<void> => {
      while (!writing.signal.aborted) {
        for (const [personId, mark] of await marks()) {
          if (mark < (highest.get(personId) ?? 0)) problems.push(`the mark of ${personId} went back`);
          highest.set(personId, mark);
        }
      }
    };
    const failed = (error: unknown): void => void problems.push(String(error));
    const work = [
      ...Array.from({ length: WRITERS }, (_, writer) => write(writer).catch(failed)),
      watch().catch(failed),
    ];
    for (let turn = 0; turn < 3; turn += 1) await rebuild(parts(), peopleProjection);
    writing.abort();
    await Promise.all(work);

    expect(problems).toEqual([]);
    const live = await contentByPerson(world.pool, [organisationId]);
    await allReadable(world.pool);
    expect(await rebuild(parts(), peopleProjection)).toMatchObject({ differences: 0 });
    expect(await contentByPerson(world.pool, [organisationId])).toEqual(live);
  });

  it('keeps and counts a row whose event readers of the log do not see yet, because an older transaction is in progress', async () => {
    const blocker = await world.pool.connect();
    await blocker.query('begin');
    await blocker.query('select pg_current_xact_id()');
    const personId = await createPerson(world, organisationId);
    const { rows, hash } = await rebuild(parts(), peopleProjection);
    const row = await findPerson(world.pool, organisationId, personId);
    await blocker.query('commit');
    blocker.release();
    expect(row?.person_id).toBe(personId);
    await allReadable(world.pool);
    expect(await rebuild(parts(), peopleProjection)).toMatchObject({ rows, hash, differences: 0 });
  });
});

describe('a rebuild', () => {
  it('fills the columns that a trigger sets, and keeps the trigger on the new table', async () => {
    const searchColumns = async (): Promise<readonly object[]> =>
      (await world.pool.query<object>('select person_id, name_key, search_text from people order by 1')).rows;
    const [first] = await Promise.all([1, 2].map(() => createPerson(world, organisationId)));
    await allReadable(world.pool);
    const before = await searchColumns();
    expect(before).toMatchObject([
      { name_key: 'ada lovelace' },
      { search_text: expect.stringContaining(' ada lovelace ') as string },
    ]);
    await rebuild(parts(), peopleProjection);
    expect(await searchColumns()).toEqual(before);
    await world.pool.query(`update people set display_name = 'Zoë Ådams' where person_id = $1`, [first]);
    expect(await searchColumns()).toContainEqual(expect.objectContaining({ person_id: first, name_key: 'zoe adams' }));
  });

  it('corrects rows that were changed by hand, and counts them', async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => createPerson(world, organisationId)));
    await recordFact(world, organisationId, first!, { type: 'end', endDate: '2026-06-30' });
    await allReadable(world.pool);
    const before = await contentByPerson(world.pool, [organisationId]);
    await world.pool.query(`update people set job_title = 'Impostor' where person_id = $1`, [first]);
    await world.pool.query('delete from employment_beliefs where person_id = $1', [second]);
    await world.pool.query(
      `insert into employment_facts select organisation_id, person_id, 9, 'ef_9', action, effective_from, terms, null, null, null, actor_type, actor_id, recorded_at from employment_facts where person_id = $1`,
      [third],
    );

    expect(await rebuild(parts(), peopleProjection)).toMatchObject({ name: 'people', differences: 3 });
    expect(await contentByPerson(world.pool, [organisationId])).toEqual(before);
    expect(await rebuild(parts(), peopleProjection)).toMatchObject({ differences: 0 });
  });

  it('of every projection has the same hash as before, and the tables keep their indexes, constraints and triggers', async () => {
    await Promise.all([1, 2, 3].map(() => createPerson(world, organisationId)));
    await allReadable(world.pool);
    const shape = async (): Promise<unknown> =>
      (
        await world.pool
          .query(`select 'index' as kind, indexdef as definition from pg_indexes where schemaname = 'public'
          union all select 'constraint', conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
          union all select 'trigger', pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1, 2`)
      ).rows;
    const before = await shape();
    for (const projection of PROJECTIONS) {
      const once = await rebuild(parts(), projection);
      const again = await rebuild(parts(), projection);
      expect({ ...again, seconds: 0 }).toEqual({ ...once, seconds: 0, differences: 0 });
    }
    expect(await shape()).toEqual(before);
  });

  it('counts each event and row once', async () => {
    const personId = await createPerson(world, organisationId);
    await recordFact(world, organisationId, personId, { type: 'end', endDate: '2026-06-30' });
    await allReadable(world.pool);
    // A person, two facts and three beliefs: the first of them, closed, what replaced it, and the gap.
    expect(await rebuild(parts(), peopleProjection)).toMatchObject({ events: 3, rows: 6 });
    expect(await rebuild(parts(), organisationProjection)).toMatchObject({ events: 2, rows: 1 });
  });

  it('is refused while another one of the same projection is in progress', async () => {
    await createPerson(world, organisationId);
    await allReadable(world.pool);
    let refused: unknown;
    let second: Promise<void> | null = null;
    const onProgress = (): void => {
      second ??= rebuild(parts(), peopleProjection).then(
        () => undefined,
        (error: unknown) => void (refused = error),
      );
    };
    const lock = await pool.connect();
    await lock.query('begin');
    await lock.query('lock table people in access share mode');
    const first = rebuild(parts({ onProgress }), peopleProjection);
    while (second === null) await wait(5);
    await second;
    await lock.query('commit');
    lock.release();
    await first;
    expect(refused).toBeInstanceOf(RebuildInProgressError);
  });

  it('does not fail a write that had looked up the row type of the table before the swap', async () => {
    const personId = await createPerson(world, organisationId);
    await allReadable(world.pool);
    // New connections have no prepared statements: their first write looks up the type, and then waits for
    // the lock.
    const writers = createPool(world.database.url, { applicationName: 'writers', maximum: 4 });
    const events = await world.eventStore.readStream(`employment-${organisationId}.${personId}`);
    const swapping = await pool.connect();
    try {
      await createShadows(pool, peopleProjection.tables);
      await completeShadows(pool, peopleProjection.tables);
      await swapping.query('begin');
      await swapping.query(
        `lock table ${peopleProjection.tables.map(({ name }) => name).join(', ')} in share row exclusive mode`,
      );
      const writing = Promise.all(Array.from({ length: 4 }, () => world.projector.project(writers, [events])));
      writing.catch(() => undefined);
      await eventually(async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where datname = current_database() and application_name = 'writers' and wait_event_type = 'Lock'`,
        );
        return rows.length === 4;
      });
      await swapShadows(swapping, peopleProjection.tables);
      await swapping.query('commit');
      await expect(writing).resolves.toBeDefined();
    } finally {
      swapping.release(true);
      await writers.end();
    }
  });

  it('keeps a change whose day has come and which waits for the effective-date job', async () => {
    world.clock.standAt('2026-03-01T12:00:00Z');
    const personId = await createPerson(world, organisationId);
    await recordFact(world, organisationId, personId, {
      type: 'change',
      startDate: '2026-03-05',
      terms: { job_title: 'Lead' },
      today: '2026-03-01',
    });
    await allReadable(world.pool);
    world.clock.standAt('2026-03-07T12:00:00Z');
    await rebuild(parts(), peopleProjection);
    const { rows } = await world.pool.query('select job_title, next_change_on from people');
    expect(rows).toEqual([{ job_title: 'Lead', next_change_on: '2026-03-05' }]);
  });

  it('makes no day due that the live row has shown already, such as the day after a final one', async () => {
    // Events have the time of the database, so the days lie in the future.
    const recordedOn = new Date().toISOString().slice(0, 10);
    const personId = await createPerson(world, organisationId, {}, recordedOn);
    await recordFact(world, organisationId, personId, { type: 'end', endDate: addDays(recordedOn, 10) }, recordedOn);
    await allReadable(world.pool);
    const later = addDays(recordedOn, 60);
    world.clock.standAt(`${later}T12:00:00Z`);
    await world.pool.query('update people set employment_as_of = $1, next_change_on = null', [later]);
    await rebuild(parts(), peopleProjection);
    expect((await world.pool.query('select next_change_on from people')).rows).toEqual([{ next_change_on: null }]);
    await world.pool.query('update people set next_change_on = $1', [addDays(recordedOn, 11)]);
    await rebuild(parts(), peopleProjection);
    expect((await world.pool.query('select next_change_on from people')).rows).toEqual([
      { next_change_on: addDays(recordedOn, 11) },
    ]);
  });
});

describe('a projection of nothing', () => {
  it('is rebuilt to empty tables', async () => {
    const rebuilt = await rebuild(parts(), peopleProjection);
    expect(rebuilt).toMatchObject({ events: 0, rows: 0, differences: 0 });
    expect(await hashTable(world.pool, peopleProjection.tables[0]!)).toMatchObject({ rows: 0 });
  });
});
