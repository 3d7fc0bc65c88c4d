import { PeopleActions } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { runEffectiveDateJob } from '#people/timeline/effective-date-job.js';

let now = new Date('2026-06-15T12:00:00Z');
const clock = { now: () => now };

let api: TestApi;
let organisation: TestOrganisation;
let people: PeopleActions;

beforeAll(async () => {
  api = await TestApi.start({ clock });
  organisation = await api.organisation({ timeZone: 'UTC' });
  people = new PeopleActions(organisation.client);
});
beforeEach(() => {
  now = new Date('2026-06-15T12:00:00Z');
});

afterAll(() => api.stop());

/** On a later day, with what takes effect until then shown. */
async function comeTo(day: string): Promise<void> {
  now = new Date(`${day}T12:00:00Z`);
  await runEffectiveDateJob({
    pool: api.database.pool,
    eventStore: api.services.store,
    projector: api.services.projector,
    clock,
  });
}

const dates = ({ status, start_date, end_date, job_title }: Person): readonly unknown[] => [
  status,
  start_date,
  end_date,
  job_title,
];

async function periodOf(id: string): Promise<readonly unknown[]> {
  const { period_start_date, period_end_date, job_title } = await people.employment(id);
  return [period_start_date, period_end_date, job_title];
}

describe('a rehire that is recorded while the first period still runs', () => {
  it('answers with the dates of the period that it records, and the terms of today', async () => {
    const { id } = await people.create({ start_date: '2024-01-01', job_title: 'First' });
    expect(dates(await people.end(id, '2026-07-31'))).toEqual(['ended', '2024-01-01', '2026-07-31', 'First']);
    expect(dates(await people.reactivate(id, { start_date: '2026-10-01', job_title: 'Back' }))).toEqual([
      'active',
      '2026-10-01',
      null,
      'First',
    ]);
    expect(dates(await people.person(id))).toEqual(['active', '2026-10-01', null, 'First']);
    const [listed] = (await people.all<Person>('/people')).filter((person) => person.id === id);
    expect(dates(listed!)).toEqual(['active', '2026-10-01', null, 'First']);
    expect(await periodOf(id)).toEqual(['2024-01-01', '2026-07-31', 'First']);
  });

  it('answers an end of the coming period with its final day', async () => {
    const { id } = await people.create({ start_date: '2024-01-01', job_title: 'First' });
    await people.end(id, '2026-07-31');
    await people.reactivate(id, { start_date: '2026-10-01', job_title: 'Back' });
    expect(dates(await people.end(id, '2026-12-31'))).toEqual(['ended', '2026-10-01', '2026-12-31', 'First']);
    expect(await periodOf(id)).toEqual(['2024-01-01', '2026-07-31', 'First']);
    expect(dates(await people.reactivate(id, { start_date: '2027-02-01' }))).toEqual([
      'active',
      '2027-02-01',
      null,
      'First',
    ]);
    await comeTo('2026-08-01');
    expect([dates(await people.person(id)), await periodOf(id)]).toEqual([
      ['active', '2027-02-01', null, 'Back'],
      ['2026-10-01', '2026-12-31', 'Back'],
    ]);
    await comeTo('2027-01-01');
    expect([dates(await people.person(id)), await periodOf(id)]).toEqual([
      ['active', '2027-02-01', null, null],
      ['2027-02-01', null, null],
    ]);
  });

  it('shows a change and a correction of the coming period in the dates at once, in the terms on its day', async () => {
    const { id } = await people.create({ start_date: '2024-01-01', job_title: 'First' });
    await people.end(id, '2026-07-31');
    await people.reactivate(id, { start_date: '2026-10-01', job_title: 'Back' });
    const [rehire] = (await people.facts(id)).slice(-1);
    await people.correct(id, { start_date: '2026-09-01', job_title: 'Back', corrects: rehire!.fact_id });
    await people.change(id, { start_date: '2026-09-15', job_title: 'Later' });
    expect(dates(await people.person(id))).toEqual(['active', '2026-09-01', null, 'First']);
    await comeTo('2026-08-01');
    expect(dates(await people.person(id))).toEqual(['active', '2026-09-01', null, 'Back']);
  });
});

describe('a person without a start date who ends and is hired again', () => {
  it('keeps the first period in the timeline, from an unknown day on', async () => {
    const { id } = await people.create({ job_title: 'First' });
    await people.end(id, '2026-03-31');
    await people.reactivate(id, { start_date: '2026-05-01', job_title: 'Back' });
    const line = async (query: Readonly<Record<string, string>> = {}): Promise<readonly unknown[]> =>
      (await people.timeline(id, query)).segments.map(({ effective_from, effective_to, employed, job_title }) => [
        effective_from,
        effective_to,
        employed,
        job_title,
      ]);
    expect(await line()).toEqual([
      [null, '2026-04-01', true, 'First'],
      ['2026-04-01', '2026-05-01', false, null],
      ['2026-05-01', null, true, 'Back'],
    ]);
    const on = async (day: string): Promise<unknown> => (await people.timeline(id, { as_of: day })).segment?.job_title;
    expect([await on('1999-01-01'), await on('2026-03-31'), await on('2026-04-01'), await on('2026-05-01')]).toEqual([
      'First',
      'First',
      null,
      'Back',
    ]);
    expect(dates(await people.person(id))).toEqual(['active', '2026-05-01', null, 'Back']);
  });

  it('begins it with the first dated fact, and says what that changed', async () => {
    const { id } = await people.create({ job_title: 'First' });
    await people.end(id, '2026-03-31');
    await people.reactivate(id, { start_date: '2026-05-01', job_title: 'Back' });
    const { recorded_at: before } = (await people.facts(id)).at(-1)!;
    await people.correct(id, { start_date: '2026-02-01', job_title: 'Second' });
    const { segments, changes } = await people.timeline(id, { compare_known_at: before });
    expect(segments[0]).toMatchObject({
      effective_from: '2026-02-01',
      effective_to: '2026-04-01',
      job_title: 'Second',
    });
    expect(changes).toMatchObject([
      { effective_from: null, effective_to: '2026-02-01', field: 'employed', before: true, after: false },
      { effective_from: null, effective_to: '2026-02-01', field: 'job_title', before: 'First', after: null },
      {
        effective_from: '2026-02-01',
        effective_to: '2026-04-01',
        field: 'job_title',
        before: 'First',
        after: 'Second',
      },
    ]);
    expect((await people.timeline(id, { known_at: before })).segments[0]).toMatchObject({
      effective_from: null,
      job_title: 'First',
    });
  });

  it('may have time off in it', async () => {
    const timeOff = new TimeOffActions(api, organisation);
    const categoryId = await timeOff.category();
    const { id } = await people.create();
    await people.end(id, '2026-06-30');
    await people.reactivate(id, { start_date: '2026-07-01' });
    await comeTo('2026-07-02');
    const taken = await timeOff.create({
      person_id: id,
      category_id: categoryId,
      start_date: '2026-06-22',
      end_date: '2026-06-23',
    });
    expect(taken.total_days).toBe(2);
  });
});
