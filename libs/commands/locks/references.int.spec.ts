import { importLines } from '../../../test/e2e/import-support.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { testEventStore } from '../../../test/support/event-store.js';
import { contextOf, createWorld, newOrganisation, somebody, type World, worldOver } from '../../../test/support/people/world.js';
import { DatabaseUnavailableError } from '#database/errors.js';
import { createPool } from '#database/pool.js';
import { type EventStore, StoreUnavailableError } from '#event-store/event-store.js';
import { RejectedError } from '#kernel/rejection.js';
import { Projector } from '#projections/projector.js';
import { commandOrgUnit, createOrgUnit } from '#resources/organisation/org-unit/org-unit.commands.js';
import { findOrgUnit } from '#resources/organisation/org-unit/org-unit.table.js';
import { PROJECTIONS } from '#resources/registry.js';
import type { CommandServices } from '../execute.js';
import { employmentAggregate } from '#resources/people/employment/employment.decider.js';

const TODAY = '2026-06-01';

let world: World;
let organisationId: string;
let unit: string;

beforeEach(async () => {
  world = await createWorld();
  organisationId = await newOrganisation(world);
  unit = (await createOrgUnit(servicesOf(world), context(), { name: 'Sales', code: null, parent_id: null, head_id: null })).id;
});
afterEach(() => world.database.drop());

const context = (seed?: string) => contextOf(organisationId, { today: TODAY, ...(seed === undefined ? {} : { seed }) });

function servicesOf({ eventStore: store, pool: executor, projector, mint }: World): CommandServices {
  return { store, executor, projector, mint };
}

const archive = (services = servicesOf(world)) => commandOrgUnit(services, context(), unit, { type: 'archive' });

/** Hires a person into the unit, as the API does it. */
function hire(
  through: World,
  email: string,
  { seed, startDate = '2026-01-01' }: { seed?: string; startDate?: string | null } = {},
): Promise<string> {
  const terms = { department_id: unit };
  return through.writer.referring(context(seed), terms, (references, held) =>
    through.writer.create(held, somebody({ email, startDate, terms }), references),
  );
}

/** A process that dies right before it projects such a projection. */
function dyingBefore(projection: string): World {
  const projector = new Projector(PROJECTIONS, world.clock);
  const broken = Object.create(projector) as Projector;
  broken.project = (_, streams) => {
    if (
      PROJECTIONS.find(({ name }) => name === projection)!.streams.some(({ category }) =>
        streams.some((stream) => stream[0]!.stream.startsWith(`${category}-org_`)),
      )
    ) {
      return Promise.reject(new Error('killed for the test'));
    }
    return projector.project(world.pool, streams);
  };
  const dying = worldOver(world.database, { eventStore: world.eventStore, pool: world.pool });
  return {
    ...dying,
    projector: broken,
    writer: new (world.writer.constructor as new (parts: object) => World['writer'])({
      pool: world.pool,
      eventStore: world.eventStore,
      projector: broken,
      mint: world.mint,
    }),
  };
}

async function isArchived(): Promise<boolean> {
  return (await findOrgUnit(world.pool, organisationId, unit))!.archived_at !== null;
}

async function peopleInUnit(): Promise<readonly string[]> {
  const { rows } = await world.pool.query<{ work_email: string }>(
    'select work_email from people where department_id = $1 and identity_revision is not null',
    [unit],
  );
  return rows.map(({ work_email: email }) => email);
}

const IN_USE = { rejection: { details: [{ field: 'people', issue: 'active people in this org unit: 1' }] } };
const ARCHIVED = { rejection: { details: [{ field: 'department_id', issue: 'this org unit is archived' }] } };

