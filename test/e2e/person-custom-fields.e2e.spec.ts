import type { Scope } from '#kernel/scopes.js';
import { changeCustomField } from '#organisation/custom-field/custom-field.api.js';
import type { CustomFieldRow } from '#organisation/custom-field/custom-field.js';
import { CustomFieldActions, type PersonCustomFields } from '../support/api/custom-fields.js';
import { type ApiAnswer, dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';

const SIZES = [
  { value: 's', label: 'Small' },
  { value: 'm', label: 'Medium' },
];

let organisation: TestOrganisation;
let fields: CustomFieldActions;
let people: PeopleActions;
let personId: string;
/** One field of each type and each access, by key. */
let defined: Readonly<Record<string, CustomFieldRow>>;

const api = TestApi.forSpec();
beforeEach(async () => {
  organisation = await api.organisation();
  fields = new CustomFieldActions(api, organisation);
  people = new PeopleActions(organisation);
  personId = (await people.create()).id;
  const rows = [
    await fields.define('note', { display_order: 1 }),
    await fields.define('number', { display_order: 2, field_type: 'number' }),
    await fields.define('day', { display_order: 3, field_type: 'date' }),
    await fields.define('flag', { display_order: 4, field_type: 'boolean' }),
    await fields.define('size', { display_order: 5, field_type: 'single_select', options: SIZES }),
    await fields.define('shown', { display_order: 6, api_access: 'read' }),
    await fields.define('secret', { display_order: 7, api_access: 'hidden' }),
  ];
  defined = Object.fromEntries(rows.map((row) => [row.key, row]));
});

const VISIBLE = ['note', 'number', 'day', 'flag', 'size', 'shown'];
const idOf = (key: string): string => defined[key]!.id;
const set = (key: string, value: unknown): object => ({ field_id: idOf(key), value });
const valuesOf = (answer: ApiAnswer<PersonCustomFields>): Record<string, unknown> =>
  Object.fromEntries(dataOf(200, answer).values.map(({ key, value }) => [key, value]));
const eventsOf = async (): Promise<readonly string[]> =>
  (await api.services.store.readStream(`person-custom-fields-${organisation.row.id}.${personId}`)).map(
    ({ type }) => type,
  );
const configure = (key: string, update: Parameters<typeof changeCustomField>[3]) =>
  changeCustomField(api.services, testContext(organisation.row.id), idOf(key), update);
const withScopes = async (...scopes: readonly Scope[]): Promise<CustomFieldActions> => {
  const { apiKey } = await api.key(organisation.row, { scopes });
  return new CustomFieldActions(api, organisation, { client: api.client(apiKey) });
};

describe('GET /people/{personId}/custom-fields', () => {
  it('leaves out what the key may not read, by sensitivity', async () => {
    for (const sensitivity of ['personal', 'demographic', 'payroll'] as const)
      await fields.define(sensitivity, { sensitivity, display_order: 8 });
    const keysFor = async (...scopes: readonly Scope[]): Promise<readonly string[]> =>
      Object.keys(valuesOf(await (await withScopes(...scopes)).read(personId)));
    expect(await keysFor('custom_fields:read')).toEqual(VISIBLE);
    expect(await keysFor('custom_fields:read', 'people:personal:read')).toEqual([
      ...VISIBLE,
      'demographic',
      'personal',
    ]);
    expect(await keysFor('custom_fields:read', 'payroll_exports:read')).toEqual([...VISIBLE, 'payroll']);
  });

  it('has a tag that changes with what is shown: values, fields, and what the key may see', async () => {
    const tags = [tagOf(await fields.read(personId))];
    expect(tagOf(await fields.read(personId))).toBe(tags[0]);
    await fields.write(personId, [set('note', 'x')]);
    tags.push(tagOf(await fields.read(personId)));
    await configure('shown', { api_access: 'hidden' });
    tags.push(tagOf(await fields.read(personId)));
    await configure('note', { display_order: 99 });
    tags.push(tagOf(await fields.read(personId)));
    await configure('flag', { sensitivity: 'personal' });
    expect(tagOf(await fields.read(personId))).toBe(tags.at(-1));
    tags.push(tagOf(await (await withScopes('custom_fields:read')).read(personId)));
    expect(new Set(tags).size).toBe(tags.length);
  });
});

describe('PATCH /people/{personId}/custom-fields', () => {
  it('refuses the tag of before another write, of before a field was hidden, and of a key that sees more', async () => {
    const stale = tagOf(await fields.read(personId));
    await fields.write(personId, [set('note', 'x')]);
    expectError(await fields.write(personId, [set('note', 'y')], { ifMatch: stale }), 412, 'precondition_failed');
    const seen = tagOf(await fields.read(personId));
    await configure('shown', { api_access: 'hidden' });
    expectError(await fields.write(personId, [set('note', 'y')], { ifMatch: seen }), 412, 'precondition_failed');
    await configure('shown', { api_access: 'read', sensitivity: 'payroll' });
    const narrow = await withScopes('custom_fields:read', 'custom_fields:write');
    const ofMore = tagOf(await fields.read(personId));
    expectError(await narrow.write(personId, [set('note', 'y')], { ifMatch: ofMore }), 412, 'precondition_failed');
    expect(valuesOf(await narrow.write(personId, [set('note', 'y')]))).toMatchObject({ note: 'y' });
  });

  it('lets one of two racing writes with one tag through', async () => {
    const ifMatch = tagOf(await fields.read(personId));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => fields.write(personId, [set('number', index)], { ifMatch })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    expect(await eventsOf()).toHaveLength(1);
  });

  it('goes on for people who have ended, and moves neither the person nor their tags', async () => {
    const before = await organisation.client.get(`/people/${personId}`);
    await fields.write(personId, [set('note', 'x')]);
    expect((await organisation.client.get(`/people/${personId}`)).text).toBe(before.text);
    const { id: ended } = await people.create({ start_date: '2024-01-01' });
    await people.end(ended, '2024-06-30');
    expect(valuesOf(await fields.write(ended, [set('flag', true)]))).toMatchObject({ flag: true });
  });
});
