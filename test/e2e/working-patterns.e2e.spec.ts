import { type ApiAnswer, dataOf, expectError, type SendOptions } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

const MONDAY = { week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 210 };
const WEEK = { label: 'Mondays', cycle_weeks: 1, anchor_date: '2026-01-05', days: [MONDAY] };

type Pattern = Schemas['WorkingPatternResponse'];

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
    expectError(await own.client.get('/working-patterns', { limit: 1 }), 400, 'invalid_request', 'limit');
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
