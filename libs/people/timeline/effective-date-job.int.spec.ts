import { effectStreamOf } from '../../../test/support/people/effects.js';
import {
  contextOf,
  createPerson,
  createWorld,
  newOrganisation,
  recordFact,
  todayOf,
  type World,
  worldOver,
} from '../../../test/support/people/world.js';
import { allReadable } from '../../../test/support/postgres.js';
import { projectEvents } from '#projections/catch-up.js';
import { readAllAfter } from '../../../test/contract/event-store.support.js';
import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import { employmentTag, personTag } from '../record/present-people.js';
import { findPerson } from '../record/read-people.js';
import type { PersonRow } from '../record/person-row.js';
import type { EmploymentRequest } from '../record/people-writer.js';
import { publicEventsOf } from '#webhooks/publish/public-events.js';
import { AGGREGATES } from '#composition/registry.js';
import { addDays } from '#kernel/dates.js';
import { FIRST_AND_FINAL_DAYS_MIGRATION } from '../record/people.table.js';
import { runEffectiveDateJob } from './effective-date-job.js';

let world: World;
let organisationId: string;

beforeEach(async () => {
  world = await createWorld();
  organisationId = await newOrganisation(world);
  world.clock.standAt('2026-03-01T12:00:00Z');
});
afterEach(() => world.database.drop());

/** A person as read, and the columns of their row about coming changes. */
type FoundPerson = PersonRow & {
  readonly next_change_on: string | null;
  readonly updated_at: Date;
  readonly sync_mark: Date;
};

async function find(personId: string, organisation = organisationId): Promise<FoundPerson> {
  const { rows } = await world.pool.query<Pick<FoundPerson, 'next_change_on' | 'updated_at' | 'sync_mark'>>(
    'select next_change_on, updated_at, sync_mark from people where organisation_id = $1 and person_id = $2',
    [organisation, personId],
  );
  return { ...(await findPerson(world.pool, organisation, personId))!, ...rows[0]! };
}

/** Creates a person whose title changes on these days, all recorded today. */
async function changing(days: readonly string[], timeZone = 'UTC', organisation = organisationId): Promise<string> {
  const today = todayOf(world, timeZone);
  const personId = await createPerson(world, organisation, { terms: { job_title: 'Engineer' } }, today);
  for (const startDate of days) {
    const terms = { job_title: `From ${startDate}` };
    await recordFact(world, organisation, personId, { type: 'change', startDate, terms, today }, today);
  }
  return personId;
}

const record = (personId: string, fact: EmploymentRequest, today?: string): Promise<void> =>
  recordFact(world, organisationId, personId, fact, today);
const effectsOf = (personId: string): Promise<readonly string[]> => effectStreamOf(world, organisationId, personId);
const job = (): Promise<number> => runEffectiveDateJob(world);

