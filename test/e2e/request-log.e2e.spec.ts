import { purgeRequestLog } from '#audit/request-log/request-writer.js';
import { slotOf } from '#audit/request-log/request-log.sql.js';
import { eventually } from '../contract/event-store.support.js';
import { clientOf, signedIn } from '../support/api/browser-session.js';
import { type ApiAnswer, type ApiClient, expectError } from '../support/api/http-client.js';
import { newEmail } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

const DAY = 86_400_000;

type Logged = Schemas['RequestResponse'];

let now = Date.now();
let own: TestOrganisation;
let stranger: TestOrganisation;
/** Reads the log with a key of its own, so that its requests are told from the others. */
let reader: ApiClient;

const api = TestApi.forSpec({ clock: { now: () => new Date(now) }, requestLog: 'on' });

beforeAll(async () => {
  [own, stranger] = [await api.organisation(), await api.organisation()];
  reader = api.client((await api.key(own.row, { scopes: ['requests:read'] })).apiKey);
});

const idOf = ({ headers }: ApiAnswer): string => headers['service-request-id'] as string;

/** Waits until the log has the request: it is written a second later at most. */
async function logged(id: string): Promise<Logged> {
  let answer: ApiAnswer<Logged> | null = null;
  await eventually(async () => {
    answer = await reader.get<Logged>(`/requests/${id}`);
    return answer.status === 200;
  });
  return answer!.json.data;
}

const list = async (query: Readonly<Record<string, string | number>> = {}): Promise<readonly Logged[]> =>
  (await reader.get<readonly Logged[]>('/requests', query)).json.data;

it('a request is found by the id that its answer names, without what it carried', async () => {
  const person = (await own.client.post<{ id: string }>('/people', { work_email: newEmail(), first_name: 'Ada' })).json
    .data.id;
  const answer = await own.client.get(`/people/${person}`);
  const refused = await own.client.patch(`/people/${person}`, { first_name: 'Grace Secret' });
  const unknown = await own.client.get('/no/such/Secret', { q: 'Secret' });
  expect(await logged(idOf(answer))).toEqual({
    request_id: idOf(answer),
    answered_at: new Date(now).toISOString(),
    method: 'GET',
    route: '/api/v1/people/{personId}',
    operation: 'getPerson',
    status: 200,
    error_code: null,
    key_id: own.keyId,
    user_id: null,
    duration_milliseconds: expect.any(Number),
  });
  expect(await logged(idOf(refused))).toMatchObject({
    method: 'PATCH',
    status: 428,
    error_code: 'precondition_required',
  });
  expect(await logged(idOf(unknown))).toMatchObject({
    route: null,
    operation: null,
    status: 404,
    error_code: 'not_found',
  });
  const { rows } = await api.database.pool.query<{ text: string }>('select r::text as text from request_log r');
  expect(rows.filter(({ text }) => text.includes('Secret') || text.includes(person))).toEqual([]);
});

it('a request of a session names the user, and a repeated refusal its code', async () => {
  const { browser, user } = await signedIn(api, own.row.id, 'viewer', { email: newEmail(), now: new Date(now) });
  const answer = await clientOf(browser, api.client(null)).send('GET', '/people');
  expect(await logged(idOf(answer))).toMatchObject({ key_id: null, user_id: user.id });
  const wrong = (): Promise<ApiAnswer> =>
    own.client.send('POST', '/api-keys/key_Zm9vYmFy.YmF6cXV4.c2VhbGVkX2lk/revoke', {
      idempotencyKey: 'repeated-refusal',
    });
  await wrong();
  await wrong();
  await eventually(async () => (await list({ route: '/api/v1/api-keys/{keyId}/revoke' })).length === 2);
  expect((await list({ route: '/api/v1/api-keys/{keyId}/revoke' })).map(({ error_code }) => error_code)).toEqual([
    'not_found',
    'not_found',
  ]);
});

it('the log is read newest first, in pages, by filters', async () => {
  const last: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    now += 1_000;
    last.unshift(idOf(await own.client.get(count % 2 === 0 ? '/people' : '/people/x')));
  }
  await logged(last[0]!);
  const query = { key_id: own.keyId, limit: 2 };
  const first = await reader.get<readonly Logged[]>('/requests', query);
  const second = await reader.get<readonly Logged[]>('/requests', {
    ...query,
    cursor: first.json.pagination.next_cursor!,
  });
  expect([...first.json.data, ...second.json.data].map(({ request_id }) => request_id)).toEqual(last.slice(0, 4));
  const ofKey = { key_id: own.keyId };
  expect((await list({ ...ofKey, status: '4xx' })).slice(0, 2).map(({ request_id }) => request_id)).toEqual([
    last[1],
    last[3],
  ]);
  expect((await list({ ...ofKey, status: '404' })).slice(0, 2).map(({ request_id }) => request_id)).toEqual([
    last[1],
    last[3],
  ]);
  expect((await list({ ...ofKey, route: '/api/v1/people' }))[0]!.request_id).toBe(last[0]);
  expect((await list({ ...ofKey, method: 'DELETE' })).length).toBe(0);
  expect((await list({ key_id: 'key_Zm9vYmFy.YmF6cXV4.c2VhbGVkX2lk' })).length).toBe(0);
  for (const [field, value] of [
    ['status', '4'],
    ['method', 'FETCH'],
    ['key', 'x'],
  ] as const) {
    expectError(await reader.get('/requests', { [field]: value }), 400, 'invalid_request', field);
  }
});

it('a request of another organisation is not found, nor one without a valid key', async () => {
  const answer = await stranger.client.get('/people');
  const withoutKey = await api.client(null).get('/people');
  const mine = await own.client.get('/people');
  await logged(idOf(mine));
  for (const id of [idOf(answer), idOf(withoutKey), 'req_nobody.1'])
    expectError(await reader.get(`/requests/${id}`), 404, 'not_found');
});

it('what is older than 7 days is not shown, and its partition is emptied before its turn comes again', async () => {
  const { pool } = api.database;
  const old = await own.client.get('/people');
  await logged(idOf(old));
  const begun = now;
  now = begun + 7 * DAY + 5_000;
  expectError(await reader.get(`/requests/${idOf(old)}`), 404, 'not_found');
  await logged(idOf(await own.client.get('/people')));
  const count = async (): Promise<number> =>
    (
      await pool.query<{ count: number }>('select count(*)::integer from request_log where slot = $1', [
        slotOf(new Date(begun)),
      ])
    ).rows[0]!.count;
  await purgeRequestLog(pool, new Date(begun + 7 * DAY));
  expect(await count()).toBeGreaterThan(0);
  await purgeRequestLog(pool, new Date(begun + 8 * DAY));
  expect(await count()).toBe(0);
  expect(await list()).not.toEqual([]);
});
