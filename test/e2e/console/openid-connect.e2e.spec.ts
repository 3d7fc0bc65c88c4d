import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser as Chromium, Page } from 'playwright-core';
import type { RunningApi } from '#api/listener.js';
import { startApi } from '#api/start-api.js';
import { readConfiguration } from '#configuration/configuration.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { PeopleWriter } from '#people/record/people-writer.js';
import { changeUser, inviteUser } from '../../support/access.js';
import { eventually } from '../../contract/event-store.support.js';
import { Browser, type BrowserAnswer } from '../../support/api/browser-session.js';
import { startBrowser } from '../../support/browser.js';
import { newOrganisation, servicesOf } from '../../support/api/test-api.js';
import { testContext } from '../../support/command-services.js';
import { recordedEvents, testEventStore } from '../../support/event-store.js';
import { freePort } from '../../support/free-ports.js';
import { newPerson } from '../../support/people/world.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

const ACCOUNTS = {
  hr: { email: 'hr@example.com', email_verified: true, groups: ['staff', 'hr-team'] },
  invited: { email: 'Invited@example.com', email_verified: true, groups: 'auditors' },
  impostor: { email: 'hr@example.com', email_verified: true, groups: ['hr-team'] },
  unmapped: { email: 'unmapped@example.com', email_verified: true, groups: ['staff'] },
  unverified: { email: 'unverified@example.com', email_verified: false, groups: ['hr-team'] },
  silent: { email: 'silent@example.com', groups: ['hr-team'] },
  nameless: { email_verified: true, groups: ['hr-team'] },
  deactivated: { email: 'deactivated@example.com', email_verified: true, groups: ['hr-team'] },
  moved: { email: 'moved@example.com', email_verified: true, groups: ['hr-team', 'auditors'] },
  ...Object.fromEntries(
    ['ada', 'unlinked', 'taken', 'coming', 'nobody'].map((name) => [
      name,
      { email: `${name.toUpperCase()}@people.example`, email_verified: true, groups: 'staff-team' },
    ]),
  ),
  colleague: { email: 'colleague@people.example', email_verified: true, groups: 'hr-team' },
};

let database: TestDatabase;
let organisationId: string;
let services: Awaited<ReturnType<typeof servicesOf>>;
const providers: ChildProcess[] = [];
const apis: RunningApi[] = [];
/**
 * Whose claims are in the ID token, and one whose claims are only told when asked; and one that trusts
 * addresses.
 */
let url: string;
let asking: string;
let trusting: string;

beforeAll(async () => {
  database = await createTestDatabase({ migrated: true });
  services = await servicesOf(database);
  organisationId = (await newOrganisation(services)).id;
  [url, asking, trusting] = await Promise.all([
    started({ inIdToken: true }),
    started({ inIdToken: false }),
    started({ inIdToken: true, more: { OIDC_TRUST_EMAIL: 'yes' } }),
  ]);
});
afterAll(async () => {
  for (const provider of providers) provider.stdin!.end();
  for (const api of apis) await api.stop();
  await database.drop();
});

