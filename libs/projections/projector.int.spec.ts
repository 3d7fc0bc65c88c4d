import type { Stream } from '#projections/projection.js';
import { contradictingKeys } from '#projections/table-hash.js';
import { contentByPerson, forgetPeople } from '../../test/support/people/tables.js';
import { createPerson, newOrganisation, recordFact, worldForSpec, worldOver } from '../../test/support/people/world.js';
import { personAggregate } from '#people/person/person.js';
import { peopleProjection } from '#people/record/people.js';
import { employmentAggregate } from '#people/employment/employment.js';

const world = worldForSpec();
let organisationId: string;

beforeEach(async () => {
  organisationId = await newOrganisation(world);
  world.clock.standAt('2026-03-01T12:00:00Z');
});

async function streamsOf(personId: string): Promise<readonly [employment: Stream, identity: Stream]> {
  const [employment, identity] = await world.eventStore.readStreams([
    employmentAggregate.streamOf(organisationId, personId),
    personAggregate.streamOf(organisationId, personId),
  ]);
  return [employment!, identity!];
}

async function row(personId: string): Promise<Record<string, unknown>> {
  const { rows } = await world.pool.query<Record<string, unknown>>(
    'select * from people where organisation_id = $1 and person_id = $2',
    [organisationId, personId],
  );
  return rows[0]!;
}

/** Records a change of title from a day on. */
const changeTitle = (personId: string, startDate: string, job_title: string): Promise<void> =>
  recordFact(world, organisationId, personId, { type: 'change', startDate, terms: { job_title }, today: '2026-03-01' });

async function changed(): Promise<string> {
  const personId = await createPerson(world, organisationId, { terms: { job_title: 'A' } });
  await changeTitle(personId, '2026-02-01', 'B');
  return personId;
}

describe('projecting a stream', () => {
  it('again, or in an earlier state, changes no row', async () => {
    const personId = await changed();
    const [employment, identity] = await streamsOf(personId);
    const before = await row(personId);
    await world.projector.project(world.pool, [employment, identity]);
    await world.projector.project(world.pool, [employment.slice(0, 1)]);
    expect(await row(personId)).toEqual(before);
  });

  it('from its later events continues where its earlier events were projected', async () => {
    const personId = await changed();
    const whole = await contentByPerson(world.pool, [organisationId]);
    const [employment, identity] = await streamsOf(personId);
    await forgetPeople(world.pool, organisationId);
    await world.projector.project(world.pool, [employment.slice(0, 1)]);
    expect(await row(personId)).toMatchObject({ job_title: 'A', employment_revision: 0, identity_revision: null });
    await world.projector.project(world.pool, [identity]);
    await world.projector.project(world.pool, [employment]);
    expect(await contentByPerson(world.pool, [organisationId])).toEqual(whole);
  });

  it('on a later day shows that day, and on an earlier one changes nothing', async () => {
    const personId = await createPerson(world, organisationId, { terms: { job_title: 'A' } });
    await changeTitle(personId, '2026-03-05', 'B');
    const [employment] = await streamsOf(personId);
    const on = (day: string) =>
      world.projector.project(world.pool, [employment], { today: () => day, personKey: () => null });
    await on('2026-03-05');
    expect(await row(personId)).toMatchObject({ job_title: 'B', employment_as_of: '2026-03-05' });
    await on('2026-03-04');
    expect(await row(personId)).toMatchObject({ job_title: 'B', employment_as_of: '2026-03-05' });
  });

  it('of a person whose key was destroyed contains [erased], and reserves no address', async () => {
    const personId = await createPerson(world, organisationId, { email: 'erase.me@example.com' });
    await world.pool.query('delete from person_keys where person_id = $1', [personId]);
    await world.pool.query('delete from work_email_reservations where person_id = $1', [personId]);
    await forgetPeople(world.pool, organisationId);
    const streams = await streamsOf(personId);
    await world.projector.project(world.pool, streams);
    expect(await row(personId)).toMatchObject({ work_email: '[erased]', display_name: '[erased]', staff_id: null });
    const { rows } = await world.pool.query('select * from work_email_reservations where organisation_id = $1', [
      organisationId,
    ]);
    expect(rows).toEqual([]);
  });

  it('finds the streams of which a table lacks events', async () => {
    const personId = await changed();
    const name = employmentAggregate.streamOf(organisationId, personId);
    const [event] = await world.eventStore.readStream(name);
    const stale = (revision: number) =>
      world.projector.stale(world.pool, [
        { ...event!, revision },
        { ...event!, stream: `unknown-${organisationId}.x`, revision: 3 },
      ]);
    expect(await stale(1)).toEqual([]);
    expect(await stale(2)).toEqual([name]);
  });

  it('of the same people in many processes at once never deadlocks', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => changed()));
    const streams = (await Promise.all(people.map(streamsOf))).flat();
    const others = Array.from({ length: 6 }, () =>
      worldOver(world.database, { eventStore: world.eventStore, pool: world.pool }),
    );
    const whole = await contentByPerson(world.pool, [organisationId]);
    await forgetPeople(world.pool, organisationId);
    await Promise.all(
      others.map(({ projector }, turn) =>
        projector.project(world.pool, turn % 2 === 0 ? streams : [...streams].reverse()),
      ),
    );
    expect(await contentByPerson(world.pool, [organisationId])).toEqual(whole);
  });
});

describe('two beliefs that overlap', () => {
  const insert = (personId: string, valid: string, known: string, key: number) =>
    world.pool.query(
      `insert into employment_beliefs (organisation_id, person_id, known_from, valid_from, valid, known, employed, fact_id)
       values ($1, $2, $3, '2026-01-01', $4, $5, true, 'ef_x')`,
      [organisationId, personId, key, valid, known],
    );

  it('are both found by a verification', async () => {
    const beliefs = peopleProjection.tables.find(({ name }) => name === 'employment_beliefs')!;
    const found = (): Promise<readonly string[]> => contradictingKeys(world.pool, beliefs, 100);
    await insert('p', '[2026-01-01,2026-02-01)', '[0,3)', 0);
    await insert('p', '[2026-02-01,)', '[2,)', 91);
    await insert('p', '[2026-01-01,2026-02-01)', '[3,)', 92);
    await insert('q', '[2026-01-01,2026-02-01)', '[0,3)', 0);
    expect(await found()).toEqual([]);
    await insert('q', '[2026-01-31,)', '[2,)', 90);
    expect(await found()).toEqual([`(${organisationId},q,0,2026-01-01)`, `(${organisationId},q,90,2026-01-01)`]);
  });
});
