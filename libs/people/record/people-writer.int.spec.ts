import type { Pool, PoolClient } from 'pg';
import { type EventStore, StoreUnavailableError, WrongExpectedRevisionError } from '#event-store/event-store.js';
import { RejectedError } from '#kernel/rejection.js';
import {
  contextOf,
  createPerson,
  newOrganisation,
  newPerson,
  recordFact,
  type World,
  worldForSpec,
  worldOver,
} from '../../../test/support/people/world.js';
import { listFacts } from '../timeline/read-facts.js';
import { findPerson, findPersonWithKey } from './read-people.js';
import { personAggregate } from '../person/person.js';
import { employmentAggregate } from '../employment/employment.js';

const TODAY = '2026-03-01';

const world = worldForSpec();
let organisationId: string;

beforeEach(async () => {
  organisationId = await newOrganisation(world);
});

/**
 * Counts every call of a writer to the store and the pool; call number `at` fails before or after it is done.
 */
function failing(at: number, when: 'before' | 'after'): { readonly world: World; readonly calls: () => number } {
  let calls = 0;
  const fail = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    calls += 1;
    const isIt = calls === at;
    if (isIt && when === 'before') throw new StoreUnavailableError('failed for the test');
    const result = await call();
    if (isIt) throw new StoreUnavailableError('failed for the test');
    return result;
  };
  const eventStore = Object.create(world.eventStore) as EventStore;
  eventStore.append = (...parameters) => fail(() => world.eventStore.append(...parameters));
  eventStore.readStream = (...parameters) => fail(() => world.eventStore.readStream(...parameters));
  const pool = failingQueries(world.pool, fail);
  pool.connect = (async () => failingQueries(await world.pool.connect(), fail)) as unknown as Pool['connect'];
  return { world: worldOver(world.database, { eventStore, pool }), calls: () => calls };
}

/** The executor, with every query passed through `fail`. */
function failingQueries<Executor extends Pool | PoolClient>(
  executor: Executor,
  fail: (call: () => Promise<unknown>) => Promise<unknown>,
): Executor {
  const query = executor.query.bind(executor) as (...parameters: unknown[]) => Promise<unknown>;
  return Object.assign(Object.create(executor) as Executor, {
    query: (...parameters: unknown[]) => fail(() => query(...parameters)),
  });
}

async function peopleWith(email: string): Promise<readonly string[]> {
  const { rows } = await world.pool.query<{ person_id: string }>(
    'select person_id from people where organisation_id = $1 and lower(work_email) = lower($2) and identity_revision is not null',
    [organisationId, email],
  );
  return rows.map((row) => row.person_id);
}

describe('creating a person', () => {
  describe.each(['before', 'after'] as const)('with a crash %s', (when) => {
    it('any one of its steps, and the same request again, makes exactly one person with their employment', async () => {
      let steps = 0;
      for (let at = 1; ; at += 1) {
        const person = newPerson({ terms: { job_title: 'Engineer' } });
        const context = contextOf(organisationId, { today: TODAY });
        const broken = failing(at, when);
        const crashed = await broken.world.writer.create(context, person, new Map()).then(
          () => false,
          () => true,
        );
        if (!crashed) {
          steps = broken.calls();
          break;
        }
        const personId = await world.writer.create(context, person, new Map());
        expect(personId).toBe(world.writer.newPersonId(context));
        expect(await peopleWith(person.identity.work_email)).toEqual([personId]);
        expect(await world.eventStore.readStream(employmentAggregate.streamOf(organisationId, personId))).toHaveLength(
          1,
        );
        expect(await world.eventStore.readStream(personAggregate.streamOf(organisationId, personId))).toHaveLength(1);
        expect(await findPerson(world.pool, organisationId, personId)).toMatchObject({
          job_title: 'Engineer',
          display_name: 'Ada Lovelace',
        });
      }
      expect(steps).toBeGreaterThan(5);
    });
  });

  it('with an archived reference is refused, and leaves the address free', async () => {
    const references = new Map([['department_id:org_unit_x', { name: 'Old', isArchived: true, absences: [] }]]);
    const person = newPerson({ terms: { department_id: 'org_unit_x' } });
    const refused = world.writer.create(contextOf(organisationId, { today: TODAY }), person, references);
    await expect(refused).rejects.toThrow(RejectedError);
    await createPerson(world, organisationId, { email: person.identity.work_email });
  });
});

