import { expectError } from '../support/api/expect-error.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { withoutIds } from '../support/api/without-ids.js';

const PATH = '/payroll-changes-export';
const FIELDS = [
  'fact_id',
  'person',
  'change_type',
  'effective_date',
  'corrected_effective_date',
  'recorded_at',
  'is_retroactive',
  'changed_fields',
  'compensation_changed',
  'banking_changed',
];

interface Change {
  readonly fact_id: string;
  readonly person: { readonly id: string; readonly display_name: string; readonly staff_id: string | null };
  readonly change_type: string;
  readonly effective_date: string;
  readonly corrected_effective_date: string | null;
  readonly recorded_at: string;
  readonly is_retroactive: boolean;
  readonly changed_fields: readonly string[];
}

let organisation: TestOrganisation;
let people: PeopleActions;

const api = TestApi.forSpec();
beforeEach(async () => {
  organisation = await api.organisation();
  people = new PeopleActions(organisation);
});

const changes = (from: string, to: string, limit = 200): Promise<readonly Change[]> =>
  people.all<Change>(PATH, { from, to, limit });
const told = (rows: readonly Change[]): readonly unknown[] =>
  rows.map((row) => [row.change_type, row.effective_date, ...row.changed_fields]);
/** Windows long ago or far ahead, so that nothing counts as recorded in them. */
const PAST = ['2024-03-01', '2024-03-31'] as const;

describe('GET /payroll-changes-export', () => {
  it('tells of starters, leavers, rehires, changes and corrections by their effective dates, in the order of recording', async () => {
    const { department_id, working_pattern_id } = organisation.references;
    const ada = await people.create({
      first_name: 'Ada',
      staff_id: 'E-1',
      job_title: 'Engineer',
      department_id,
      start_date: '2024-03-04',
    });
    await people.change(ada.id, { start_date: '2024-03-11', working_pattern_id, job_title: 'Engineer' });
    await people.end(ada.id, '2024-03-20');
    await people.reactivate(ada.id, { start_date: '2024-03-25', job_title: 'Analyst' });
    await people.correct(ada.id, { start_date: '2024-03-12', contracted_weekly_minutes: 1_000 });
    await people.correct(ada.id, { start_date: '2024-04-01', job_title: 'Lead' });
    const rows = await changes(...PAST);
    expect(told(rows)).toEqual([
      ['starter', '2024-03-04', 'start_date', 'job_title', 'department'],
      ['employment_change', '2024-03-11', 'working_pattern'],
      ['leaver', '2024-03-20', 'end_date'],
      ['rehire', '2024-03-25', 'start_date', 'job_title'],
      ['correction', '2024-03-12', 'contracted_weekly_minutes'],
    ]);
    const facts = await people.facts(ada.id);
    expect(rows.map(({ fact_id, recorded_at }) => [fact_id, recorded_at])).toEqual(
      facts.slice(0, 5).map(({ fact_id, recorded_at }) => [fact_id, recorded_at]),
    );
    expect(rows[0]).toEqual({
      fact_id: facts[0]!.fact_id,
      person: { id: ada.id, display_name: 'Ada', staff_id: 'E-1' },
      change_type: 'starter',
      effective_date: '2024-03-04',
      corrected_effective_date: null,
      recorded_at: facts[0]!.recorded_at,
      is_retroactive: true,
      changed_fields: ['start_date', 'job_title', 'department'],
      compensation_changed: false,
      banking_changed: false,
    });
    expect(Object.keys(rows[0]!)).toEqual(FIELDS);
  });

  it('shows the names of today', async () => {
    const person = await people.create({ first_name: 'Ada', start_date: '2024-03-05' });
    await people.identity(person.id, { first_name: 'Augusta', staff_id: 'E-9' });
    expect((await changes(...PAST))[0]!.person).toEqual({ id: person.id, display_name: 'Augusta', staff_id: 'E-9' });
  });

  it('gives the same rows in pages of one, a cursor that belongs to its window alone, and nobody of another organisation', async () => {
    for (let day = 1; day <= 5; day += 1) await people.create({ start_date: `2024-03-0${day}` });
    const stranger = await api.organisation();
    await new PeopleActions(stranger).create({ start_date: '2024-03-03' });
    const whole = await changes(...PAST);
    expect(whole).toHaveLength(5);
    expect(await changes(...PAST, 1)).toEqual(whole);
    const [from, to] = PAST;
    const page = await organisation.client.get<readonly Change[]>(PATH, { from, to, limit: 2 });
    const cursor = page.json.pagination.next_cursor!;
    expectError(
      await organisation.client.get(PATH, { from, to: '2024-03-30', cursor }),
      400,
      'invalid_request',
      'cursor',
    );
    expectError(await stranger.client.get(PATH, { from, to, cursor }), 400, 'invalid_request', 'cursor');
    expect(
      dataOf(200, await organisation.client.get<readonly Change[]>(PATH, { from, to, cursor, limit: 200 })),
    ).toEqual(whole.slice(2));
  });

  it('never shows a value, a reason or another identity of a person', async () => {
    const marked = {
      work_email: 'marker-mail@example.com',
      first_name: 'Ada',
      last_name: 'Byron',
      job_title: 'MARKER title',
      start_date: '2024-03-04',
      contracted_weekly_minutes: 1_234,
    };
    const person = await people.create(marked);
    await people.correct(person.id, {
      start_date: '2024-03-05',
      full_time_weekly_minutes: 4_321,
      correction_reason: 'MARKER reason',
    });
    const [from, to] = PAST;
    const { text } = await organisation.client.get(PATH, { from, to });
    expect(text).toContain(person.id);
    for (const marker of [/marker/i, /1234/, /4321/]) expect(withoutIds(text)).not.toMatch(marker);
  });

  it('shows everything that was answered before a run began, once, and ends, whoever writes meanwhile', async () => {
    const before: string[] = [];
    for (let index = 0; index < 12; index += 1) before.push((await people.create({ start_date: '2024-03-01' })).id);
    let isRunning = true;
    const writers = [1, 2, 3].map(async () => {
      while (isRunning) await people.create({ start_date: '2024-03-02' });
    });
    const run = await changes(...PAST, 1).finally(() => (isRunning = false));
    await Promise.all(writers);
    expect(run.slice(0, 12).map(({ person }) => person.id)).toEqual(before);
    expect(new Set(run.map(({ fact_id }) => fact_id)).size).toBe(run.length);
    const again = await changes(...PAST);
    const shown = new Set(run.map(({ fact_id }) => fact_id));
    expect(again.filter(({ fact_id }) => shown.has(fact_id))).toEqual(run);
  });
});
