import { randomUUID } from 'node:crypto';
import { createCustomField } from '#organisation/custom-field/custom-field.api.js';
import { MAX_FIELDS } from '#organisation/custom-field/custom-field.js';
import { type ApiAnswer, dataOf } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

const post = (body: object): Promise<ApiAnswer<{ readonly id: string }>> =>
  organisation.client.post('/org-units', body);
const create = async (): Promise<string> => dataOf(201, await post({ name: `Unit ${randomUUID()}` })).id;

it('moves of org units never make a cycle, at two instances either', async () => {
  const clients = [organisation.client, api.client(organisation.apiKey, await api.startAnother())];
  for (let round = 0; round < 5; round += 1) {
    const units = [await create(), await create(), await create()];
    const moves = await Promise.all(
      units.map((id, index) => clients[index % 2]!.patch(`/org-units/${id}`, { parent_id: units[(index + 1) % 3] })),
    );
    expect(moves.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
  }
});

it('no active org unit comes below one that is archived at the same time', async () => {
  for (let round = 0; round < 5; round += 1) {
    const parent_id = await create();
    const [archived, created] = await Promise.all([
      organisation.client.send('POST', `/org-units/${parent_id}/archive`),
      post({ name: 'Child', parent_id }),
    ]);
    expect([
      [200, 409],
      [409, 201],
    ]).toContainEqual([archived.status, created.status]);
  }
});

it('one category of time off is made of several with the same label', async () => {
  const make = () => organisation.client.post('/time-off/categories', { label: 'Jury service' });
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(make));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
});

it('one custom field is made of several with the same key, and never more than an organisation may have', async () => {
  const field = { label: 'Race', description: null, field_type: 'text', sensitivity: 'operational' } as const;
  const requested = { ...field, api_access: 'read', display_order: 0, is_required: false, options: [] } as const;
  const define = (key: string) =>
    createCustomField(api.services, testContext(organisation.row.id), { ...requested, key });
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => define('race')));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (let index = 0; index < MAX_FIELDS - 2; index += 1) await define(`race_${index}`);
  const last = await Promise.allSettled(Array.from({ length: 5 }, (_, index) => define(`last_${index}`)));
  expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(dataOf(200, await organisation.client.get<readonly object[]>('/custom-fields'))).toHaveLength(MAX_FIELDS);
});