async function started(options: { inIdToken: boolean; more?: Record<string, string> }): Promise<string> {
  const port = await freePort();
  const client = { client_id: 'workforce', client_secret: 'a-secret-of-the-client' };
  const callback = `http://127.0.0.1:${port}/console/openid-connect/callback`;
  const settings = { ...client, redirect_uris: [callback], accounts: ACCOUNTS, in_id_token: options.inIdToken };
  const provider = spawn(
    process.execPath,
    [join(__dirname, '../../support/openid-provider.mjs'), JSON.stringify(settings)],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  providers.push(provider);
  const [issuer] = (await once(createInterface(provider.stdout!), 'line')) as [string];
  apis.push(await startedApi(port, { OIDC_ISSUER: issuer, OIDC_CLIENT_SECRET: client.client_secret, ...options.more }));
  return `http://127.0.0.1:${port}`;
}

async function startedApi(port: number, environment: Record<string, string>): Promise<RunningApi> {
  const configuration = readConfiguration({
    LOG_LEVEL: 'silent',
    OIDC_CLIENT_ID: 'workforce',
    OIDC_ORGANISATION: organisationId,
    OIDC_ROLES: 'hr-team=hr,auditors=auditor,staff-team=employee',
    RATE_LIMIT_FAILED_AUTH: '1000',
    ...environment,
  });
  const { pool } = database;
  return startApi({
    pool,
    eventStore: testEventStore(pool),
    keys: await loadInstallationKeys(pool),
    configuration,
    environment: 'live',
    port,
  });
}

/**
 * Follows the provider's pages as the person would; returns the address with which it sends the browser back.
 */
async function logIn(start: string, as: string | null): Promise<URL> {
  const atProvider = new Browser(start);
  for (let next = new URL(start); ;) {
    if (next.pathname.startsWith('/interaction/') && as !== null) next.searchParams.set('as', as);
    const { status, headers } = await atProvider.send('GET', next.href, {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([302, 303]).toContain(status);
    next = new URL(headers['location'] as string, next);
    if (next.pathname === '/console/openid-connect/callback') return next;
  }
}

interface SignIn {
  readonly browser: Browser;
  readonly answer: BrowserAnswer;
}

const comeBack = (browser: Browser, answer: URL): Promise<BrowserAnswer> =>
  browser.send('GET', answer.pathname + answer.search, { headers: { 'sec-fetch-site': 'cross-site' } });

async function begin(base = url): Promise<{ browser: Browser; start: string }> {
  const browser = new Browser(base);
  const { status, headers } = await browser.send('GET', '/console/openid-connect');
  expect([status, headers['set-cookie']]).toEqual([
    303,
    [expect.stringMatching(/^workforce_sign_in=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)],
  ]);
  return { browser, start: headers['location'] as string };
}

async function signIn(as: string | null, base = url): Promise<SignIn> {
  const { browser, start } = await begin(base);
  return { browser, answer: await comeBack(browser, await logIn(start, as)) };
}

function expectProblem({ browser, answer }: SignIn, problem: string): void {
  expect([answer.status, answer.headers['location']]).toEqual([303, `/console/sign-in?problem=${problem}`]);
  expect([...browser.cookies.keys()]).toEqual([]);
}

async function session({ browser }: SignIn): Promise<unknown> {
  return (await browser.send('GET', '/console/session')).json.data;
}

it('asks the provider with PKCE, a state and a nonce', async () => {
  const { start } = await begin();
  const { searchParams } = new URL(start);
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: 'workforce',
    response_type: 'code',
    scope: 'openid email',
    redirect_uri: `${url}/console/openid-connect/callback`,
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^\d{10}-[\w-]{43}$/),
  });
});

it('signs in whom the provider proves, with the role of their claim, whom nobody has invited too', async () => {
  const signedIn = await signIn('hr');
  expect([signedIn.answer.status, signedIn.answer.headers['location']]).toEqual([303, '/console/sign-in']);
  expect([...signedIn.browser.cookies.keys()]).toEqual(['workforce_session']);
  expect(await session(signedIn)).toMatchObject({
    user: { email: 'hr@example.com' },
    role: 'hr',
    organisation: { id: organisationId },
  });
  const again = await signIn('hr');
  expect(await session(again)).toMatchObject({ user: ((await session(signedIn)) as { user: object }).user });
});

it('finds the user who was invited, and gives them the role of their claim', async () => {
  const invited = await inviteUser(services, testContext(organisationId), {
    email: 'invited@example.com',
    role: 'viewer',
  });
  // This provider tells of the person only when asked.
  expect(await session(await signIn('invited', asking))).toMatchObject({ user: { id: invited.id }, role: 'auditor' });
});

it('takes the first pair that fits', async () => {
  expect(await session(await signIn('moved'))).toMatchObject({ role: 'hr' });
});

describe('a user whose role sees people by relation', () => {
  const hired = (name: string, startDate = '2020-01-01'): Promise<string> => {
    const { store: eventStore, projector, mint } = services;
    const writer = new PeopleWriter({ pool: database.pool, eventStore, projector, mint });
    const person = newPerson({ email: `${name}@people.example`, startDate });
    return writer.create(testContext(organisationId), person, new Map());
  };
  const personOf = async (as: string): Promise<unknown> =>
    ((await session(await signIn(as))) as { person_id: string | null }).person_id;
  const change = (email: string, made: Parameters<typeof changeUser>[3]) =>
    inviteUser(services, testContext(organisationId), { email, role: 'employee' }).then(({ id }) =>
      changeUser(services, testContext(organisationId), id, made),
    );

  it('is the employed person with their address, found by the first sign-in after the person was recorded', async () => {
    expect(await personOf('ada')).toBeNull();
    const ada = await hired('ada');
    expect([await personOf('ada'), await personOf('ada')]).toEqual([ada, ada]);
  });

  it('stays without a person where there is none, or an administrator or another user came first', async () => {
    const [unlinked, taken] = [await hired('unlinked'), await hired('taken')];
    await hired('coming', '2999-01-01');
    await hired('colleague');
    await change('other@people.example', { type: 'link', personId: taken });
    await change('unlinked@people.example', { type: 'link', personId: unlinked });
    await change('unlinked@people.example', { type: 'unlink' });
    for (const as of ['unlinked', 'taken', 'coming', 'nobody', 'colleague'])
      expect([as, await personOf(as)]).toEqual([as, null]);
  });
});