describe('a change in the future', () => {
  it('takes effect on its day and not before, moves updated_at and the entity tag, and is recorded once', async () => {
    const personId = await changing(['2026-03-05']);
    const before = await find(personId);
    world.clock.standAt('2026-03-04T23:59:59Z');
    expect(await job()).toBe(0);
    expect(await find(personId)).toEqual(before);

    world.clock.standAt('2026-03-05T00:00:00Z');
    expect(await job()).toBe(1);
    const after = await find(personId);
    expect(after).toMatchObject({ job_title: 'From 2026-03-05', effective_from: '2026-03-05', next_change_on: null });
    expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime());
    expect(after.sync_mark.getTime()).toBeGreaterThanOrEqual(after.updated_at.getTime());
    expect(personTag(after)).not.toBe(personTag(before));
    expect(await job()).toBe(0);
    expect(await effectsOf(personId)).toEqual(['2026-03-05']);
  });

  it('takes effect after days of downtime, each day that passed by itself', async () => {
    const personId = await changing(['2026-03-05', '2026-03-08', '2026-04-01']);
    world.clock.standAt('2026-03-20T12:00:00Z');
    await job();
    expect(await find(personId)).toMatchObject({ job_title: 'From 2026-03-08', next_change_on: '2026-04-01' });
    expect(await effectsOf(personId)).toEqual(['2026-03-05', '2026-03-08']);
  });

  it('takes effect once where several processes run the job at once', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => changing(['2026-03-05', '2026-03-06'])));
    const processes = Array.from({ length: 4 }, () =>
      worldOver(world.database, { eventStore: world.eventStore, pool: world.pool, clock: world.clock }),
    );
    world.clock.standAt('2026-03-06T12:00:00Z');
    await Promise.all(processes.map((process) => runEffectiveDateJob(process)));
    await job();
    for (const personId of people) {
      expect(await effectsOf(personId)).toEqual(['2026-03-05', '2026-03-06']);
      expect(await find(personId)).toMatchObject({ job_title: 'From 2026-03-06', next_change_on: null });
    }
  });

  it('takes effect when the day comes in the organisation, wherever that is', async () => {
    const zones = ['Pacific/Kiritimati', 'UTC', 'America/Los_Angeles'] as const;
    const places = await Promise.all(
      zones.map(async (zone) => {
        const organisation = await newOrganisation(world, zone);
        return { organisation, personId: await changing(['2026-03-05'], zone, organisation) };
      }),
    );
    const changed = async (instant: string): Promise<readonly boolean[]> => {
      world.clock.standAt(instant);
      await job();
      const rows = await Promise.all(places.map((place) => find(place.personId, place.organisation)));
      return rows.map((row) => row.job_title === 'From 2026-03-05');
    };
    expect(await changed('2026-03-04T09:59:59Z')).toEqual([false, false, false]);
    expect(await changed('2026-03-04T10:00:00Z')).toEqual([true, false, false]);
    expect(await changed('2026-03-05T00:00:00Z')).toEqual([true, true, false]);
    expect(await changed('2026-03-05T07:59:59Z')).toEqual([true, true, false]);
    expect(await changed('2026-03-05T08:00:00Z')).toEqual([true, true, true]);
  });

  it('is not swallowed by a write of that day that comes before the job', async () => {
    const personId = await changing(['2026-03-05']);
    world.clock.standAt('2026-03-05T08:00:00Z');
    await record(personId, {
      type: 'change',
      startDate: '2026-03-02',
      terms: { department_id: null },
      today: '2026-03-05',
    });
    expect(await find(personId)).toMatchObject({ job_title: 'From 2026-03-05', next_change_on: '2026-03-05' });
    await job();
    expect(await effectsOf(personId)).toEqual(['2026-03-05']);
    expect(await find(personId)).toMatchObject({ next_change_on: null });
  });

  it('takes effect also where its own projection was lost, and the day came during the downtime', async () => {
    organisationId = await newOrganisation(world, 'Asia/Tokyo');
    const personId = await changing([], 'Asia/Tokyo');
    // The database's clock records the event today; the change lies a week ahead of that.
    const recorded = new Date();
    const ahead = new Date(recorded.getTime() + 7 * 86_400_000).toISOString().slice(0, 10);
    const [events] = await recordUnprojected(personId, ahead);
    world.clock.standAt(`${ahead}T23:00:00Z`);
    await projectEvents(world, world.pool, events);
    await job();
    expect(await effectsOf(personId)).toEqual([ahead]);
    expect(await find(personId)).toMatchObject({ job_title: 'Lead', next_change_on: null });
  });

  async function recordUnprojected(personId: string, startDate: string) {
    const pool = Object.create(world.pool) as typeof world.pool;
    const query = world.pool.query.bind(world.pool) as (...parameters: unknown[]) => Promise<unknown>;
    pool.query = (async (...parameters: unknown[]) =>
      (parameters[0] as { name?: string }).name?.startsWith('project-') === true
        ? { rows: [] }
        : query(...parameters)) as unknown as typeof pool.query;
    const killed = worldOver(world.database, { eventStore: world.eventStore, pool, clock: world.clock });
    const today = todayOf(world, 'Asia/Tokyo');
    const request = { type: 'change', startDate, terms: { job_title: 'Lead' }, today } as const;
    const { events } = await killed.writer.recordFact(
      contextOf(organisationId, { today }),
      personId,
      request,
      new Map(),
      null,
    );
    return [events] as const;
  }
});

