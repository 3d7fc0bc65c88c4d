import { openPersonKeys, type StoredPersonKey } from '#database/key-rings/person-key-seal.js';
import type { ProjectionContext, Stream } from '#projections/projection.js';
import { contentByPerson, forgetPeople } from '../../../../test/support/people/tables.js';
import { createPerson, createWorld, newOrganisation, recordFact, todayOf, type World } from '../../../../test/support/people/world.js';
import { employmentAggregate } from '../employment/employment.decider.js';
import { personAggregate } from '../person/person.decider.js';

let world: World;
let organisationId: string;
let people: readonly string[];

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.database.drop());
beforeEach(async () => {
  organisationId = await newOrganisation(world);
  people = [await createPerson(world, organisationId), await createPerson(world, organisationId)];
  await changeTitle(people[1]!, '2026-01-10');
});

function changeTitle(personId: string, startDate: string): Promise<void> {
  const today = todayOf(world);
  return recordFact(world, organisationId, personId, { type: 'change', startDate, terms: { job_title: `from ${startDate}` }, today });
}

/** Both streams of each person, employment first, as an import appends them. */
function streamsOf(ids: readonly string[]): Promise<readonly Stream[]> {
  return world.eventStore.readStreams(
    ids.flatMap((id) => [employmentAggregate.streamOf(organisationId, id), personAggregate.streamOf(organisationId, id)]),
  );
}

async function contextOfNew(): Promise<ProjectionContext> {
  const { rows } = await world.pool.query<StoredPersonKey>(
    'select organisation_id, person_id, key from person_keys where organisation_id = $1',
    [organisationId],
  );
  const keys = new Map((await openPersonKeys(world.pool, rows)).map(({ person_id: id, key }) => [id, key]));
  const today = todayOf(world);
  return { today: () => today, personKey: (_, id) => keys.get(id) ?? null, isNew: () => true };
}

const content = (): Promise<ReadonlyMap<string, string>> => contentByPerson(world.pool, [organisationId]);

/** The statements that project people, by name. */
async function namesOfStatements(work: (pool: World['pool']) => Promise<void>): Promise<readonly string[]> {
  const names: string[] = [];
  const pool = Object.create(world.pool) as World['pool'];
  pool.query = ((statement: { name?: string }, ...rest: []) => {
    if (statement.name !== undefined) names.push(statement.name);
    return world.pool.query(statement as never, ...rest);
  }) as unknown as World['pool']['query'];
  await work(pool);
  return names;
}

describe('streams of new people, projected together', () => {
  it('become the rows that they become one after the other, by one statement', async () => {
    const before = await content();
    await forgetPeople(world.pool, organisationId);
    await world.pool.query('update work_email_reservations set is_confirmed = false where organisation_id = $1', [organisationId]);
    const [streams, context] = [await streamsOf(people), await contextOfNew()];
    expect(await namesOfStatements((pool) => world.projector.project(pool, streams, context))).toEqual(['project-people-of-new']);
    expect(await content()).toEqual(before);
    const { rows } = await world.pool.query<{ is_marked: boolean; is_confirmed: boolean }>(
      `select p.sync_mark >= p.updated_at as is_marked, r.is_confirmed
         from people p left join work_email_reservations r using (organisation_id, person_id) where organisation_id = $1`,
      [organisationId],
    );
    expect(rows).toEqual(people.map(() => ({ is_marked: true, is_confirmed: true })));
  });

  it('leave what somebody else has projected meanwhile, whole or of one stream alone', async () => {
    const [early, context] = [await streamsOf(people), await contextOfNew()];
    await changeTitle(people[0]!, '2026-01-20');
    const late = await content();
    await world.projector.project(world.pool, early, context);
    expect(await content()).toEqual(late);
    await forgetPeople(world.pool, organisationId);
    const [employment] = await streamsOf(people);
    await world.projector.project(world.pool, [employment!], context);
    await world.projector.project(world.pool, early, context);
    expect(await content()).toEqual(late);
  });

  it('are completed where somebody else has projected one of them', async () => {
    const before = await content();
    await forgetPeople(world.pool, organisationId);
    const [streams, context] = [await streamsOf(people), await contextOfNew()];
    await world.projector.project(world.pool, [streams[0]!], context);
    await world.projector.project(world.pool, streams, context);
    expect(await content()).toEqual(before);
  });

  it('wait for each other: one without the other is projected alone', async () => {
    await forgetPeople(world.pool, organisationId);
    const [[employment], context] = [await streamsOf(people), await contextOfNew()];
    expect(await namesOfStatements((pool) => world.projector.project(pool, [employment!], context))).toEqual(['project-people-employment']);
  });
});
