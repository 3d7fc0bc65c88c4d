import { randomUUID } from 'node:crypto';
import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, type SendOptions, tagOf } from '../support/api/http-client.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';

const UNKNOWN = 'working_pattern_aaaaaaaa.bbbbbbbb.cccccccccccc';
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

let api: TestApi;
let organisation: TestOrganisation;

beforeAll(async () => {
  api = await TestApi.start();
  organisation = await api.organisation();
});

afterAll(() => api.stop());

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

  it.each([
    [2, [MONDAY], 225],
    [3, [{ ...MONDAY, morning_minutes: 200, afternoon_minutes: 0 }], 66.6667],
    [8, [1, 2, 3, 4, 5, 6, 7, 8].map((week) => ({ ...MONDAY, week, weekday: (week % 7) + 1 })), 450],
    [
      1,
      [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ week: 1, weekday, morning_minutes: 720, afternoon_minutes: 720 })),
      10_080,
    ],
    [1, [], 0],
  ])('derives the weekly minutes of a cycle of %i weeks as the mean', async (cycle_weeks, days, weekly) => {
    expect((await create({ cycle_weeks, days })).weekly_minutes).toBe(weekly);
  });

  it.each<[string, object]>([
    ['label', { label: ' ' }],
    ['label', { label: 'x'.repeat(201) }],
    ['cycle_weeks', { cycle_weeks: 0 }],
    ['cycle_weeks', { cycle_weeks: 9 }],
    ['cycle_weeks', { cycle_weeks: 1.5 }],
    ['anchor_date', { anchor_date: '2026-02-30' }],
    ['anchor_date', { anchor_date: null }],
    ['days', { days: null }],
    ['days', { days: Array.from({ length: 57 }, () => MONDAY) }],
    ['days[0].week', { days: [{ ...MONDAY, week: 2 }] }],
    ['days[0].week', { days: [{ ...MONDAY, week: 0 }] }],
    ['days[1].weekday', { days: [MONDAY, { ...MONDAY, weekday: 8 }] }],
    ['days[0].morning_minutes', { days: [{ ...MONDAY, morning_minutes: -1 }] }],
    ['days[0].afternoon_minutes', { days: [{ ...MONDAY, afternoon_minutes: 1_441 }] }],
    ['days[0].afternoon_minutes', { days: [{ week: 1, weekday: 1, morning_minutes: 240 }] }],
    ['days[0]', { days: [{ ...MONDAY, morning_minutes: 1_440 }] }],
    ['days[1]', { days: [MONDAY, { ...MONDAY, morning_minutes: 0 }] }],
    ['days[0].note', { days: [{ ...MONDAY, note: 'x' }] }],
    ['weekly_minutes', { weekly_minutes: 450 }],
  ])('answers 400 and names %s for %j', async (field, body) => {
    expectError(await post({ ...WEEK, ...body }), 400, 'invalid_request', field);
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

  it('needs an Idempotency-Key, and makes one pattern of two same requests', async () => {
    expectError(await post(WEEK, { idempotencyKey: null }), 400, 'idempotency_required');
    const idempotencyKey = randomUUID();
    const [first, second] = [await post(WEEK, { idempotencyKey }), await post(WEEK, { idempotencyKey })];
    expect([second.text, second.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expectError(await post({ ...WEEK, label: 'Other' }, { idempotencyKey }), 409, 'idempotency_conflict');
  });
});

describe('GET /working-patterns/{workingPatternId}', () => {
  it('answers 404 for an id that nobody has, or that is no id', async () => {
    for (const id of [UNKNOWN, 'working_pattern_x', '1']) expectError(await read(id), 404, 'not_found');
  });
});

describe('PATCH /working-patterns/{workingPatternId}', () => {
  it('changes what is named and leaves the rest; people show the new label', async () => {
    const pattern = await create({ label: 'Before' });
    const people = new PeopleActions(organisation.client);
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

  it('records nothing where nothing changes', async () => {
    const pattern = await create();
    const answer = await patch(pattern.id, WEEK);
    expect([dataOf(200, answer), tagOf(answer)]).toEqual([pattern, tagOf(await read(pattern.id))]);
    expect(await eventsOf(pattern.id)).toEqual(['WorkingPatternCreated']);
  });

  it('answers 400 where the cycle would have no place for a day, and changes nothing', async () => {
    const pattern = await create({ cycle_weeks: 2, days: [MONDAY, { ...MONDAY, week: 2 }] });
    expectError(await patch(pattern.id, { cycle_weeks: 1 }), 400, 'invalid_request', 'days[1].week');
    expectError(await patch(pattern.id, { label: '' }), 400, 'invalid_request', 'label');
    expect(dataOf(200, await read(pattern.id))).toEqual(pattern);
    expect(dataOf(200, await patch(pattern.id, { cycle_weeks: 1, days: [] })).weekly_minutes).toBe(0);
  });

  it('honours If-Match where it is sent, and needs none', async () => {
    const pattern = await create();
    const stale = tagOf(await read(pattern.id));
    expect((await patch(pattern.id, { label: 'One' }, { ifMatch: stale })).status).toBe(200);
    expectError(await patch(pattern.id, { label: 'Two' }, { ifMatch: stale }), 412, 'precondition_failed');
    expectError(await archive(pattern.id, { ifMatch: stale }), 412, 'precondition_failed');
    expect(dataOf(200, await patch(pattern.id, { label: 'Three' })).label).toBe('Three');
  });

  it('lets one of racing writes with the same If-Match win', async () => {
    const pattern = await create();
    const ifMatch = tagOf(await read(pattern.id));
    const answers = await Promise.all(['A', 'B', 'C', 'D'].map((label) => patch(pattern.id, { label }, { ifMatch })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });
});

describe('POST /working-patterns/{workingPatternId}/archive', () => {
  it('archives once and for good; those who have it keep it, nobody is given it any more', async () => {
    const pattern = await create({ label: 'Night shift' });
    const people = new PeopleActions(organisation.client);
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

  it('replays the first answer under the same Idempotency-Key, not 409', async () => {
    const { id } = await create();
    const idempotencyKey = randomUUID();
    const [first, second] = [await archive(id, { idempotencyKey }), await archive(id, { idempotencyKey })];
    expect([second.status, second.text]).toEqual([200, first.text]);
  });

  it('answers 404 for a pattern that does not exist', async () => {
    expectError(await archive(UNKNOWN), 404, 'not_found');
    expectError(await patch(UNKNOWN, { label: 'X' }), 404, 'not_found');
  });
});

it('reads need working_patterns:read and writes working_patterns:write', async () => {
  const { id } = await create();
  const only = async (scope: 'working_patterns:read' | 'working_patterns:write') =>
    api.client((await api.key(organisation.row, { scopes: [scope] })).apiKey);
  const [reader, writer] = [await only('working_patterns:read'), await only('working_patterns:write')];
  for (const path of ['/working-patterns', `/working-patterns/${id}`]) {
    expect((await reader.get(path)).status).toBe(200);
    expectError(await writer.get(path), 403, 'permission_denied');
  }
  expectError(await reader.post('/working-patterns', WEEK), 403, 'permission_denied');
  expectError(await reader.patch(`/working-patterns/${id}`, { label: 'X' }), 403, 'permission_denied');
  expectError(await reader.send('POST', `/working-patterns/${id}/archive`), 403, 'permission_denied');
  expect((await writer.patch(`/working-patterns/${id}`, { label: 'X' })).status).toBe(200);
});
