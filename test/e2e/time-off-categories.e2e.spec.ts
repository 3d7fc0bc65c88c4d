import { randomUUID } from 'node:crypto';
import { type ApiAnswer, dataOf, expectError, type SendOptions, tagOf } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

type Category = Schemas['TimeOffCategoryResponse'];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

const PATH = '/time-off/categories';
const post = (body: object, options?: SendOptions): Promise<ApiAnswer<Category>> =>
  organisation.client.post<Category>(PATH, body, options);
const patch = (id: string, body: object, options?: SendOptions): Promise<ApiAnswer<Category>> =>
  organisation.client.patch<Category>(`${PATH}/${id}`, body, options);
const archive = (id: string, options?: SendOptions): Promise<ApiAnswer<Category>> =>
  organisation.client.send<Category>('POST', `${PATH}/${id}/archive`, options);
const read = (id: string): Promise<ApiAnswer<Category>> => organisation.client.get<Category>(`${PATH}/${id}`);
const create = async (body: object = {}): Promise<Category> =>
  dataOf(201, await post({ label: randomUUID(), ...body }));
const eventsOf = async (id: string): Promise<readonly string[]> =>
  (await api.services.store.readStream(`time-off-category-${organisation.row.id}.${id}`)).map(({ type }) => type);

describe('GET /time-off/categories', () => {
  it('lists all categories in the order of their creation, page by page, the archived ones included', async () => {
    const own = await api.organisation();
    const made: Category[] = [];
    for (const label of ['Sick leave', 'Annual leave', 'Unpaid leave'])
      made.push(dataOf(201, await own.client.post<Category>(PATH, { label })));
    await own.client.send('POST', `${PATH}/${made[1]!.id}/archive`);
    const first = await own.client.get<readonly Category[]>(PATH, { limit: 2 });
    expect(dataOf(200, first).map(({ label, is_active }) => [label, is_active])).toEqual([
      ['Sick leave', true],
      ['Annual leave', false],
    ]);
    const cursor = first.json.pagination.next_cursor!;
    const second = await own.client.get<readonly Category[]>(PATH, { limit: 2, cursor });
    expect(dataOf(200, second).map(({ label }) => label)).toEqual(['Unpaid leave']);
    expect(second.json.pagination.next_cursor ?? '').toBe('');
    expectError(await organisation.client.get(PATH, { cursor }), 400, 'invalid_request', 'cursor');
    expectError(await own.client.get(PATH, { is_active: 'true' }), 400, 'invalid_request', 'is_active');
  });
});

describe('POST /time-off/categories', () => {
  it('answers 201 with the category; what was left out is approved paid leave in days, without an allowance or a limit', async () => {
    const answer = await post({ label: '  Annual   leave ' });
    const category = dataOf(201, answer);
    expect(category).toMatchObject({
      id: expect.stringMatching(/^toc_/),
      label: 'Annual leave',
      code: null,
      colour: null,
      is_standard: true,
      paid: true,
      requires_approval: true,
      unit: 'days',
      deducts_balance: true,
      counts_public_holidays: false,
      annual_allowance_minutes: null,
      negative_balance_minutes: null,
      is_active: true,
    });
    const shown = await read(category.id);
    expect([shown.text, tagOf(shown)]).toEqual([answer.text, tagOf(answer)]);
    expect(await eventsOf(category.id)).toEqual(['TimeOffCategoryCreated']);
  });

  it('makes one of racing categories of the same label', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => post({ label: 'Jury service' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });
});

describe('POST /time-off/categories/{categoryId}/archive', () => {
  it('archives once and for good, and gives its names free', async () => {
    const category = await create({ label: 'Sabbatical', code: 'SAB' });
    const archived = await archive(category.id);
    expect(dataOf(200, archived)).toMatchObject({ id: category.id, is_active: false });
    expect((await read(category.id)).text).toBe(archived.text);
    expectError(await archive(category.id), 409, 'conflict', 'is_active');
    expectError(await patch(category.id, { label: 'X' }), 409, 'conflict', 'is_active');
    expect((await create({ label: 'Sabbatical', code: 'SAB' })).id).not.toBe(category.id);
    expect(await eventsOf(category.id)).toEqual(['TimeOffCategoryCreated', 'TimeOffCategoryArchived']);
  });
});
