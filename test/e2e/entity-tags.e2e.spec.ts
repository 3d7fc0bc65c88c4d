import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { commandOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { erasePerson } from '../support/people/erase-person.js';
import { commandTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import { WORK_PLACES, WORK_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { commandWorkingPattern } from '#organisation/working-pattern/working-pattern.api.js';
import { type ApiAnswer, dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { testContext } from '../support/command-services.js';

/** What is read with a strong tag and shows names of other resources. */
const SHOWN = ['person', 'employment', 'time off', 'unit'] as const;
type Shown = (typeof SHOWN)[number];
type Read = ApiAnswer<{ readonly updated_at: string }>;

let organisation: TestOrganisation;
let people: PeopleActions;
let world: World;
let now: Date;

const api = TestApi.forSpec({ clock: { now: () => now } });
beforeEach(async () => {
  now = new Date('2026-06-15T12:00:00Z');
  organisation = await api.organisation();
  people = new PeopleActions(organisation);
  world = await createWorld();
});

/**
 * A person, their employment, a record of their time off, and a unit that their manager heads: ids, and how
 * each is read.
 */
interface World {
  readonly person: string;
  readonly manager: string;
  readonly parent: string;
  readonly category: string;
  readonly paths: Readonly<Record<Shown, string>>;
}

async function createWorld(): Promise<World> {
  const timeOff = new TimeOffActions(api, organisation);
  const manager = (await people.create({ first_name: 'Grace' })).id;
  const { other_department_id: parent, ...terms } = organisation.references;
  const person = (await people.create({ first_name: 'Ada', start_date: '2024-01-01', manager_id: manager, ...terms }))
    .id;
  const category = await timeOff.category();
  const record = await timeOff.create({
    person_id: person,
    category_id: category,
    start_date: '2026-08-03',
    end_date: '2026-08-07',
  });
  const unit = dataOf<{ id: string }>(
    201,
    await organisation.client.post('/org-units', { name: randomUUID(), parent_id: parent, head_id: manager }),
  );
  const paths = {
    person: `/people/${person}`,
    employment: `/people/${person}/employment`,
    'time off': `/time-off/${record.id}`,
    unit: `/org-units/${unit.id}`,
  };
  return { person, manager, parent, category, paths };
}

const read = (shown: Shown): Promise<Read> => organisation.client.get(world.paths[shown]);
const readAll = async (): Promise<Record<Shown, Read>> =>
  Object.fromEntries(await Promise.all(SHOWN.map(async (shown) => [shown, await read(shown)]))) as Record<Shown, Read>;

/** Ways of giving another name to what those representations show, and which of them show it. */
const RENAMES: Readonly<
  Record<string, { readonly shownBy: readonly Shown[]; readonly rename: (name: string) => Promise<unknown> }>
> = {
  department: {
    shownBy: ['person', 'employment'],
    rename: (name) => renameUnit(organisation.references.department_id, name),
  },
  parent: { shownBy: ['unit'], rename: (name) => renameUnit(world.parent, name) },
  manager: {
    shownBy: ['person', 'employment', 'unit'],
    rename: (name) => people.identity(world.manager, { first_name: name }),
  },
  'person themselves': { shownBy: ['time off'], rename: (name) => people.identity(world.person, { first_name: name }) },
  'work place': {
    shownBy: ['person', 'employment'],
    rename: (label) =>
      WORK_PLACES.command(api.services, context(), organisation.references.work_place_id, { type: 'relabel', label }),
  },
  'work type': {
    shownBy: ['person', 'employment'],
    rename: (label) =>
      WORK_TYPES.command(api.services, context(), organisation.references.work_type_id, { type: 'relabel', label }),
  },
  'working pattern': {
    shownBy: ['person', 'employment'],
    rename: (label) =>
      commandWorkingPattern(api.services, context(), organisation.references.working_pattern_id, {
        type: 'change',
        changes: { label },
      }),
  },
  category: {
    shownBy: ['time off'],
    rename: (label) =>
      commandTimeOffCategory(api.services, context(), world.category, { type: 'change', changes: { label } }),
  },
};

const context = () => testContext(organisation.row.id);
const renameUnit = (id: string, name: string): Promise<unknown> =>
  commandOrgUnit(api.services, context(), id, { type: 'change', changes: { name } });

/** A write that the tag of each representation guards. */
const WRITES: Readonly<Record<Shown, (ifMatch: string, value: string) => Promise<Read>>> = {
  person: (ifMatch, value) => organisation.client.patch(world.paths.person, { last_name: value }, { ifMatch }),
  employment: (ifMatch, value) =>
    organisation.client.patch(world.paths.employment, { start_date: '2026-01-01', job_title: value }, { ifMatch }),
  'time off': (ifMatch, value) =>
    organisation.client.patch(
      world.paths['time off'],
      { end_date: `2026-08-${10 + (value.length % 18)}` },
      { ifMatch },
    ),
  unit: (ifMatch, value) => organisation.client.patch(world.paths.unit, { code: value }, { ifMatch }),
};

/** Other writes that answer with the person's tag or the employment's. */
const FURTHER_WRITES: readonly [string, Shown, (ifMatch: string) => Promise<ApiAnswer>][] = [
  [
    'POST employment-history',
    'employment',
    (ifMatch) =>
      organisation.client.post(
        `${world.paths.person}/employment-history`,
        { start_date: '2025-01-01', job_title: 'X', correction_reason: 'Wrong' },
        { ifMatch },
      ),
  ],
  [
    'POST end',
    'person',
    (ifMatch) => organisation.client.post(`${world.paths.person}/end`, { end_date: '2026-05-31' }, { ifMatch }),
  ],
  [
    'POST reactivate',
    'person',
    async (ifMatch) =>
      organisation.client.post(
        `${world.paths.person}/reactivate`,
        { start_date: '2026-07-01', manager_id: world.manager },
        { ifMatch },
      ),
  ],
];

describe('a strong entity tag names the representation, with the names of other resources in it', () => {
  it.each(Object.keys(RENAMES))(
    'so that a %s with another name moves the tags of those who show it, and of nobody else',
    async (what) => {
      const { shownBy, rename } = RENAMES[what]!;
      const before = await readAll();
      await rename('Renamed');
      const after = await readAll();
      for (const shown of SHOWN.filter((one) => what !== 'person themselves' || one !== 'person')) {
        const isMoved = shownBy.includes(shown);
        expect([shown, after[shown].text !== before[shown].text, tagOf(after[shown]) !== tagOf(before[shown])]).toEqual(
          [shown, isMoved, isMoved],
        );
        expect(after[shown].json.data.updated_at).toBe(before[shown].json.data.updated_at);
      }
    },
  );

  it.each(SHOWN)(
    'so that a write of the %s with the tag from before a rename is 412, and one with the tag of today succeeds',
    async (shown) => {
      const [what] = Object.entries(RENAMES).find(
        ([name, { shownBy }]) => shownBy.includes(shown) && name !== 'person themselves',
      )!;
      const stale = tagOf(await read(shown));
      await RENAMES[what]!.rename('Renamed');
      const events = await countOf(shown);
      expectError(await WRITES[shown](stale, 'a'), 412, 'precondition_failed');
      expect(await countOf(shown)).toBe(events);
      expect((await WRITES[shown](`${stale}, ${tagOf(await read(shown))}`, 'a')).status).toBe(200);
    },
  );

  it.each(FURTHER_WRITES)('%s goes by the same tag', async (name, shown, write) => {
    if (name === 'POST reactivate') await people.end(world.person, '2026-05-31');
    const stale = tagOf(await read(shown));
    await RENAMES['manager']!.rename('Renamed');
    if (name !== 'POST reactivate') expectError(await write(stale), 412, 'precondition_failed');
    const answer = await write(tagOf(await read(shown)));
    expect([201, 200]).toContain(answer.status);
    expect(tagOf(answer)).toBe(tagOf(await read(shown)));
  });

  it('covers a manager who was erased, and what else shows them', async () => {
    const before = await readAll();
    await erasePerson(api.services, context(), { person_id: world.manager, reason: null });
    const after = await readAll();
    expect(after.employment.json.data).toMatchObject({ manager: { id: world.manager, display_name: '[erased]' } });
    for (const shown of ['person', 'employment', 'unit'] as const) {
      expect(tagOf(after[shown])).not.toBe(tagOf(before[shown]));
      expectError(await WRITES[shown](tagOf(before[shown]), 'a'), 412, 'precondition_failed');
      expect((await WRITES[shown](tagOf(after[shown]), 'a')).status).toBe(200);
    }
  });

  it.each(['employment-history', 'timeline', 'timeline?compare_known_at'])(
    'of GET %s covers names that only it shows, and a write takes it for the tag of the employment',
    async (what) => {
      const [path, compared] = what.split('?');
      const query = compared === undefined ? {} : { [compared]: await recordedFirst() };
      await people.change(world.person, {
        start_date: '2026-01-01',
        department_id: organisation.references.other_department_id,
      });
      const history = (): Promise<Read> => organisation.client.get(`${world.paths.person}/${path}`, query);
      const [before, employment] = [await history(), await read('employment')];
      await renameUnit(organisation.references.department_id, 'Former');
      const after = await history();
      expect([after.text === before.text, tagOf(after) === tagOf(before), tagOf(await read('employment'))]).toEqual([
        false,
        false,
        tagOf(employment),
      ]);
      expect((await WRITES.employment(tagOf(before), 'a')).status).toBe(200);
      const stale = tagOf(await history());
      await renameUnit(organisation.references.other_department_id, 'Present');
      expectError(await WRITES.employment(stale, 'b'), 412, 'precondition_failed');
      expect((await WRITES.employment(tagOf(await history()), 'b')).status).toBe(200);
    },
  );

  it.each(['person', 'employment'] as const)(
    'of a %s is good on the day of a dated change that the worker has not shown yet, until a name changes',
    async (shown) => {
      await people.change(world.person, {
        start_date: '2026-07-01',
        department_id: organisation.references.other_department_id,
      });
      now = new Date('2026-07-02T12:00:00Z');
      const stale = tagOf(await read(shown));
      await RENAMES['department']!.rename('Renamed');
      expectError(await WRITES[shown](stale, 'a'), 412, 'precondition_failed');
      const answer = await WRITES[shown](tagOf(await read(shown)), 'a');
      expect([answer.status, tagOf(answer)]).toEqual([200, tagOf(await read(shown))]);
      if (shown === 'employment') expect(answer.json.data).toMatchObject({ department: { name: 'Sales' } });
    },
  );

  it('is the same for the same names, and for nobody who refers to nothing another than before', async () => {
    const before = await readAll();
    await renameUnit(organisation.references.department_id, 'Renamed');
    await renameUnit(organisation.references.department_id, 'Engineering');
    expect(tagOf(await read('person'))).toBe(tagOf(before.person));
    const bare = await people.create();
    expect(await people.personTag(bare.id)).toMatch(/^"p0\.e0\.[\w-]{8}"$/);
    expect(await people.employmentTag(bare.id)).toMatch(/^"t1\.[\w-]{8}"$/);
  });
});

it('never has two bodies under one tag, and every write answers the body and tag that a read gives, over random histories', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('rename' as const),
      what: fc.constantFrom(...Object.keys(RENAMES)),
      name: fc.constantFrom('A', 'B', 'C'),
    }),
    fc.record({
      kind: fc.constant('write' as const),
      shown: fc.constantFrom(...SHOWN),
      value: fc.constantFrom('a', 'bb', 'ccc'),
    }),
  );
  const bodies = new Map<string, string>();
  const look = (shown: Shown, answer: Read): void => {
    const name = `${world.person} ${shown} ${tagOf(answer)}`;
    expect(bodies.get(name) ?? answer.text).toBe(answer.text);
    bodies.set(name, answer.text);
  };
  const run = async (
    steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
  ): Promise<void> => {
    for (const one of steps) {
      if (one.kind === 'rename') {
        await RENAMES[one.what]!.rename(one.name);
      } else {
        const answer = await WRITES[one.shown](tagOf(await read(one.shown)), one.value);
        const after = await read(one.shown);
        expect([answer.status, answer.text, tagOf(answer)]).toEqual([200, after.text, tagOf(after)]);
      }
      for (const [shown, answer] of Object.entries(await readAll()) as [Shown, Read][]) look(shown, answer);
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), run), { numRuns: 25 });
});

/** When the person's first fact was recorded. */
async function recordedFirst(): Promise<string> {
  return (await people.facts(world.person))[0]!.recorded_at;
}

/** How many events the representation's stream has. */
async function countOf(shown: Shown): Promise<number> {
  const category = { person: 'person', employment: 'employment', 'time off': 'time-off', unit: 'org-unit' }[shown];
  const entity = shown === 'unit' ? world.paths.unit.split('/').at(-1)! : world.person;
  return (await api.services.store.readStream(`${category}-${organisation.row.id}.${entity}`)).length;
}
