import type { ProjectionContext, Stream } from '#projections/projection.js';
import { prepareContext } from '#projections/projection-context.js';
import { contentByPerson, forgetPeople } from '../../../../test/support/people/tables.js';
import { createPerson, createWorld, newOrganisation, recordFact, todayOf, type World } from '../../../../test/support/people/world.js';
import { employmentAggregate } from '../employment/employment.decider.js';
import { personAggregate } from '../person/person.decider.js';
import { peopleProjection } from './people.projection.js';

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

async function contextOfNew(streams: readonly Stream[]): Promise<ProjectionContext> {
  return { ...(await prepareContext(world.pool, world.clock, [peopleProjection], streams)), isNew: () => true };
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
    const streams = await streamsOf(people);
    const context = await contextOfNew(streams);
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
    const early = await streamsOf(people);
    const context = await contextOfNew(early);
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
    const streams = await streamsOf(people);
    const context = await contextOfNew(streams);
    await world.projector.project(world.pool, [streams[0]!], context);
    await world.projector.project(world.pool, streams, context);
    expect(await content()).toEqual(before);
  });

  it('wait for each other: one without the other is projected alone', async () => {
    await forgetPeople(world.pool, organisationId);
    const streams = await streamsOf(people);
    const context = await contextOfNew(streams);
    expect(await namesOfStatements((pool) => world.projector.project(pool, [streams[0]!], context))).toEqual(['project-people-employment']);
  });
});
