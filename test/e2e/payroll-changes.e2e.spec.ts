import { dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { withoutIds } from '../support/api/without-ids.js';
import type { Schemas } from '../support/api/shapes.js';

const PATH = '/payroll-changes-export';

type Change = Schemas['PayrollChangeResponse'];

let organisation: TestOrganisation;
let people: PeopleActions;

const api = TestApi.forSpec();
beforeEach(async () => {
  organisation = await api.organisation();
  people = new PeopleActions(organisation);
});

const changes = (from: string, to: string, limit = 200): Promise<readonly Change[]> =>
  people.all<Change>(PATH, { from, to, limit });
/** Windows long ago or far ahead, so that nothing counts as recorded in them. */
const PAST = ['2024-03-01', '2024-03-31'] as const;

describe('GET /payroll-changes-export', () => {
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
