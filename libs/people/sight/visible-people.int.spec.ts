import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { PeopleAccess } from '#http/people-access.js';
import type { Reader } from '#http/sight.js';
import { addDays } from '#kernel/dates.js';
import type { Role } from '#kernel/roles.js';
import { readHeadCount } from '#organisation/org-unit/org-unit-tree.js';
import { rowsRead } from '../../../test/support/rows-read.js';
import { createPerson, newOrganisation, recordFact, worldForSpec } from '../../../test/support/people/world.js';
import { findPersonalProfile } from '../profile/personal-profile.js';
import { listDirectory } from '../record/directory.js';
import { findPerson, listPeople } from '../record/read-people.js';
import { listReports } from '../record/reports.js';
import { findBelieved, listFacts, listHeldBeliefs } from '../timeline/read-facts.js';
import { PeopleInSight } from './people-in-sight.js';

/*
 * The second wall alone: reads that no check of ids came before.
 */

const world = worldForSpec();
const TODAY = '2026-06-15';
const SIGHT: PeopleAccess = { of: 'sight' };
let organisationId: string;
const ids = new Map<string, string>();

/** Hires somebody who reports to a manager from a day on. */
async function hire(name: string, manager: string | null, startDate = '2026-01-01'): Promise<void> {
  const identity = {
    work_email: `${name}@x.example`,
    first_name: name,
    preferred_name: null,
    last_name: null,
    staff_id: null,
  };
  const terms = manager === null ? {} : { manager_id: ids.get(manager)! };
  ids.set(name, await createPerson(world, organisationId, { identity, startDate, terms }, '2026-01-01'));
}

beforeAll(async () => {
  world.clock.standAt(`${TODAY}T12:00:00Z`);
  organisationId = await newOrganisation(world);
  for (const [name, manager] of [
    ['boss', null],
    ['vera', 'boss'],
    ['peer', 'boss'],
    ['direct', 'vera'],
    ['indirect', 'direct'],
    ['stranger', null],
  ] as const)
    await hire(name, manager);
});

function readerOf(role: Role, name: string | null, people = SIGHT, query = {}, pool = world.pool): Reader {
  const key = {
    session: { role, personId: name === null ? null : ids.get(name)!, idleUntil: 0 },
    organisation: { id: organisationId, timeZone: 'UTC' },
  } as AuthenticatedKey;
  return new PeopleInSight(pool, world.clock).of(key, people, query).reader;
}

/** Who answers to any read, by name. */
async function seen(reader: Reader, day = TODAY): Promise<readonly string[]> {
  const found: string[] = [];
  const pageOf = { organisationId, order: 'creation', since: null, horizon: null, after: null, count: 100 } as const;
  const listed = new Set((await listPeople(reader, pageOf)).map(({ id }) => id));
  const directory = { sort: 'name', as_of: day } as const;
  const ofDay = new Set((await listDirectory(reader, organisationId, directory, null, 100)).map(({ id }) => id));
  for (const [name, personId] of ids) {
    const owner = { organisationId, personId };
    const read = [
      (await findPerson(reader, organisationId, personId)) !== null,
      (await findPersonalProfile(world.pool, organisationId, personId, reader)) !== null,
      (await listFacts(reader, owner, { before: null, count: 10 })).length > 0,
      (await listHeldBeliefs(reader, owner, 100)).length > 0,
      (await findBelieved(reader, owner, null, day))?.moment.is_created === true,
      listed.has(personId),
      ofDay.has(personId),
    ];
    expect([name, new Set(read).size]).toEqual([name, 1]);
    if (read[0] === true) found.push(name);
  }
  return found;
}

