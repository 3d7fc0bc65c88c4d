import { createHash } from 'node:crypto';
import { changeUser, eraseUser } from '../../support/access.js';
import { eventually } from '../../contract/event-store.support.js';
import { createSignInToken, endSessionsOf } from '#access/authentication/sessions.js';
import { Browser, clientOf, invited, signedIn } from '../../support/api/browser-session.js';
import { expectError } from '../../support/api/http-client.js';
import { newEmail } from '../../support/api/people.js';
import { TestApi } from '../../support/api/test-api.js';
import { testContext } from '../../support/command-services.js';

const MINUTE = 60_000;

let now = Date.now();
/** Another process over the same database. */
let other: string;

const api = TestApi.forSpec({ clock: { now: () => new Date(now) } });
const of = api.organisationForSpec();

beforeAll(async () => {
  other = await api.startAnother();
});

let count = 0;
const newAddress = (): string => `somebody-${(count += 1)}@example.com`;
const personBody = () => ({ work_email: newEmail(), first_name: 'Ada', last_name: 'Byron' });
const at = (): { now: Date; email: string } => ({ now: new Date(now), email: newAddress() });

async function statusOf(browser: Browser, path = '/console/session', method = 'GET'): Promise<number> {
  return (await browser.send(method, path)).status;
}

describe('a link', () => {
  it('signs in once', async () => {
    const { user, token } = await invited(api, of.row.id, 'hr', at());
    const browser = new Browser(api.url);
    const answer = await browser.send('POST', '/console/session', { body: { token } });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([
      204,
      [expect.stringMatching(/^workforce_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)],
    ]);
    const { json } = await browser.send('GET', '/console/session');
    expect(json.data).toMatchObject({
      user: { id: user.id, email: user.email },
      role: 'hr',
      organisation: { id: of.row.id, name: of.row.name },
      expires_at: new Date(now + 12 * 60 * MINUTE).toISOString(),
    });
    const again = await new Browser(api.url).send('POST', '/console/session', { body: { token } });
    expect([again.status, again.json.error.code]).toEqual([401, 'authentication_required']);
  });

  it('signs one of two in that use it at the same time', async () => {
    const { token } = await invited(api, of.row.id, 'hr', at());
    const answers = await Promise.all(
      [api.url, other, api.url, other].map((url) =>
        new Browser(url).send('POST', '/console/session', { body: { token } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401, 401, 401]);
  });

  it('is not used up by a GET of the page that it leads to', async () => {
    const { token } = await invited(api, of.row.id, 'hr', at());
    const browser = new Browser(api.url);
    expect(await statusOf(browser, `/console/sign-in#${token}`)).toBe(200);
    expect(await statusOf(browser, '/console/sign-in.js')).toBe(200);
    expect((await browser.send('POST', '/console/session', { body: { token } })).status).toBe(204);
  });

  it('works for 15 minutes', async () => {
    const issued = new Date(now - 15 * MINUTE + 1);
    const last = await invited(api, of.row.id, 'hr', { email: newAddress(), now: issued });
    expect((await new Browser(api.url).send('POST', '/console/session', { body: { token: last.token } })).status).toBe(
      204,
    );
    const late = await invited(api, of.row.id, 'hr', { email: newAddress(), now: new Date(now - 15 * MINUTE) });
    expect((await new Browser(api.url).send('POST', '/console/session', { body: { token: late.token } })).status).toBe(
      401,
    );
  });

  it('is withdrawn by a later one, and by the deactivation of the user', async () => {
    const { user, token } = await invited(api, of.row.id, 'hr', at());
    const place = { organisationId: of.row.id, userId: user.id };
    const later = await createSignInToken(api.services.executor, place, new Date(now));
    expect((await new Browser(api.url).send('POST', '/console/session', { body: { token } })).status).toBe(401);
    await changeUser(api.services, testContext(of.row.id), user.id, { type: 'deactivate' });
    expect((await new Browser(api.url).send('POST', '/console/session', { body: { token: later.token } })).status).toBe(
      401,
    );
  });

  it.each([
    ['a wrong token', { token: 'A'.repeat(43) }, 401],
    ['another text', { token: 'x' }, 401],
    ['no token', {}, 400],
    ['no body', undefined, 400],
  ])('is not %s', async (_, body, status) => {
    const answer = await new Browser(api.url).send('POST', '/console/session', body === undefined ? {} : { body });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
  });

  it('signs in from a page of the service alone', async () => {
    const { token } = await invited(api, of.row.id, 'hr', at());
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const refused = await new Browser(api.url).send('POST', '/console/session', { body: { token }, headers });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'permission_denied']);
    expect((await new Browser(api.url).send('POST', '/console/session', { body: { token } })).status).toBe(204);
  });
});

