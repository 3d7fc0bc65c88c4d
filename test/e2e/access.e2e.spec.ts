import { randomUUID } from 'node:crypto';
import { type Scope } from '#kernel/scopes.js';
import { Browser, clientOf, signedIn } from '../support/api/browser-session.js';
import { type ApiAnswer, type ApiClient, expectError } from '../support/api/http-client.js';
import { newEmail } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { recordedEvents } from '../support/event-store.js';
import type { Schemas } from '../support/api/shapes.js';

type Key = Schemas['ApiKeyWithSecretResponse'];

type User = Schemas['UserWithLinkResponse'];

const UNKNOWN_KEY = 'key_Zm9vYmFy.YmF6cXV4.c2VhbGVkX2lk';

let own: TestOrganisation;

const api = TestApi.forSpec();
const stranger = api.organisationForSpec();
beforeEach(async () => {
  own = await api.organisation();
});

const withScopes = async (scopes: readonly Scope[]): Promise<ApiClient> =>
  api.client((await api.key(own.row, { scopes })).apiKey);
const createKey = (
  client: Pick<ApiClient, 'send'>,
  body: object,
  idempotencyKey = randomUUID(),
): Promise<ApiAnswer<Key>> =>
  client.send<Key>('POST', '/api-keys', {
    body: { name: 'Payroll', scopes: ['people:read'], ...body },
    idempotencyKey,
  });
const invite = (
  client: Pick<ApiClient, 'send'>,
  role: string,
  email = newEmail(),
  idempotencyKey = randomUUID(),
): Promise<ApiAnswer<User>> => client.send<User>('POST', '/users', { body: { email, role }, idempotencyKey });
const act = (client: Pick<ApiClient, 'send'>, id: string, step: string): Promise<ApiAnswer<User>> =>
  client.send<User>('POST', `/users/${id}/${step}`);

/** Everything that rests in tables and events, as text. */
async function resting(): Promise<string> {
  const tables = ['api_keys', 'users', 'sign_in_links', 'idempotency_receipts'];
  const texts = tables.map((table) =>
    api.database.pool.query<{ text: string }>(`select r::text as text from ${table} r`),
  );
  const rows = (await Promise.all(texts)).flatMap((answer) => answer.rows.map(({ text }) => text));
  return [...rows, ...(await recordedEvents(api.database.pool)).map((event) => JSON.stringify(event))].join('\n');
}

async function loseReceipt(idempotencyKey: string): Promise<void> {
  const { rowCount } = await api.database.pool.query('delete from idempotency_receipts where idempotency_key = $1', [
    idempotencyKey,
  ]);
  expect(rowCount).toBe(1);
}

describe('a new API key', () => {
  it('works at once, is shown once, and rests only as a hash', async () => {
    const idempotencyKey = randomUUID();
    const { status, json } = await createKey(own.client, { name: '  Pay   roll ' }, idempotencyKey);
    const { api_key: secret, ...created } = json.data;
    expect([status, created]).toEqual([
      201,
      {
        id: expect.stringMatching(/^key_/),
        name: 'Pay roll',
        environment: 'live',
        scopes: ['people:read'],
        status: 'active',
        prefix: 'svc_live_',
        last_four: secret!.slice(-4),
        expires_at: null,
        revoked_at: null,
        created_at: expect.any(String),
        made_by: { type: 'api_key', id: own.keyId, name: 'test' },
      },
    ]);
    expect((await api.client(secret).get('/people')).status).toBe(200);
    expect(await resting()).not.toContain(secret!.slice(9));
    expect((await createKey(own.client, { name: '  Pay   roll ' }, idempotencyKey)).json.data).toEqual({
      ...created,
      api_key: null,
    });
    await loseReceipt(idempotencyKey);
    expect((await createKey(own.client, { name: '  Pay   roll ' }, idempotencyKey)).json.data).toEqual({
      ...created,
      api_key: null,
    });
    const listed = (await own.client.get<readonly Key[]>('/api-keys')).json.data;
    expect(listed.map(({ id }) => id)).toEqual([own.keyId, created.id]);
    expect(listed[1]).toEqual(created);
  });

  it('is no test key where there is no sandbox, and none is made at the address of the sandbox', async () => {
    expectError(await createKey(own.client, { environment: 'sandbox' }), 409, 'conflict', 'environment');
    const test = await api.key(own.row, { environment: 'sandbox' });
    const client = api.client(test.apiKey, await api.startAnother('sandbox'));
    expectError(await createKey(client, {}), 403, 'permission_denied', 'environment');
    expectError(await invite(client, 'viewer'), 403, 'permission_denied', 'environment');
  });
});