describe('changing an identity', () => {
  async function change(personId: string, email: string, expected: number | null = null): Promise<unknown> {
    const { key } = (await findPersonWithKey(world.pool, organisationId, personId))!;
    return world.writer.changeIdentity(
      contextOf(organisationId, { today: TODAY }),
      personId,
      key!,
      { work_email: email },
      (_state, revision) => {
        if (expected !== null && revision !== expected)
          throw new RejectedError({ kind: 'precondition_failed', message: 'too late', details: [] });
      },
    );
  }

  it('moves the address: the old one is free, the new one taken', async () => {
    const personId = await createPerson(world, organisationId, { email: 'old@example.com' });
    await change(personId, 'new@example.com');
    await createPerson(world, organisationId, { email: 'old@example.com' });
    await expect(createPerson(world, organisationId, { email: 'New@example.com' })).rejects.toThrow(RejectedError);
  });

  it('of the case of the address alone is recorded and keeps it taken', async () => {
    const personId = await createPerson(world, organisationId, { email: 'case@example.com' });
    await change(personId, 'Case@Example.com');
    expect(await findPerson(world.pool, organisationId, personId)).toMatchObject({ work_email: 'Case@Example.com' });
    await expect(createPerson(world, organisationId, { email: 'case@example.com' })).rejects.toThrow(RejectedError);
  });

  it('that loses a race does not reserve the address', async () => {
    const personId = await createPerson(world, organisationId);
    const eventStore = Object.create(world.eventStore) as EventStore;
    eventStore.readStream = async (...parameters) => {
      const read = await world.eventStore.readStream(...parameters);
      await change(personId, 'another@example.com');
      return read;
    };
    const { key } = (await findPersonWithKey(world.pool, organisationId, personId))!;
    const slow = worldOver(world.database, { eventStore, pool: world.pool });
    const context = contextOf(organisationId, { today: TODAY });
    const late = slow.writer.changeIdentity(
      context,
      personId,
      key!,
      { work_email: 'late@example.com' },
      () => undefined,
    );
    await expect(late).rejects.toThrow(WrongExpectedRevisionError);
    await createPerson(world, organisationId, { email: 'late@example.com' });
  });
});

describe('managers', () => {
  const manage = (personId: string, managerId: string | null, startDate = '2026-01-01') =>
    recordFact(
      world,
      organisationId,
      personId,
      { type: 'change', startDate, terms: { manager_id: managerId }, today: TODAY },
      TODAY,
    );

  it('may be swapped on a date, and not a day too early', async () => {
    const [one, two] = await Promise.all([createPerson(world, organisationId), createPerson(world, organisationId)]);
    await manage(one, two);
    await expect(manage(two, one, '2026-06-01')).rejects.toThrow(RejectedError);
    await manage(one, null, '2026-06-01');
    await expect(manage(two, one, '2026-05-31')).rejects.toThrow(RejectedError);
    await manage(two, one, '2026-06-01');
  });

  it('make no cycle through a rehire, a moved end or a long chain', async () => {
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => createPerson(world, organisationId)));
    await manage(one!, two!);
    await manage(two!, three!);
    await expect(manage(three!, one!)).rejects.toThrow(RejectedError);
    await recordFact(world, organisationId, one!, { type: 'end', endDate: '2026-03-31' }, TODAY);
    await manage(three!, one!, '2026-04-01');
    const rehire = { type: 'reactivate', startDate: '2026-05-01', terms: { manager_id: two! } } as const;
    await expect(recordFact(world, organisationId, one!, rehire, TODAY)).rejects.toThrow(RejectedError);
    const [end] = await listFacts(world.pool, { organisationId, personId: one! }, { before: null, count: 1 });
    const later = {
      type: 'correct',
      startDate: '2026-04-01',
      terms: {},
      correctionReason: 'A day later.',
      corrects: end!.fact_id,
    } as const;
    await expect(recordFact(world, organisationId, one!, later, TODAY)).rejects.toThrow(RejectedError);
  });

  it('are refused as a cycle also if a chain visits a person once per day', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => createPerson(world, organisationId)));
    for (const [place, personId] of people.slice(1).entries()) await manage(personId, people[place]!);
    await expect(manage(people[0]!, people.at(-1)!)).rejects.toThrow(RejectedError);
    await manage(people[0]!, null);
  });
});