it.each([
  ['the claim maps to no role', 'unmapped'],
  ['the address is not verified', 'unverified'],
  ['the provider does not say whether the address is verified', 'silent'],
  ['there is no address', 'nameless'],
])('refuses where %s, and makes no user', async (_, as) => {
  const count = async (): Promise<unknown> => (await database.pool.query('select count(*) from users')).rows[0];
  const before = await count();
  expectProblem(await signIn(as), 'refused');
  expect(await count()).toEqual(before);
});

it('takes an address that the provider does not verify where the operator trusts it, but none that it calls unverified', async () => {
  expect(await session(await signIn('silent', trusting))).toMatchObject({ user: { email: 'silent@example.com' } });
  expectProblem(await signIn('unverified', trusting), 'refused');
});

it('refuses another identity with the address of a user', async () => {
  await signIn('hr');
  expectProblem(await signIn('impostor'), 'refused');
});

it('refuses a deactivated user', async () => {
  const first = await signIn('deactivated');
  const { user } = (await session(first)) as { user: { id: string } };
  await changeUser(services, testContext(organisationId), user.id, { type: 'deactivate' });
  await eventually(async () => (await first.browser.send('GET', '/console/session')).status === 401);
  expectProblem(await signIn('deactivated'), 'refused');
});

describe('an answer of the provider', () => {
  /** Changes one part of what the browser keeps: state, nonce or code verifier. */
  function spoil(browser: Browser, part: 0 | 1 | 2): void {
    const parts = browser.cookies.get('workforce_sign_in')!.split('.');
    const text = parts[part]!;
    parts[part] = `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    browser.cookies.set('workforce_sign_in', parts.join('.'));
  }

  it.each([
    ['state', 0],
    ['nonce', 1],
    ['code verifier', 2],
  ] as const)('is refused with another %s than this browser began with', async (_, part) => {
    const { browser, start } = await begin();
    const answer = await logIn(start, 'hr');
    spoil(browser, part);
    expectProblem({ browser, answer: await comeBack(browser, answer) }, 'failed');
  });

  it('is refused in a browser that began no sign-in, or another one', async () => {
    const answer = await logIn((await begin()).start, 'hr');
    const without = new Browser(url);
    expectProblem({ browser: without, answer: await comeBack(without, answer) }, 'failed');
    const { browser } = await begin();
    expectProblem({ browser, answer: await comeBack(browser, answer) }, 'failed');
  });

  it('works once', async () => {
    const { browser, start } = await begin();
    const kept = browser.cookieHeader();
    const answer = await logIn(start, 'hr');
    expect((await comeBack(browser, answer)).headers['location']).toBe('/console/sign-in');
    const again = await browser.send('GET', answer.pathname + answer.search, { headers: { cookie: kept } });
    expect(again.headers['location']).toBe('/console/sign-in?problem=failed');
  });

  it('that refuses is a failure, and so is one without a code', async () => {
    expectProblem(await signIn(null), 'failed');
    const { browser } = await begin();
    expectProblem({ browser, answer: await browser.send('GET', '/console/openid-connect/callback') }, 'failed');
  });
});

it('says that the provider does not answer', async () => {
  const api = await startedApi(0, { OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` });
  apis.push(api);
  const browser = new Browser(api.url);
  expectProblem({ browser, answer: await browser.send('GET', '/console/openid-connect') }, 'unavailable');
});

it('names what joined the organisation: the system for the registration', async () => {
  await signIn('moved');
  const registered = (await recordedEvents(database.pool)).find(({ type }) => type === 'UserRegistered');
  expect(registered?.metadata.actor).toEqual({ type: 'system', id: 'openid-connect' });
});

describe('in Chromium', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startBrowser()));
  afterAll(() => chromium.close());

  /** Goes to the provider from the sign-in of the console, and logs in there. */
  async function logInAt(as: string): Promise<Page> {
    const page = await (await chromium.newContext()).newPage();
    await page.goto(`${url}/console/people`);
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
    await page.getByLabel('Subject').fill(as);
    await page.getByRole('button', { name: 'Log in' }).click();
    return page;
  }

  it('somebody signs in at the provider, and is on the first screen of their role', async () => {
    const page = await logInAt('hr');
    await page.getByRole('heading', { name: 'Directory', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'hr@example.com' }).click();
    await page.getByText('Signed in as HR').waitFor();
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name.includes('session'));
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    await page.context().close();
  });

  it('somebody without a role is told so, and stays signed out', async () => {
    const page = await logInAt('unmapped');
    await page.getByRole('alert').waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
    await page.context().close();
  });
});