describe('a revoked API key', () => {
  const revoke = (client: ApiClient, id: string): Promise<ApiAnswer<Key>> =>
    client.send<Key>('POST', `/api-keys/${id}/revoke`);

  it('was not that of the caller, of another organisation, or with scopes that the caller lacks', async () => {
    expectError(await revoke(own.client, own.keyId), 409, 'conflict');
    for (const id of [stranger.keyId, UNKNOWN_KEY, 'x']) expectError(await revoke(own.client, id), 404, 'not_found');
    expectError(await revoke(await withScopes(['access:manage']), own.keyId), 403, 'permission_denied');
    expect((await stranger.client.get('/me')).status).toBe(200);
  });
});

describe('a user', () => {
  it('is invited by a link that is shown once and signs in once', async () => {
    const [email, idempotencyKey] = [newEmail(), randomUUID()];
    const { status, json } = await invite(own.client, 'hr', email, idempotencyKey);
    const { sign_in_link: link, ...user } = json.data;
    expect([status, user]).toMatchObject([201, { email, role: 'hr', status: 'invited', signs_in_by: 'link' }]);
    const [address, token] = link!.split('/console/sign-in#');
    expect(address).toBe(api.url);
    const rest = await resting();
    expect(rest).not.toContain(token);
    expect(rest.split(email)).toHaveLength(2);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect((await invite(own.client, 'hr', email, idempotencyKey)).json.data).toMatchObject({
        id: user.id,
        sign_in_link: null,
      });
      if (attempt === 0) await loseReceipt(idempotencyKey);
    }
    expect((await new Browser(api.url).send('POST', '/console/session', { body: { token } })).status).toBe(204);
    expect((await new Browser(api.url).send('POST', '/console/session', { body: { token } })).status).toBe(401);
    const [listed] = (await own.client.get<readonly User[]>('/users')).json.data;
    expect(listed).toMatchObject({ id: user.id, status: 'active', sessions: 1 });
    expect(Object.keys(listed!)).not.toContain('sign_in_link');
  });

  it('changes role in an open session, is deactivated with their sessions, and reactivated without them', async () => {
    const { browser, user } = await signedIn(api, own.row.id, 'viewer', { email: newEmail() });
    const seen = clientOf(browser, api.client(null));
    expect((await seen.send('GET', '/webhooks')).status).toBe(403);
    expect((await own.client.patch<User>(`/users/${user.id}`, { role: 'integrator' })).json.data.role).toBe(
      'integrator',
    );
    expect((await seen.send('GET', '/webhooks')).status).toBe(200);
    expect((await act(own.client, user.id, 'deactivate')).json.data).toMatchObject({ status: 'deactivated' });
    expect((await seen.send('GET', '/webhooks')).status).toBe(401);
    expectError(await own.client.patch(`/users/${user.id}`, { role: 'hr' }), 409, 'conflict');
    expectError(await act(own.client, user.id, 'sign-in-link'), 409, 'conflict');
    expect((await act(own.client, user.id, 'reactivate')).json.data.status).toBe('active');
    expect((await seen.send('GET', '/webhooks')).status).toBe(401);
  });

  it('gets another link, which names its maker in history, and is signed out everywhere', async () => {
    const { browser, user } = await signedIn(api, own.row.id, 'viewer', { email: newEmail() });
    const link = (await act(own.client, user.id, 'sign-in-link')).json.data.sign_in_link!;
    const made = (await recordedEvents(api.database.pool)).filter(({ type }) => type === 'UserSignInLinkCreated');
    expect(made.map(({ metadata }) => metadata.actor)).toEqual([{ type: 'api_key', id: own.keyId }]);
    expect((await own.client.send('DELETE', `/users/${user.id}/sessions`)).status).toBe(204);
    expect((await browser.send('GET', '/console/session')).status).toBe(401);
    const redeemed = await new Browser(api.url).send('POST', '/console/session', {
      body: { token: link.split('#')[1] },
    });
    expect(redeemed.status).toBe(401);
  });
});

describe('who manages users', () => {
  it('does not change themselves, and leaves an administrator', async () => {
    const { browser, user } = await signedIn(api, own.row.id, 'administrator', { email: newEmail() });
    const self = clientOf(browser, api.client(null));
    expectError(await self.send('PATCH', `/users/${user.id}`, { body: { role: 'viewer' } }), 409, 'conflict');
    expectError(await act(self, user.id, 'sign-in-link'), 409, 'conflict');
    expectError(await own.client.patch(`/users/${user.id}`, { role: 'viewer' }), 409, 'conflict');
    expectError(await act(own.client, user.id, 'deactivate'), 409, 'conflict');
    const second = (await invite(own.client, 'administrator')).json.data.id;
    expect((await own.client.patch<User>(`/users/${user.id}`, { role: 'viewer' })).json.data.role).toBe('viewer');
    expectError(await act(own.client, second, 'deactivate'), 409, 'conflict');
  });

  it('leaves an administrator when two are taken away at once', async () => {
    const ids = [await invite(own.client, 'administrator'), await invite(own.client, 'administrator')].map(
      ({ json }) => json.data.id,
    );
    const answers = await Promise.all(ids.map((id) => act(own.client, id, 'deactivate')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