describe('reads without a check of ids', () => {
  it.each([
    ['administrator', null, SIGHT, ['boss', 'vera', 'peer', 'direct', 'indirect', 'stranger']],
    ['manager', 'vera', SIGHT, ['vera', 'direct', 'indirect']],
    ['manager', 'direct', SIGHT, ['direct', 'indirect']],
    ['manager', 'stranger', SIGHT, ['stranger']],
    ['employee', 'vera', SIGHT, ['vera']],
    ['manager', 'vera', { of: 'oneself' }, ['vera']],
    ['manager', 'vera', { of: 'reports' }, ['direct', 'indirect']],
    ['employee', 'vera', { of: 'reports' }, []],
    ['manager', 'vera', { of: 'none' }, []],
    ['manager', 'vera', { of: 'sight', needsDay: true }, ['vera']],
    ['manager', null, SIGHT, []],
    ['employee', null, SIGHT, []],
  ] as const)('show a %s who is %s, of %j, only %j', async (role, name, people, expected) => {
    expect(await seen(readerOf(role, name, people))).toEqual(expected);
  });

  it('name the managers of the user, and nothing else of them', async () => {
    const reader = readerOf('employee', 'vera');
    expect((await findPerson(reader, organisationId, ids.get('vera')!))?.manager_name).toBe('boss');
    const { rows } = await reader.query({
      text: 'select * from people where person_id = $1',
      values: [ids.get('boss')],
    });
    const shown = Object.entries(rows[0] as object).filter(([, value]) => value !== null);
    expect(shown.map(([name]) => name).toSorted()).toEqual(['display_name', 'organisation_id', 'person_id']);
  });

  it.each([
    'select * from webhooks',
    'select * from people p join documents d on d.person_id = p.person_id',
    'select * from public.people',
  ])('fail for %s', (text) => {
    expect(() => readerOf('manager', 'vera').query(text)).toThrow('a read by relation names');
  });

  it('show nothing of what belongs to nobody', async () => {
    const reader = readerOf('manager', 'vera');
    for (const table of ['users', 'api_keys', 'sync_marks'])
      expect((await reader.query(`select * from ${table}`)).rows).toEqual([]);
  });
});

describe('who is in sight', () => {
  it('is who reports to the manager on the day, whatever moves, ends and comes', async () => {
    organisationId = await newOrganisation(world);
    ids.clear();
    let seed = 7;
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const names = Array.from({ length: 14 }, (_, index) => `p${index}`);
    for (const [index, name] of names.entries())
      await hire(name, index === 0 ? null : `p${next(index)}`, addDays('2026-01-01', next(60)));
    const days = ['2026-01-15', '2026-03-01', '2026-04-10', '2026-05-20'];
    for (const [index, name] of names.entries()) {
      if (index < 2 || next(3) === 0) continue;
      const [startDate, manager_id] = [addDays('2026-03-01', next(80)), ids.get(`p${next(index)}`)!];
      await recordFact(
        world,
        organisationId,
        ids.get(name)!,
        { type: 'change', startDate, terms: { manager_id }, today: TODAY },
        TODAY,
      );
    }
    await recordFact(world, organisationId, ids.get('p3')!, { type: 'end', endDate: '2026-04-30' }, TODAY);
    for (const day of days) {
      world.clock.standAt(`${day}T12:00:00Z`);
      for (const [name, managerId] of ids) {
        const query = { organisationId, managerId, day, isWhole: true };
        const below = (await listReports(world.pool, query, null, 100)).map(({ id }) => id);
        const self = await findBelieved(world.pool, { organisationId, personId: managerId }, null, day);
        const isEmployed = self?.beliefs[0]?.employed === true;
        const expected = isEmployed ? [managerId, ...below].toSorted() : [];
        const pageOf = {
          organisationId,
          order: 'creation',
          since: null,
          horizon: null,
          after: null,
          count: 100,
        } as const;
        const found = (await listPeople(readerOf('manager', name), pageOf)).map(({ id }) => id).toSorted();
        expect([day, name, found]).toEqual([day, name, expected]);
      }
    }
  });

  it('is found by reading rows in proportion to the people, not to their square', async () => {
    organisationId = await newOrganisation(world);
    ids.clear();
    await hire('head', null);
    for (let count = 0; count < 200; count += 1)
      await hire(`report${count}`, count < 10 ? 'head' : `report${count % 10}`);
    const pageOf = { organisationId, order: 'creation', since: null, horizon: null, after: null, count: 300 } as const;
    const readBy = (name: string): Promise<number> =>
      rowsRead(
        world.pool,
        async (pool) => {
          await listPeople(readerOf('manager', name, SIGHT, {}, pool), pageOf);
          await readHeadCount(readerOf('manager', name, SIGHT, {}, pool), organisationId, TODAY, null);
        },
        'everything',
      );
    await world.pool.query('analyze people, employment_beliefs');
    // 201 people are in sight of the one, and 20 of the other.
    expect(await readBy('head')).toBeLessThan(10 * (await readBy('report1')));
  });
});
