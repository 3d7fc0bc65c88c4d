import { randomUUID } from 'node:crypto';
import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, type SendOptions, tagOf } from '../support/api/http-client.js';
import { dataOf } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';

const FIELDS = [
  'id',
  'label',
  'code',
  'colour',
  'is_standard',
  'paid',
  'requires_approval',
  'unit',
  'deducts_balance',
  'counts_public_holidays',
  'annual_allowance_minutes',
  'negative_balance_minutes',
  'is_active',
  'created_at',
  'updated_at',
];

interface Category {
  readonly id: string;
  readonly label: string;
  readonly code: string | null;
  readonly is_active: boolean;
  readonly updated_at: string;
}

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
    expect(Object.keys(first.json.data[0]!)).toEqual(FIELDS);
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
    expect(Object.keys(category)).toEqual(FIELDS);
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

  it('keeps all that is named', async () => {
    const named = {
      label: 'Training',
      code: 'TR-1',
      colour: '#a1b2c3',
      is_standard: false,
      paid: false,
      requires_approval: false,
      unit: 'hours',
      deducts_balance: false,
      counts_public_holidays: true,
      annual_allowance_minutes: 525_600,
      negative_balance_minutes: 0,
    };
    expect(await create({ ...named, colour: '#A1B2C3' })).toMatchObject(named);
  });

  it.each<[string, object]>([
    ['label', { label: ' ' }],
    ['label', { label: 'x'.repeat(201) }],
    ['label', { label: null }],
    ['code', { code: 'x'.repeat(41) }],
    ['colour', { colour: 'green' }],
    ['colour', { colour: '#12345' }],
    ['is_standard', { is_standard: null }],
    ['paid', { paid: 'yes' }],
    ['requires_approval', { requires_approval: 1 }],
    ['unit', { unit: 'weeks' }],
    ['annual_allowance_minutes', { annual_allowance_minutes: -1 }],
    ['annual_allowance_minutes', { annual_allowance_minutes: 525_601 }],
    ['annual_allowance_minutes', { annual_allowance_minutes: 1.5 }],
    ['negative_balance_minutes', { negative_balance_minutes: -1 }],
    ['is_active', { is_active: false }],
  ])('answers 400 and names %s for %j', async (field, body) => {
    expectError(await post({ label: 'Leave', ...body }), 400, 'invalid_request', field);
  });

  it('answers 409 for a label or a code that another active category has, without case', async () => {
    await create({ label: 'Parental leave', code: 'PL' });
    expectError(await post({ label: 'parental  LEAVE' }), 409, 'conflict', 'label');
    expectError(await post({ label: 'Paid lunch', code: 'pl' }), 409, 'conflict', 'code');
  });

  it('makes one of racing categories of the same label', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => post({ label: 'Jury service' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });
});

describe('PATCH /time-off/categories/{categoryId}', () => {
  it('changes what is named and leaves the rest; null clears', async () => {
    const category = await create({ code: 'C1', annual_allowance_minutes: 100 });
    const answer = await patch(category.id, {
      label: 'Renamed',
      code: null,
      annual_allowance_minutes: null,
      negative_balance_minutes: 60,
    });
    expect(dataOf(200, answer)).toEqual({
      ...category,
      label: 'Renamed',
      code: null,
      annual_allowance_minutes: null,
      negative_balance_minutes: 60,
      updated_at: expect.any(String),
    });
    expect((await read(category.id)).text).toBe(answer.text);
    expect(await eventsOf(category.id)).toEqual(['TimeOffCategoryCreated', 'TimeOffCategoryChanged']);
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

describe('GET /reference/time-off-categories', () => {
  it('lists ids and labels by label on one page, and says which are active', async () => {
    const own = await api.organisation();
    const [sick, annual] = [
      dataOf(201, await own.client.post<Category>(PATH, { label: 'Sick leave' })),
      dataOf(201, await own.client.post<Category>(PATH, { label: 'annual leave' })),
    ];
    await own.client.send('POST', `${PATH}/${sick.id}/archive`);
    const answer = await own.client.get('/reference/time-off-categories');
    expect(answer.json).toEqual({
      data: [
        { id: annual.id, label: 'annual leave', is_active: true },
        { id: sick.id, label: 'Sick leave', is_active: false },
      ],
    });
  });
});
