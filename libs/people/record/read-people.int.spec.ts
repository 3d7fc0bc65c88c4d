import { toNewEvents } from '#commands/handle-command.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { createPerson, newOrganisation, recordFact, worldForSpec } from '../../../test/support/people/world.js';
import { commandOrgUnit, findOrCreateOrgUnits } from '#organisation/org-unit/org-unit.api.js';
import { orgUnitTable } from '#organisation/org-unit/org-unit.js';
import type { PersonResponse } from './people-shapes.js';
import { peopleProjection } from './people.js';
import { presentPerson } from './present-people.js';
import { findPerson, listPeople } from './read-people.js';
import { VISIBLE_PEOPLE_MIGRATION } from './people.table.js';
import { personKeyOf } from '../person/person-keys.js';
import { sealPersonEvent } from '../person/person-seal.js';
import { type Identity, personAggregate } from '../person/person.js';

const UNKNOWN = 'AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';

const world = worldForSpec();
let organisationId: string;
const personIds: string[] = [];

async function read(personId: string): Promise<PersonResponse> {
  return presentPerson((await findPerson(world.pool, organisationId, personId))!);
}

/** Records an identity with characters that earlier versions did not refuse. */
async function recordIdentityFromBefore(personId: string, identity: Identity): Promise<void> {
  const stream = personAggregate.streamOf(organisationId, personId);
  const last = (await world.eventStore.readStream(stream)).at(-1)!;
  const key = (await personKeyOf(world.pool, organisationId, personId))!;
  const event = sealPersonEvent({ type: 'PersonIdentityChanged', data: { identity } }, key);
  await world.eventStore.append(
    stream,
    last.revision,
    toNewEvents(testContext(organisationId), stream, [event], { previousHash: last.metadata.hash }),
  );
  await world.projector.project(world.pool, [await world.eventStore.readStream(stream)]);
}

beforeAll(async () => {
  organisationId = await newOrganisation(world);
  const create = async (person: Parameters<typeof createPerson>[2]): Promise<string> => {
    const personId = await createPerson(world, organisationId, person, '2026-03-01');
    personIds.push(personId);
    return personId;
  };
  const manager = await create({});
  const nothing = { first_name: null, preferred_name: null, last_name: null, staff_id: null };
  await create({ identity: { work_email: 'bare@example.com', ...nothing }, startDate: null });
  const odd = {
    first_name: '"Ada"\\\t\n\r\b\f\u0001\u001f\u007f',
    preferred_name: '\u2028\u2029 Zoë 😀 </script>',
    last_name: "O'Neil",
    staff_id: '{"a":1}',
  };
  const ended = await create({
    identity: { work_email: 'ODD@example.com', ...nothing },
    startDate: '1900-01-01',
    terms: { manager_id: manager, job_title: '\u00e9' },
  });
  await recordIdentityFromBefore(ended, odd);
  await recordFact(world, organisationId, ended, { type: 'end', endDate: '9998-12-31' }, '2026-03-01');
  for (const minutes of [1, 1_350, 2_250, 10_080]) {
    const terms = {
      contracted_weekly_minutes: minutes,
      full_time_weekly_minutes: 10_080,
      department_id: `oru_${UNKNOWN}`,
      work_place_id: `wpl_${UNKNOWN}`,
      work_type_id: `wty_${UNKNOWN}`,
      working_pattern_id: `wpa_${UNKNOWN}`,
    };
    await create({ terms });
  }
});

describe('a person who is read', () => {
  it('is the same in a list, whatever its order', async () => {
    for (const order of ['creation', 'change', 'latest'] as const) {
      const people = await listPeople(world.pool, {
        organisationId,
        order,
        since: null,
        horizon: null,
        after: null,
        count: 100,
      });
      expect(people.map(({ id }) => id).sort()).toEqual([...personIds].sort());
      for (const { id, person } of people) expect(presentPerson(person)).toEqual(await read(id));
    }
  });

  it('has its names joined when it is read', async () => {
    expect(await read(personIds[2]!)).toMatchObject({
      manager: { id: personIds[0], display_name: 'Ada Lovelace' },
      department: null,
    });
    expect(await read(personIds[3]!)).toMatchObject({ department: { id: `oru_${UNKNOWN}`, name: `oru_${UNKNOWN}` } });
  });

  it('shows the name of today, whether it is changed, rebuilt or taken away', async () => {
    const services = testServices(world.database);
    const unit = (await findOrCreateOrgUnits(services, testContext(organisationId), ['First'])).get('first')!.id;
    const personId = await createPerson(world, organisationId, { terms: { department_id: unit } }, '2026-03-01');
    const shownName = async (): Promise<unknown> => (await read(personId)).department?.name;
    const name = 'Second "quoted"';
    await commandOrgUnit(services, testContext(organisationId), unit, { type: 'change', changes: { name } });
    expect(await shownName()).toBe(name);
    await world.pool.query("update org_units set name = 'wrong' where id = $1", [unit]);
    expect(await shownName()).toBe('wrong');
    await rebuild(world, orgUnitTable.projection);
    expect(await shownName()).toBe(name);
    await world.pool.query('delete from org_units where id = $1', [unit]);
    expect(await shownName()).toBe(unit);
  });

  it('is shown from texts that are the same from an upgrade, from commands and from a rebuild', async () => {
    const texts = async (): Promise<unknown> =>
      (await world.pool.query('select person_id, shown_identity, shown_employment from people order by person_id'))
        .rows;
    const written = await texts();
    await world.pool.query(`
      alter table people drop column shown_identity, drop column shown_employment, add column identity_text text, add column employment_text text;
      create function note_change_of_name() returns trigger language plpgsql as 'begin return null; end';
      create table reference_versions ()`);
    await world.pool.query(VISIBLE_PEOPLE_MIGRATION.sql);
    expect(await texts()).toEqual(written);
    await rebuild(world, peopleProjection);
    expect(await texts()).toEqual(written);
  });
});