describe('a time zone that is moved westwards', () => {
  const [EAST, WEST] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const;

  async function moveTo(timeZone: string): Promise<void> {
    const services = { store: world.eventStore, executor: world.pool, projector: world.projector, mint: world.mint };
    await setOrganisation(
      services,
      contextOf(organisationId, { today: '2026-03-05' }),
      { time_zone: timeZone },
      world.clock,
    );
  }

  async function typesOf(personId: string): Promise<readonly string[]> {
    return (await world.eventStore.readStream(`employment-effect-${organisationId}.${personId}`)).map(
      ({ type }) => type,
    );
  }

  async function toldUpdates(): Promise<number> {
    await allReadable(world.pool);
    const events = (await readAllAfter(world.eventStore, null)).filter(({ stream }) =>
      stream.startsWith(`employment-effect-${organisationId}`),
    );
    return publicEventsOf(world.mint, AGGREGATES, events).length;
  }

  it("shows today's terms again at once, and those of the day when it comes once more, which is told once", async () => {
    organisationId = await newOrganisation(world, EAST);
    const personId = await changing(['2026-03-05'], EAST);
    world.clock.standAt('2026-03-04T10:00:00Z');
    await job();
    const early = await find(personId);
    expect(early).toMatchObject({ job_title: 'From 2026-03-05', effective_from: '2026-03-05' });

    // It is still the 3rd there: the time zones differ by two dates.
    await moveTo(WEST);
    const back = await find(personId);
    expect(back).toMatchObject({ job_title: 'Engineer', effective_to: '2026-03-05', next_change_on: '2026-03-05' });
    expect([
      personTag(back) === personTag(early),
      back.updated_at > early.updated_at,
      back.sync_mark >= back.updated_at,
    ]).toEqual([false, true, true]);
    world.clock.standAt('2026-03-05T10:59:00Z');
    expect(await job()).toBe(0);

    world.clock.standAt('2026-03-05T11:00:00Z');
    expect(await job()).toBe(1);
    const again = await find(personId);
    expect(again).toMatchObject({ job_title: 'From 2026-03-05', next_change_on: null });
    expect([personTag(again) === personTag(early), again.updated_at > back.updated_at]).toEqual([false, true]);
    expect(await typesOf(personId)).toEqual([
      'EmploymentTookEffect',
      'EmploymentEffectTakenBack',
      'EmploymentTookEffectAgain',
    ]);
    expect(await toldUpdates()).toBe(1);
  });

  it('is rolled back also where a process that knew the old one wrote the row since', async () => {
    organisationId = await newOrganisation(world, EAST);
    const personId = await changing(['2026-03-05'], EAST);
    world.clock.standAt('2026-03-04T10:00:00Z');
    await moveTo(WEST);
    await record(
      personId,
      { type: 'change', startDate: '2026-03-01', terms: { work_type_id: null }, today: '2026-03-05' },
      '2026-03-05',
    );
    expect(await find(personId)).toMatchObject({ job_title: 'From 2026-03-05' });
    expect(await job()).toBe(1);
    expect(await find(personId)).toMatchObject({ job_title: 'Engineer', next_change_on: '2026-03-05' });
    expect([await job(), await typesOf(personId)]).toEqual([0, []]);
  });

  it('leaves a row alone that another process, whose clock is a bit fast, has brought to the day that is about to begin', async () => {
    const personId = await changing(['2026-03-05']);
    world.clock.standAt('2026-03-05T00:00:00Z');
    await job();
    world.clock.standAt('2026-03-04T23:59:30Z');
    expect(await job()).toBe(0);
    expect(await find(personId)).toMatchObject({ job_title: 'From 2026-03-05' });
    world.clock.standAt('2026-03-04T23:00:00Z');
    expect(await job()).toBe(1);
  });
});

