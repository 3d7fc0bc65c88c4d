import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, type SendOptions, tagOf } from '../support/api/http-client.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';

const FIELDS = [
  'id',
  'label',
  'cycle_weeks',
  'anchor_date',
  'days',
  'weekly_minutes',
  'archived_at',
  'created_at',
  'updated_at',
];
const MONDAY = { week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 210 };
const WEEK = { label: 'Mondays', cycle_weeks: 1, anchor_date: '2026-01-05', days: [MONDAY] };

interface Pattern {
  readonly id: string;
  readonly label: string;
  readonly cycle_weeks: number;
  readonly days: readonly object[];
  readonly weekly_minutes: number;
  readonly archived_at: string | null;
  readonly updated_at: string;
}

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

const post = (body: object, options?: SendOptions): Promise<ApiAnswer<Pattern>> =>
  organisation.client.post<Pattern>('/working-patterns', body, options);
const patch = (id: string, body: object, options?: SendOptions): Promise<ApiAnswer<Pattern>> =>
  organisation.client.patch<Pattern>(`/working-patterns/${id}`, body, options);
const archive = (id: string, options?: SendOptions): Promise<ApiAnswer<Pattern>> =>
  organisation.client.send<Pattern>('POST', `/working-patterns/${id}/archive`, options);
const read = (id: string): Promise<ApiAnswer<Pattern>> => organisation.client.get<Pattern>(`/working-patterns/${id}`);
const create = async (body: object = {}): Promise<Pattern> => dataOf(201, await post({ ...WEEK, ...body }));
const eventsOf = async (id: string): Promise<readonly string[]> =>
  (await api.services.store.readStream(`working-pattern-${organisation.row.id}.${id}`)).map(({ type }) => type);

describe('GET /working-patterns', () => {
  it('lists all patterns by label on one page, those of this organisation alone, the archived ones included', async () => {
    const own = await api.organisation();
    const closed = dataOf(201, await own.client.post<Pattern>('/working-patterns', { ...WEEK, label: 'Former' }));
    await own.client.send('POST', `/working-patterns/${closed.id}/archive`);
    const answer = await own.client.get<readonly Pattern[]>('/working-patterns');
    expect(Object.keys(answer.json)).toEqual(['data']);
    expect(dataOf(200, answer).map(({ label, archived_at }) => [label, archived_at !== null])).toEqual([
      ['Former', true],
      ['Weekdays', false],
    ]);
    expect(Object.keys(answer.json.data[0]!)).toEqual(FIELDS);
    expectError(await own.client.get('/working-patterns', { limit: 1 }), 400, 'invalid_request', 'limit');
  });
});

describe('POST /working-patterns', () => {
  it('answers 201 with the pattern, its days in order', async () => {
    const friday = { ...MONDAY, weekday: 5, afternoon_minutes: 0 };
    const answer = await post({ ...WEEK, label: ' Short   week ', days: [friday, MONDAY] });
    const pattern = dataOf(201, answer);
    expect(Object.keys(pattern)).toEqual(FIELDS);
    expect(pattern).toMatchObject({
      id: expect.stringMatching(/^working_pattern_/),
      label: 'Short week',
      cycle_weeks: 1,
      anchor_date: '2026-01-05',
      days: [MONDAY, friday],
      weekly_minutes: 690,
      archived_at: null,
    });
    const shown = await read(pattern.id);
    expect([shown.text, tagOf(shown)]).toEqual([answer.text, tagOf(answer)]);
    expect(await eventsOf(pattern.id)).toEqual(['WorkingPatternCreated']);
  });

  it('says in plain words what is wrong with a day', async () => {
    const detailsOf = async (days: readonly object[]) => (await post({ ...WEEK, days })).json.error.details;
    expect(await detailsOf([{ ...MONDAY, week: 2 }])).toEqual([
      { field: 'days[0].week', issue: 'must be a week of the cycle, which has 1' },
    ]);
    expect(await detailsOf([MONDAY, MONDAY])).toEqual([{ field: 'days[1]', issue: 'week 1 has weekday 1 twice' }]);
    expect(await detailsOf([{ ...MONDAY, morning_minutes: 1_300 }])).toEqual([
      { field: 'days[0]', issue: 'has 1510 minutes: a day has 1440' },
    ]);
  });
});

describe('PATCH /working-patterns/{workingPatternId}', () => {
  it('changes what is named and leaves the rest; people show the new label', async () => {
    const pattern = await create({ label: 'Before' });
    const people = new PeopleActions(organisation);
    const person = await people.create({ working_pattern_id: pattern.id });
    const days = [MONDAY, { ...MONDAY, week: 2, weekday: 3 }];
    const answer = await patch(pattern.id, { label: 'After', cycle_weeks: 2, days });
    expect(dataOf(200, answer)).toMatchObject({
      label: 'After',
      cycle_weeks: 2,
      anchor_date: '2026-01-05',
      days,
      weekly_minutes: 450,
    });
    expect((await read(pattern.id)).text).toBe(answer.text);
    expect((await people.person(person.id)).working_pattern).toEqual({ id: pattern.id, label: 'After' });
    expect(await eventsOf(pattern.id)).toEqual(['WorkingPatternCreated', 'WorkingPatternChanged']);
  });
});

describe('POST /working-patterns/{workingPatternId}/archive', () => {
  it('archives once and for good; those who have it keep it, nobody is given it any more', async () => {
    const pattern = await create({ label: 'Night shift' });
    const people = new PeopleActions(organisation);
    const person = await people.create({ working_pattern_id: pattern.id });
    const archived = await archive(pattern.id);
    expect(dataOf(200, archived).archived_at).toBe(archived.json.data.updated_at);
    expect((await read(pattern.id)).text).toBe(archived.text);
    expectError(await archive(pattern.id), 409, 'conflict', 'archived_at');
    expectError(await patch(pattern.id, { label: 'X' }), 409, 'conflict', 'archived_at');
    expect((await people.person(person.id)).working_pattern).toEqual({ id: pattern.id, label: 'Night shift' });
    expectError(
      await organisation.client.post('/people', { work_email: 'a@example.com', working_pattern_id: pattern.id }),
      409,
      'conflict',
      'working_pattern_id',
    );
    expect(await eventsOf(pattern.id)).toEqual(['WorkingPatternCreated', 'WorkingPatternArchived']);
  });
});