describe('what is stored', () => {
  it('of links and sessions is the SHA-256 of their tokens', async () => {
    const { browser, user } = await signedIn(api, of.row.id, 'hr', at());
    const { token: link } = await createSignInToken(
      api.services.executor,
      { organisationId: of.row.id, userId: user.id },
      new Date(now),
    );
    const [session] = [...browser.cookies.values()];
    const { rows } = await api.database.pool.query<{ hash: Buffer; text: string }>(
      `select token_hash as hash, s::text as text from user_sessions s where user_id = $1
       union all select token_hash, l::text from sign_in_links l where user_id = $1`,
      [user.id],
    );
    const hashes = [session!, link].map((token) => createHash('sha256').update(token).digest('hex'));
    expect(rows.map(({ hash }) => hash.toString('hex')).sort()).toEqual(hashes.sort());
    expect(rows.map(({ text }) => text).join()).not.toContain(session);
  });

  it('of an e-mail address in events is sealed, and gone once the user is erased', async () => {
    const { browser, user } = await signedIn(api, of.row.id, 'hr', at());
    const stream = (): Promise<string> =>
      api.services.store.readStream(`user-${of.row.id}.${user.id}`).then((events) => JSON.stringify(events));
    expect(await stream()).not.toContain(user.email);
    await eraseUser(api.services, testContext(of.row.id), user.id);
    const { rows } = await api.database.pool.query(
      'select u.email, u.status, k.key from users u join person_keys k on k.person_id = u.id where u.id = $1',
      [user.id],
    );
    expect(rows).toEqual([{ email: '[erased]', status: 'erased', key: null }]);
    await eventually(async () => (await statusOf(browser)) === 401);
    const again = await invited(api, of.row.id, 'viewer', { email: user.email });
    expect(again.user).toMatchObject({ email: user.email, role: 'viewer', status: 'active' });
    expect(again.user.id).not.toBe(user.id);
  });
});

