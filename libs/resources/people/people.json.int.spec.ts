import { compileSerialiser } from '#http/fields/serialise.js';
import { createPerson, createWorld, newOrganisation, recordFact, type World } from '../../../test/support/people/world.js';
import { PersonResponse } from './people.contract.js';
import { listPeople, readPerson } from './people.json.js';
import { presentPerson } from './people.presenter.js';
import { findPerson } from './people.queries.js';

const serialise = compileSerialiser(PersonResponse);
const UNKNOWN = 'AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';

let world: World;
let organisationId: string;
const personIds: string[] = [];

/** What the class writes of the same row. */
async function expected(personId: string): Promise<string> {
  return serialise(presentPerson((await findPerson(world.pool, organisationId, personId))!));
}

beforeAll(async () => {
  world = await createWorld();
  organisationId = await newOrganisation(world);
  const create = async (person: Parameters<typeof createPerson>[2]): Promise<string> => {
    const personId = await createPerson(world, organisationId, person, '2026-03-01');
    personIds.push(personId);
    return personId;
  };
  const manager = await create({});
  const nothing = { first_name: null, preferred_name: null, last_name: null, staff_id: null };
  await create({ identity: { work_email: 'bare@example.com', ...nothing }, startDate: null });
  const odd = { first_name: '"Ada"\\\t\n\r\b\f\u0001\u001f\u007f', preferred_name: '\u2028\u2029 Zoë 😀 </script>', last_name: "O'Neil", staff_id: '{"a":1}' };
  const ended = await create({ identity: { work_email: 'ODD@example.com', ...odd }, startDate: '1900-01-01', terms: { manager_id: manager, job_title: '\u00e9' } });
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
afterAll(() => world.database.drop());

describe('a person written by the database', () => {
  it('is, byte for byte, what the response class writes', async () => {
    for (const personId of personIds) {
      const person = await readPerson(world.pool, organisationId, personId);
      expect(person!.json.text).toBe(await expected(personId));
      expect(serialise(person!.json)).toBe(person!.json.text);
    }
  });

  it('is the same in a list, whatever its order', async () => {
    for (const order of ['creation', 'change', 'latest'] as const) {
      const people = await listPeople(world.pool, { organisationId, order, since: null, horizon: null, after: null, count: 100 });
      expect(people.map(({ person_id }) => person_id).sort()).toEqual([...personIds].sort());
      for (const { person_id, json } of people) expect(json.text).toBe(await expected(person_id));
    }
  });

  it('has its names joined when it is read', async () => {
    const text = async (personId: string): Promise<string> => (await readPerson(world.pool, organisationId, personId))!.json.text;
    expect(JSON.parse(await text(personIds[2]!))).toMatchObject({ manager: { id: personIds[0], display_name: 'Ada Lovelace' }, department: null });
    expect(JSON.parse(await text(personIds[3]!))).toMatchObject({ department: { id: `oru_${UNKNOWN}`, name: `oru_${UNKNOWN}` } });
  });

  it('is none where the organisation has no such person', async () => {
    expect(await readPerson(world.pool, organisationId, 'aaaaaaaaaaaa')).toBeNull();
  });
});
