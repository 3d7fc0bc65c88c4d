import { eventually, readAllAfter } from '../../test/contract/event-store.support.js';
import { contentByPerson } from '../../test/support/people/tables.js';
import { allReadable } from '../../test/support/postgres.js';
import {
  contextOf,
  createPerson,
  createWorld,
  newOrganisation,
  recordFact,
  newPerson,
  type World,
} from '../../test/support/people/world.js';
import { PROJECTIONS } from '#composition/registry.js';
import { findPerson } from '#people/record/read-people.js';
import { PeopleWriter } from '#people/record/people-writer.js';
import { CatchUp, measureLag } from './catch-up.js';
import { Projector } from './projector.js';

let world: World;
let organisationId: string;
let running: { stop(): Promise<void> }[];
let errors: unknown[];

beforeEach(async () => {
  world = await createWorld();
  organisationId = await newOrganisation(world);
  running = [];
  errors = [];
});
afterEach(async () => {
  await Promise.all(running.map((runner) => runner.stop()));
  await world.database.drop();
});

function start(): { stop(): Promise<void> } {
  const end = new AbortController();
  const { pool, eventStore, projector } = world;
  const ended = new CatchUp({ pool, eventStore, projector, onError: (error) => errors.push(error) }).run(end.signal);
  const runner = {
    stop: (): Promise<void> => {
      end.abort();
      return ended;
    },
  };
  running.push(runner);
  return runner;
}

/** Waits until every projection has handled everything recorded so far. */
async function caughtUp(): Promise<void> {
  await allReadable(world.pool);
  const [last] = (await readAllAfter(world.eventStore, null)).slice(-1);
  await eventually(async () => {
    const lags = await measureLag({ ...world, projections: PROJECTIONS }, new Date());
    return lags.every(({ position }) => position !== null && position >= last!.position);
  });
}

/**
 * Records a person and projects nothing, like a process that is killed before it commits while events are in
 * a database of their own.
 */
function createUnprojected(email: string): Promise<string> {
  const { pool, eventStore, mint, clock } = world;
  const writer = new PeopleWriter({ pool, eventStore, projector: new Projector([], clock), mint });
  return writer.create(contextOf(organisationId, { today: '2026-03-01' }), newPerson({ email }), new Map());
}

async function truncateReadTables(): Promise<void> {
  await world.pool.query('truncate people, employment_facts, employment_beliefs, organisations, sync_marks');
}

describe('catching up', () => {
  it('from the beginning creates every row', async () => {
    const people = await Promise.all(Array.from({ length: 30 }, () => createPerson(world, organisationId)));
    await recordFact(world, organisationId, people[0]!, { type: 'end', endDate: '2026-06-30' });
    const before = await contentByPerson(world.pool, [organisationId]);
    await truncateReadTables();
    start();
    await caughtUp();
    expect(await contentByPerson(world.pool, [organisationId])).toEqual(before);
    expect(errors).toEqual([]);
  });

  it('projects the events of a crash between append and projection, and confirms the e-mail address of the person', async () => {
    const personId = await createUnprojected('crashed@example.com');
    expect(await findPerson(world.pool, organisationId, personId)).toBeNull();
    start();
    await eventually(() => findPerson(world.pool, organisationId, personId));
    const { rows } = await world.pool.query(
      'select person_id, is_confirmed from work_email_reservations where organisation_id = $1',
      [organisationId],
    );
    expect(rows).toEqual([{ person_id: personId, is_confirmed: true }]);
  });

  it('reserves an e-mail address again if its reservation is missing', async () => {
    const personId = await createUnprojected('lost@example.com');
    await world.pool.query('delete from work_email_reservations');
    start();
    await eventually(() => findPerson(world.pool, organisationId, personId));
    const { rows } = await world.pool.query('select email_key, person_id, is_confirmed from work_email_reservations');
    expect(rows).toEqual([{ email_key: 'lost@example.com', person_id: personId, is_confirmed: true }]);
  });

  it('continues after downtime from its checkpoint', async () => {
    await createPerson(world, organisationId);
    const first = start();
    await caughtUp();
    await first.stop();
    const { rows } = await world.pool.query<{ position: string }>(
      `select position from projection_checkpoints where name = 'people'`,
    );
    const personId = await createUnprojected('down@example.com');
    await allReadable(world.pool);
    expect(
      (await measureLag({ ...world, projections: PROJECTIONS }, new Date(Date.now() + 60_000))).find(
        ({ name }) => name === 'people',
      )!.seconds,
    ).toBeGreaterThan(59);
    start();
    await caughtUp();
    expect(await findPerson(world.pool, organisationId, personId)).not.toBeNull();
    const { rows: later } = await world.pool.query<{ position: string }>(
      `select position from projection_checkpoints where name = 'people'`,
    );
    expect(later[0]!.position > rows[0]!.position).toBe(true);
    expect(
      (await measureLag({ ...world, projections: PROJECTIONS }, new Date(Date.now() + 60_000))).every(
        ({ seconds }) => seconds === 0,
      ),
    ).toBe(true);
  });

  it('runs in one of two runners at a time, and the other takes over when that one ends', async () => {
    const [first] = [start(), start()];
    await createUnprojected('one@example.com');
    await caughtUp();
    const holders = async (): Promise<number> =>
      Number(
        (
          await world.pool.query<{ count: number }>(
            `select count(*) as count from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
          )
        ).rows[0]!.count,
      );
    expect(await holders()).toBe(1);
    await first!.stop();
    const personId = await createUnprojected('two@example.com');
    await eventually(() => findPerson(world.pool, organisationId, personId));
    expect(errors).toEqual([]);
  });

  it('continues after its connections are killed', async () => {
    start();
    await createUnprojected('before@example.com');
    await caughtUp();
    for (let turn = 0; turn < 3; turn += 1) {
      await world.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
      // The pool may hand out a connection that was just killed.
      const personId = await eventually(() => createUnprojected(`killed${turn}@example.com`).catch(() => null));
      await eventually(() => findPerson(world.pool, organisationId, personId).catch(() => null));
    }
  });

  it('ends when the signal aborts, also while it waits for a connection', async () => {
    const connections = await Promise.all(Array.from({ length: 10 }, () => world.pool.connect()));
    const runner = start();
    const stopped = runner.stop();
    for (const connection of connections) connection.release();
    await stopped;
  });
});