describe('a session', () => {
  it('ends after 30 minutes without a request, in every process', async () => {
    const { browser } = await signedIn(api, of.row.id, 'viewer', at());
    const elsewhere = new Browser(other);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    now += 29 * MINUTE;
    expect(await statusOf(elsewhere)).toBe(200);
    // This process has seen no request for 58 minutes, and asks the database.
    now += 29 * MINUTE;
    expect(await statusOf(browser)).toBe(200);
    now += 31 * MINUTE;
    expect([await statusOf(browser), await statusOf(elsewhere)]).toEqual([401, 401]);
  });

  it('ends after 12 hours', async () => {
    const { browser } = await signedIn(api, of.row.id, 'viewer', at());
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      expect(await statusOf(browser)).toBe(200);
      now += 20 * MINUTE;
    }
    expect(await statusOf(browser)).toBe(200);
    now += 20 * MINUTE;
    expect(await statusOf(browser)).toBe(401);
  });

  it('ends where somebody signs out, and the others of the user go on', async () => {
    const first = await signedIn(api, of.row.id, 'viewer', at());
    const second = await signedIn(api, of.row.id, 'viewer', {
      now: new Date(now),
      email: first.user.email,
      url: other,
    });
    const stolen = new Browser(api.url);
    for (const [name, value] of first.browser.cookies) stolen.cookies.set(name, value);
    const { status, headers } = await first.browser.send('DELETE', '/console/session');
    expect(headers['clear-site-data']).toBe('"cache", "storage"');
    expect([status, headers['set-cookie']]).toEqual([
      204,
      [expect.stringContaining('workforce_session=; Path=/; Max-Age=0;')],
    ]);
    expect([await statusOf(stolen), await statusOf(second.browser)]).toEqual([401, 200]);
  });

  it('ends where the same browser signs in again by a link', async () => {
    const { browser, user } = await signedIn(api, of.row.id, 'viewer', at());
    const former = new Browser(api.url);
    for (const [name, value] of browser.cookies) former.cookies.set(name, value);
    const { token } = await createSignInToken(
      api.services.executor,
      { organisationId: of.row.id, userId: user.id },
      new Date(now),
    );
    expect((await browser.send('POST', '/console/session', { body: { token } })).status).toBe(204);
    await eventually(async () => (await statusOf(former)) === 401);
    expect(await statusOf(browser)).toBe(200);
  });

  it('ends everywhere where the user asks for that, or the operator', async () => {
    const first = await signedIn(api, of.row.id, 'viewer', at());
    const second = await signedIn(api, of.row.id, 'viewer', {
      now: new Date(now),
      email: first.user.email,
      url: other,
    });
    expect(await statusOf(second.browser)).toBe(200);
    expect(await statusOf(first.browser, '/console/sessions', 'DELETE')).toBe(204);
    await eventually(async () => (await statusOf(second.browser)) === 401);
    const third = await signedIn(api, of.row.id, 'viewer', { now: new Date(now), email: first.user.email });
    expect(await endSessionsOf(api.services.executor, { organisationId: of.row.id, userId: first.user.id })).toBe(1);
    await eventually(async () => (await statusOf(third.browser)) === 401);
  });

  it('loses a role that is taken away while it is open, and ends with a deactivation for good', async () => {
    const { browser, user } = await signedIn(api, of.row.id, 'hr', at());
    const client = clientOf(browser, api.client(null));
    expect((await client.send('GET', '/people')).status).toBe(200);
    const created = await client.send('POST', '/people', { body: personBody() });
    expect(created.status).toBe(201);
    await changeUser(api.services, testContext(of.row.id), user.id, { type: 'set_role', role: 'viewer' });
    await eventually(async () => (await client.send('POST', '/people', { body: personBody() })).status === 403);
    const refused = await client.send('POST', '/people', { body: personBody() });
    expectError(refused, 403, 'permission_denied');
    expect(refused.json.error.message).toBe('The role viewer lacks the scope people:write.');
    await changeUser(api.services, testContext(of.row.id), user.id, { type: 'deactivate' });
    await eventually(async () => (await client.send('GET', '/people')).status === 401);
    await changeUser(api.services, testContext(of.row.id), user.id, { type: 'reactivate' });
    await eventually(
      async () =>
        (await statusOf(
          (await signedIn(api, of.row.id, 'viewer', { now: new Date(now), email: user.email })).browser,
        )) === 200,
    );
    expect((await client.send('GET', '/people')).status).toBe(401);
  });

  it('is not taken by the sandbox, nor by the endpoint of AI clients, nor beside a key', async () => {
    const { browser } = await signedIn(api, of.row.id, 'administrator', at());
    const cookie = browser.cookieHeader();
    const sandbox = await api.startAnother('sandbox');
    expect((await new Browser(sandbox).send('GET', '/api/v1/me', { headers: { cookie } })).status).toBe(401);
    expect((await browser.send('POST', '/mcp', { body: {} })).status).toBe(401);
    expect((await browser.send('GET', '/api/v1/me', { headers: { authorization: 'Bearer nothing' } })).status).toBe(
      401,
    );
    expect(
      (await browser.send('GET', '/console/session', { headers: { cookie: '', authorization: `Bearer ${of.apiKey}` } }))
        .status,
    ).toBe(401);
  });

  it('is not made over http through a network, and has another cookie by https', async () => {
    const { token } = await invited(api, of.row.id, 'hr', at());
    const refused = await new Browser(api.url).send('POST', '/console/session', {
      body: { token },
      headers: { host: 'hr.example' },
    });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'permission_denied']);
    const { browser } = await signedIn(api, of.row.id, 'hr', at());
    expect((await browser.send('GET', '/console/session', { headers: { host: 'hr.example' } })).status).toBe(401);
  });
});
