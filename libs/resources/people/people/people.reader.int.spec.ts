import type { Statement } from '#database/transaction.js';
import { toNewEvents } from '#commands/handle-command.js';
import { compileSerialiser } from '#http/fields/serialise.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { testContext, testServices } from '../../../../test/support/command-services.js';
import { createPerson, createWorld, newOrganisation, recordFact, type World } from '../../../../test/support/people/world.js';
import { commandOrgUnit, findOrCreateOrgUnits } from '../../organisation/org-unit/org-unit.commands.js';
import { orgUnitTable } from '../../organisation/org-unit/org-unit.table.js';
import { PersonResponse } from './people.contract.js';
import { peopleProjection } from './people.projection.js';
import { findPerson, PeopleReader } from './people.reader.js';
import { presentPerson } from './people.presenter.js';
import { personKeyOf } from '../person/person-keys.js';
import { sealPersonEvent } from '../person/person-seal.js';
import { type Identity, personAggregate } from '../person/person.decider.js';

const serialise = compileSerialiser(PersonResponse);
const UNKNOWN = 'AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';

let world: World;
let reader: PeopleReader;
let organisationId: string;
const personIds: string[] = [];

/** The JSON that the response class writes for the same row. */
async function expected(personId: string): Promise<string> {
  return serialise(presentPerson((await findPerson(world.pool, organisationId, personId))!));
}

/** Records an identity as events contain it from before texts were checked for their characters. */
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
  world = await createWorld();
  reader = new PeopleReader(world.pool);
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
afterAll(() => world.database.drop());

describe('a person written when they were projected', () => {
  it('is, byte for byte, what the response class writes', async () => {
    for (const personId of personIds) {
      const person = await reader.read(organisationId, personId);
      expect(person!.json.text).toBe(await expected(personId));
      expect(serialise(person!.json)).toBe(person!.json.text);
    }
  });

  it('is the same in a list, whatever its order', async () => {
    for (const order of ['creation', 'change', 'latest'] as const) {
      const people = await reader.list({ organisationId, order, since: null, horizon: null, after: null, count: 100 });
      expect(people.map(({ id }) => id).sort()).toEqual([...personIds].sort());
      for (const { id, json } of people) expect(json.text).toBe(await expected(id));
    }
  });

  it('has its names joined when it is read', async () => {
    const text = async (personId: string): Promise<string> => (await reader.read(organisationId, personId))!.json.text;
    expect(JSON.parse(await text(personIds[2]!))).toMatchObject({
      manager: { id: personIds[0], display_name: 'Ada Lovelace' },
      department: null,
    });
    expect(JSON.parse(await text(personIds[3]!))).toMatchObject({ department: { id: `oru_${UNKNOWN}`, name: `oru_${UNKNOWN}` } });
  });

  it('shows the name of today, whichever process gave it, and whether it is changed, rebuilt or taken away', async () => {
    const services = testServices(world.database);
    const unit = (await findOrCreateOrgUnits(services, testContext(organisationId), ['First'])).get('first')!.id;
    const personId = await createPerson(world, organisationId, { terms: { department_id: unit } }, '2026-03-01');
    const nameSeenBy = async (one: PeopleReader): Promise<unknown> =>
      JSON.parse((await one.read(organisationId, personId))!.json.text).department.name;
    const other = new PeopleReader(world.pool);
    for (const name of ['Second', 'Third "quoted"']) {
      expect(await nameSeenBy(reader)).toBe(await nameSeenBy(other));
      await commandOrgUnit(services, testContext(organisationId), unit, { type: 'change', changes: { name } });
      expect([await nameSeenBy(reader), await nameSeenBy(other)]).toEqual([name, name]);
    }
    await world.pool.query("update org_units set name = 'wrong' where id = $1", [unit]);
    expect(await nameSeenBy(reader)).toBe('wrong');
    await world.pool.query('alter table org_units disable trigger user');
    await world.pool.query("update org_units set name = 'unseen' where id = $1", [unit]);
    await world.pool.query('alter table org_units enable trigger user');
    await rebuild(world, orgUnitTable.projection);
    expect(await nameSeenBy(reader)).toBe('Third "quoted"');
    await world.pool.query('delete from org_units where id = $1', [unit]);
    expect(await nameSeenBy(reader)).toBe(unit);
  });

  it('is none where the organisation has no such person', async () => {
    expect(await reader.read(organisationId, 'aaaaaaaaaaaa')).toBeNull();
  });
});

describe('a list of people that was shown before', () => {
  const PAGE = { order: 'creation', since: null, horizon: null, after: null, count: 200 } as const;
  const names: string[] = [];
  let counted: PeopleReader;
  beforeEach(() => {
    const query: World['pool']['query'] = ((statement: Statement) => {
      names.push(statement.name);
      return world.pool.query(statement);
    }) as never;
    counted = new PeopleReader({ query });
  });

  const textsOf = async (one: PeopleReader): Promise<readonly string[]> =>
    (await one.list({ ...PAGE, organisationId })).map(({ json }) => json.text);
  const statementsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    names.length = 0;
    await work();
    return names.filter((name) => name.startsWith('list-people'));
  };

  it('reads the texts once', async () => {
    expect(await statementsOf(() => textsOf(counted))).toEqual([
      'list-people-versions-creation-false-false-false-201',
      'list-people-texts-creation-false-false-false-201',
    ]);
    expect(await statementsOf(() => textsOf(counted))).toEqual(['list-people-versions-creation-false-false-false-201']);
  });

  it('reads the texts at once where it shows what has changed', async () => {
    const sync = (): Promise<unknown> => counted.list({ ...PAGE, organisationId, order: 'change' });
    expect(await statementsOf(sync)).toEqual(['list-people-texts-change-false-false-false-201']);
  });

  it('shows what holds now, whatever was written since', async () => {
    const services = testServices(world.database);
    const unit = (await findOrCreateOrgUnits(services, testContext(organisationId), ['Listed'])).get('listed')!.id;
    const manager = await createPerson(world, organisationId, {}, '2026-03-01');
    const personId = await createPerson(world, organisationId, { terms: { department_id: unit, manager_id: manager } }, '2026-03-01');
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      terms: () =>
        recordFact(
          world,
          organisationId,
          personId,
          { type: 'change', startDate: '2026-01-02', terms: { job_title: 'Lead' }, today: '2026-03-01' },
          '2026-03-01',
        ),
      manager: () => recordIdentityFromBefore(manager, { last_name: 'Hopper' }),
      department: () => commandOrgUnit(services, testContext(organisationId), unit, { type: 'change', changes: { name: 'Renamed' } }),
      effect: () => world.pool.query('update people set effect_updated_at = now() where person_id = $1', [personId]),
      text: () =>
        world.pool.query("update people set identity_text = replace(identity_text, 'Ada', 'Eda') where person_id = $1", [personId]),
      rebuild: () => rebuild(world, peopleProjection),
      newcomer: () => createPerson(world, organisationId, {}, '2026-03-01'),
    };
    let before = await textsOf(counted);
    for (const [name, change] of Object.entries(changes)) {
      await change();
      const after = await textsOf(counted);
      expect([name, after]).not.toEqual([name, before]);
      expect([name, after]).toEqual([name, await textsOf(new PeopleReader(world.pool))]);
      before = after;
    }
  });
});
