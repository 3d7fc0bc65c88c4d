import type { Client } from '@modelcontextprotocol/client';
import type { Role } from '#kernel/roles.js';
import { changeUser } from '../../support/access.js';
import { type Browser, type BrowserAnswer, signedIn } from '../../support/api/browser-session.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { testContext } from '../../support/command-services.js';
import { recordedEvents } from '../../support/event-store.js';
import { call, connect, textOf } from '../../support/mcp.js';

const DAY_MILLISECONDS = 86_400_000;

let now = new Date();
const api = TestApi.forSpec({ clock: { now: () => now } });
let own: TestOrganisation;
let ada: string;

beforeEach(async () => {
  now = new Date();
  own = await api.organisation();
  ada = await new TimeOffActions(api, own).person({ first_name: 'Ada', last_name: 'Byron' });
});

interface Connected {
  readonly id: string;
  readonly token: string;
  readonly url: string;
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly user: { readonly email: string };
  readonly expires_at: string;
}

const dataIn = <Data>({ text }: BrowserAnswer): Data => (JSON.parse(text) as { data: Data }).data;

/** A browser of a user with this role, who is Ada where said. */
async function userOf(role: Role, isAda = false): Promise<{ readonly browser: Browser; readonly id: string }> {
  const { browser, user } = await signedIn(api, own.row.id, role, { email: `${role}@users.example`, now });
  if (isAda) await changeUser(api.services, testContext(own.row.id), user.id, { type: 'link', personId: ada });
  return { browser, id: user.id };
}

const connecting = (browser: Browser, headers: Readonly<Record<string, string>> = {}) =>
  browser.send('POST', '/console/ai-client-sessions', { body: { name: 'Claude' }, headers });

async function connected(browser: Browser): Promise<Connected> {
  const answer = await connecting(browser);
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"token"')]);
  return dataIn(answer);
}