describe('a first and a final day in the future', () => {
  /** The days on which integrators got an event about the person without a request. */
  async function toldOn(personId: string, days: readonly string[]): Promise<readonly string[]> {
    for (const day of days) {
      world.clock.standAt(`${day}T12:00:00Z`);
      await job();
    }
    return effectsOf(personId);
  }

  it('are told on the first day and on the day after the final one, and move updated_at', async () => {
    const personId = await createPerson(world, organisationId, { startDate: '2026-03-04', terms: {} }, todayOf(world));
    await record(personId, { type: 'end', endDate: '2026-03-10' });
    const before = await find(personId);
    expect(await toldOn(personId, ['2026-03-03', '2026-03-04', '2026-03-10'])).toEqual(['2026-03-04']);
    const working = await find(personId);
    expect(working.updated_at > before.updated_at).toBe(true);
    expect(await toldOn(personId, ['2026-03-11', '2026-03-12'])).toEqual(['2026-03-04', '2026-03-11']);
    const gone = await find(personId);
    expect([gone.updated_at > working.updated_at, gone.sync_mark >= gone.updated_at, gone.status]).toEqual([
      true,
      true,
      'ended',
    ]);
    expect(gone.fact_id).toBe(working.fact_id);
    for (const tagOf of [personTag, employmentTag]) expect(new Set([before, working, gone].map(tagOf)).size).toBe(3);
  });

  it('that are withdrawn or moved before they come are not told, the new day is', async () => {
    const [stays, leavesLater] = [await changing([]), await changing([])];
    for (const personId of [stays, leavesLater]) await record(personId, { type: 'end', endDate: '2026-03-10' });
    await record(stays, { type: 'withdraw', corrects: await lastFactOf(stays), correctionReason: 'She stays.' });
    const moved = {
      type: 'correct',
      startDate: '2026-03-20',
      terms: {},
      correctionReason: 'A letter.',
      corrects: await lastFactOf(leavesLater),
    } as const;
    await record(leavesLater, moved);
    const days = ['2026-03-11', '2026-03-21', '2026-03-22'];
    expect(await toldOn(leavesLater, days)).toEqual(['2026-03-21']);
    expect(await effectsOf(stays)).toEqual([]);
    expect(await find(stays)).toMatchObject({ status: 'active', end_date: null, next_change_on: null });
  });

  it('of rows from before they were told are told by the migration, where they lie ahead', async () => {
    const recent = (days: number): string => addDays(new Date().toISOString().slice(0, 10), days);
    const people = await Promise.all(
      [-400, -30, 5].map(async (days) => {
        const personId = await createPerson(
          world,
          organisationId,
          { startDate: '2020-01-01', terms: {} },
          todayOf(world),
        );
        await record(personId, { type: 'end', endDate: recent(days) });
        return personId;
      }),
    );
    await world.pool.query('update people set next_change_on = null');
    await world.pool.query(FIRST_AND_FINAL_DAYS_MIGRATION.sql);
    const rows = await Promise.all(people.map((personId) => find(personId)));
    expect(rows.map((row) => row.next_change_on)).toEqual([null, null, recent(6)]);
  });

  async function lastFactOf(personId: string): Promise<string> {
    const { rows } = await world.pool.query<{ fact_id: string }>(
      'select fact_id from employment_facts where person_id = $1 order by revision desc limit 1',
      [personId],
    );
    return rows[0]!.fact_id;
  }
});