describe('a retirement', () => {
  it('sees who refers to the thing although the process died before it could be read, without a worker', async () => {
    await expect(hire(dyingBefore('people'), 'ada@example.com')).rejects.toThrow('killed for the test');
    expect(await peopleInUnit()).toEqual([]);
    await expect(archive()).rejects.toMatchObject(IN_USE);
    expect(await isArchived()).toBe(false);
    expect(await peopleInUnit()).toEqual(['ada@example.com']);
  });

  it('sees it, too, while an older transaction keeps it from readers of the log', async () => {
    const older = await world.pool.connect();
    await older.query('begin; select pg_current_xact_id()');
    try {
      await expect(hire(dyingBefore('people'), 'ada@example.com')).rejects.toThrow('killed for the test');
      await expect(archive()).rejects.toMatchObject(IN_USE);
    } finally {
      await older.query('rollback');
      older.release();
    }
  });

  it('counts active people who are in the unit from a later day on, and nobody whose end is recorded', async () => {
    await hire(world, 'later@example.com', { startDate: '2026-07-01' });
    await expect(archive()).rejects.toMatchObject(IN_USE);
    await hire(world, 'undated@example.com', { startDate: null });
    const leaver = await hire(world, 'leaver@example.com');
    const end = (personId: string, endDate: string) =>
      world.writer.recordFact(context(), personId, { type: 'end', endDate }, new Map(), null);
    await end(leaver, TODAY);
    await expect(archive()).rejects.toMatchObject({
      rejection: { details: [{ field: 'people', issue: 'active people in this org unit: 2' }] },
    });
    const { rows } = await world.pool.query<{ person_id: string; work_email: string }>(
      `select person_id, work_email from people where work_email in ('later@example.com', 'undated@example.com')`,
    );
    for (const { person_id: id, work_email: email } of rows) {
      if (email === 'undated@example.com') await end(id, '2026-05-31');
      else
        await world.writer.recordFact(
          context(),
          id,
          { type: 'change', startDate: '2026-07-01', terms: { department_id: null }, today: TODAY },
          new Map(),
          null,
        );
    }
    await archive();
    expect(await isArchived()).toBe(true);
  });

  it('waits for those who refer to the thing, and takes nothing from them that they need to end, in the smallest process', async () => {
    const [person, manager] = [
      await world.writer.create(context(), somebody(), new Map()),
      await world.writer.create(context(), somebody(), new Map()),
    ];
    const pool = createPool(world.database.url, { applicationName: 'small', maximum: 3 });
    const small = worldOver(world.database, { eventStore: testEventStore(pool), pool });
    const terms = { department_id: unit, manager_id: manager };
    let archived: Promise<unknown> = Promise.resolve();
    await small.writer.referring(context(), terms, async (references, held) => {
      archived = archive(servicesOf(small)).catch((error: unknown) => error);
      await eventually(
        async () =>
          (
            await world.pool.query(
              `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
            )
          ).rowCount! > 0,
      );
      // Takes the advisory lock, as every command that assigns a manager does.
      await small.writer.recordFact(held, person, { type: 'change', startDate: TODAY, terms, today: TODAY }, references, null);
    });
    expect(await archived).toMatchObject(IN_USE);
    await pool.end();
  });

  it('that died before it could be read is finished by the next one who refers to the thing', async () => {
    await expect(archive(servicesOf(dyingBefore('org_units')))).rejects.toThrow('killed for the test');
    expect(await isArchived()).toBe(false);
    await expect(hire(world, 'ada@example.com')).rejects.toMatchObject(ARCHIVED);
    expect(await isArchived()).toBe(true);
    const { rows } = await world.pool.query('select from retirements_under_way');
    expect(rows).toEqual([]);
  });

  it('that died is finished by the next retirement, too', async () => {
    await expect(archive(servicesOf(dyingBefore('org_units')))).rejects.toThrow('killed for the test');
    await expect(archive()).rejects.toMatchObject({ rejection: { details: [{ field: 'archived_at' }] } });
    expect(await isArchived()).toBe(true);
  });

  it('leaves nothing to be finished where it is refused', async () => {
    await hire(world, 'ada@example.com');
    await expect(archive()).rejects.toThrow(RejectedError);
    const { rows } = await world.pool.query('select from retirements_under_way');
    expect(rows).toEqual([]);
  });
});

describe('a creation that broke off between employment and identity', () => {
  it('is refused when it comes again, where the unit was archived meanwhile', async () => {
    const eventStore = Object.create(world.eventStore) as EventStore;
    eventStore.append = (stream, ...rest) =>
      stream.startsWith('person-')
        ? Promise.reject(new StoreUnavailableError('killed for the test'))
        : world.eventStore.append(stream, ...rest);
    const broken = worldOver(world.database, { eventStore, pool: world.pool });
    await expect(hire(broken, 'ada@example.com', { seed: 'hire-ada' })).rejects.toThrow('killed for the test');
    await archive();
    await expect(hire(world, 'ada@example.com', { seed: 'hire-ada' })).rejects.toMatchObject(ARCHIVED);
    expect(await peopleInUnit()).toEqual([]);
    // The work e-mail is free again.
    await world.writer.create(context(), somebody({ email: 'ada@example.com' }), new Map());
  });

  it('is refused, too, where a file of people brings it again', async () => {
    const eventStore = Object.create(world.eventStore) as EventStore;
    eventStore.append = (stream, ...rest) =>
      stream.startsWith('person-')
        ? Promise.reject(new StoreUnavailableError('killed for the test'))
        : world.eventStore.append(stream, ...rest);
    const lines = ['work_email,start_date,department', `ada@example.com,2026-01-01,${unit}`];
    const broken = worldOver(world.database, { eventStore, pool: world.pool });
    await expect(importLines(broken, organisationId, 'people', lines)).rejects.toThrow('killed for the test');
    await archive();
    expect(await importLines(world, organisationId, 'people', lines)).toMatchObject({
      created: 0,
      failed: 1,
      problems: [{ line: 2, field: 'department', issue: 'this org unit is archived' }],
    });
    expect(await peopleInUnit()).toEqual([]);
  });
});

describe('a write whose lock is lost', () => {
  it('records nothing', async () => {
    const eventStore = Object.create(world.eventStore) as EventStore;
    // The command has checked that the unit is live and is about to decide.
    eventStore.readStream = async (...call) => {
      const events = await world.eventStore.readStream(...call);
      const { rows } = await world.pool.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and application_name like '% references'`,
      );
      await world.pool.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [rows.map(({ pid }) => pid)]);
      await eventually(
        async () =>
          (
            await world.pool.query(
              `select from pg_stat_activity where datname = current_database() and application_name like '% references'`,
            )
          ).rowCount === 0,
      );
      // What the server sent to that connection has arrived; this process reads it before the next turn of its event loop.
      await new Promise(setImmediate);
      return events;
    };
    const through = worldOver(world.database, { eventStore, pool: world.pool });
    await expect(hire(through, 'ada@example.com', { seed: 'hire-ada' })).rejects.toThrow(DatabaseUnavailableError);
    expect(
      await world.eventStore.readStream(employmentAggregate.streamOf(organisationId, world.writer.newPersonId(context('hire-ada')))),
    ).toEqual([]);
    await hire(world, 'ada@example.com', { seed: 'hire-ada' });
    expect(await peopleInUnit()).toEqual(['ada@example.com']);
  });
});

describe('a write that refers to nothing', () => {
  it('asks for no lock, and opens no session', async () => {
    const person = await world.writer.referring(context(), { job_title: 'Engineer' }, (references, held) =>
      world.writer.create(held, somebody({ terms: { job_title: 'Engineer' } }), references),
    );
    await world.writer.referring(context(), { job_title: 'Lead' }, (references, held) =>
      world.writer.recordFact(
        held,
        person,
        { type: 'change', startDate: TODAY, terms: { job_title: 'Lead' }, today: TODAY },
        references,
        null,
      ),
    );
    const { rowCount } = await world.pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name like '% references'`,
    );
    expect(rowCount).toBe(0);
  });
});