const listed = async (browser: Browser): Promise<readonly Listed[]> =>
  dataIn(await browser.send('GET', '/console/ai-client-sessions'));

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** The status and the message with which the endpoint refuses a token, or answers it. */
async function ping(token: string): Promise<readonly [number, string]> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-11-25',
  };
  const answer = await fetch(`${api.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(PING) });
  return [answer.status, await answer.text()];
}

/** Connects with a token, and closes the connection afterwards. */
async function reading<Result>(token: string, read: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await connect(api.url, token);
  try {
    return await read(client);
  } finally {
    await client.close();
  }
}

describe('an AI client of a user', () => {
  it('reads as its user, and changes nothing, whatever the role and the policy of the organisation', async () => {
    const someone = await new TimeOffActions(api, own).person({ first_name: 'Grace' });
    for (const [role, others] of [
      ['employee', true],
      ['administrator', undefined],
    ] as const) {
      const { browser } = await userOf(role, role === 'employee');
      const { token, url } = await connected(browser);
      expect([token, url]).toEqual([expect.stringMatching(/^svc_user_[A-Za-z0-9_-]{43}$/), `${api.url}/mcp`]);
      await reading(token, async (client) => {
        const person = await call(client, 'read_person', { person_id: ada });
        expect(person.structuredContent).toMatchObject({ data: { id: ada, first_name: 'Ada' } });
        expect((await call(client, 'read_person', { person_id: someone })).isError).toEqual(others);
        const write = { person_id: ada, category_id: 'toc_x', start_date: '2027-01-04', end_date: '2027-01-05' };
        for (const values of [write, { ...write, idempotency_key: 'one' }])
          await expect(call(client, 'request_time_off', values)).rejects.toThrow('An AI client of a user only reads.');
        const overview = JSON.parse(textOf(await call(client, 'list_operations'))) as {
          readonly operations: readonly { readonly operation: string; readonly disposition: string }[];
        };
        const writes = overview.operations.filter(({ operation }) => /^(create|update|change)/.test(operation));
        expect(new Set(writes.map(({ disposition }) => disposition))).toEqual(new Set(['unavailable']));
      });
    }
  });

  it('has a token for its own endpoint alone: neither the API nor the console take it', async () => {
    const { browser } = await userOf('administrator');
    const { token } = await connected(browser);
    for (const path of ['/api/v1/people', '/console/session', '/console/events']) {
      const answer = await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      expect([path, answer.status]).toEqual([path, 401]);
    }
    const [[name]] = [...browser.cookies] as [[string, string]];
    const asCookie = await fetch(`${api.url}/console/session`, { headers: { cookie: `${name}=${token}` } });
    expect(asCookie.status).toBe(401);
    const session = browser.cookies.get(name)!;
    expect(await ping(session)).toEqual([401, expect.any(String)]);
    const sandbox = await api.startAnother('sandbox');
    const answer = await fetch(`${sandbox}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
    expect(await ping(token)).toEqual([200, expect.any(String)]);
  });

  it('is connected once for an idempotency key, and answers a repeat with the same token', async () => {
    const { browser } = await userOf('viewer');
    const once = await connecting(browser, { 'idempotency-key': 'one' });
    const again = await connecting(browser, { 'idempotency-key': 'one' });
    expect([again.status, again.text]).toEqual([201, once.text]);
    expect(await listed(browser)).toEqual([
      {
        id: dataIn<Connected>(once).id,
        name: 'Claude',
        user: { id: expect.any(String), email: 'viewer@users.example' },
        created_at: expect.any(String),
        expires_at: new Date(now.getTime() + 90 * DAY_MILLISECONDS).toISOString(),
      },
    ]);
    const { rows } = await api.database.pool.query<{ row: string }>(
      'select r::text as row from idempotency_receipts r',
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes('svc_user_'))).toEqual([]);
  });

  it('is seen and disconnected by its user and by administrators, which history shows', async () => {
    const [employee, viewer, administrator] = [
      await userOf('employee'),
      await userOf('viewer'),
      await userOf('administrator'),
    ];
    const [first, second] = [await connected(employee.browser), await connected(employee.browser)];
    const ids = async ({ browser }: { browser: Browser }) => (await listed(browser)).map(({ id }) => id).toSorted();
    const both = [first.id, second.id].toSorted();
    expect([await ids(employee), await ids(viewer), await ids(administrator)]).toEqual([both, [], both]);
    const end = async ({ browser }: { browser: Browser }, id: string, headers = {}): Promise<number> =>
      (await browser.send('DELETE', `/console/ai-client-sessions/${id}`, { headers })).status;
    expect(await end(viewer, first.id)).toBe(404);
    const once = { 'idempotency-key': 'once' };
    expect([await end(employee, first.id, once), await end(employee, first.id, once)]).toEqual([204, 204]);
    expect(await end(employee, first.id)).toBe(404);
    expect(await end(administrator, second.id)).toBe(204);
    for (const { token } of [first, second]) expect(await ping(token)).toEqual([401, expect.any(String)]);
    const events = (await recordedEvents(api.database.pool)).filter(({ stream }) => stream.endsWith(employee.id));
    expect(
      events
        .filter(({ type }) => type.startsWith('UserAiClient'))
        .map(({ type, data, metadata }) => [type, data['client_id'], metadata.actor.id]),
    ).toEqual([
      ['UserAiClientConnected', first.id, employee.id],
      ['UserAiClientConnected', second.id, employee.id],
      ['UserAiClientDisconnected', first.id, employee.id],
      ['UserAiClientDisconnected', second.id, administrator.id],
    ]);
  });

  it('ends with the access of its user: after 90 days, at a sign-out everywhere, at a deactivation', async () => {
    const { browser } = await userOf('employee');
    const { token } = await connected(browser);
    now = new Date(now.getTime() + 90 * DAY_MILLISECONDS - 1);
    expect(await ping(token)).toEqual([200, expect.any(String)]);
    now = new Date(now.getTime() + 1);
    expect(await ping(token)).toEqual([401, expect.stringContaining('The token has expired')]);
    const again = await userOf('employee');
    const second = await connected(again.browser);
    expect((await again.browser.send('DELETE', '/console/sessions')).status).toBe(204);
    expect(await ping(second.token)).toEqual([401, expect.any(String)]);
    const last = await userOf('employee');
    const third = await connected(last.browser);
    await changeUser(api.services, testContext(own.row.id), last.id, { type: 'deactivate' });
    expect(await ping(third.token)).toEqual([401, expect.any(String)]);
  });

  it('is one of at most twenty of a user', async () => {
    const { browser } = await userOf('viewer');
    for (let count = 0; count < 20; count += 1) await connected(browser);
    const refused = await connecting(browser);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'conflict']);
    expect((await browser.send('POST', '/console/ai-client-sessions', { body: { name: '' } })).status).toBe(400);
  });
});
