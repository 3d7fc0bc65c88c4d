import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';
import tls from 'node:tls';
import type { RunningApi } from '#api/listener.js';
import { startApi } from '#api/start-api.js';
import { readConfiguration } from '#configuration/configuration.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { Browser, type BrowserAnswer } from '../../support/api/browser-session.js';
import { newOrganisation, servicesOf } from '../../support/api/test-api.js';
import { testEventStore } from '../../support/event-store.js';
import { databaseForSpec } from '../../support/postgres.js';
import { certificateFor } from '../../support/webhooks/certificate.js';
import { type Receiver, startReceiver } from '../../support/webhooks/receivers.js';

/**
 * What no honest provider sends: the provider of this spec answers each code with the token that the test
 * wants, and takes a code as often as it comes. `openid-connect.e2e.spec.ts` has a certified one.
 */

type Claims = Readonly<Record<string, unknown>>;
/** What the provider answers from now on. `token` gets the claims that an honest token would have. */
interface Behaviour {
  readonly token: (honest: Claims) => string;
  readonly userInfo?: Claims;
}

const OWN_KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const SECRET = 'a-secret-of-the-client';
const NOW = (): number => Math.floor(Date.now() / 1_000);

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (claims: Claims, header: Claims = { alg: 'RS256', kid: 'one' }): string =>
  `${base64(header)}.${base64(claims)}`;
function signed(claims: Claims, key: KeyObject = OWN_KEY.privateKey, header?: Claims): string {
  const text = unsigned(claims, header);
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}
function withPayload(token: string, changes: Claims): string {
  const [header, payload, signature] = token.split('.') as [string, string, string];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  return `${header}.${base64({ ...claims, ...changes })}.${signature}`;
}

const database = databaseForSpec();
let organisationId: string;

beforeAll(async () => {
  organisationId = (await newOrganisation(await servicesOf(database))).id;
});

async function startedApi(issuer: string): Promise<RunningApi> {
  const configuration = readConfiguration({
    LOG_LEVEL: 'silent',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'workforce',
    OIDC_CLIENT_SECRET: SECRET,
    OIDC_ORGANISATION: organisationId,
    OIDC_ROLES: 'leads=administrator,hr-team=hr',
    RATE_LIMIT_FAILED_AUTH: '1000',
  });
  const { pool } = database;
  const keys = await loadInstallationKeys(pool);
  return startApi({ pool, eventStore: testEventStore(pool), keys, configuration, environment: 'live', port: 0 });
}

describe.each(['http', 'https'] as const)('by %s', (scheme) => {
  const certificate = certificateFor(['127.0.0.1']);
  const connect = tls.connect;
  let provider: Receiver;
  let issuer: string;
  let behaviour: Behaviour;
  let nonce = '';
  const apis: RunningApi[] = [];

  const answer: RequestListener = (request, response) => {
    const endpoints = {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      },
      '/jwks': { keys: [{ ...OWN_KEY.publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] },
      '/token': { access_token: 'opaque', token_type: 'Bearer', id_token: '' },
      '/userinfo': behaviour?.userInfo ?? {},
    } as const;
    const found = { ...endpoints[request.url as keyof typeof endpoints] };
    if (request.url === '/token') Object.assign(found, { id_token: behaviour.token(honestClaims()) });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(found));
  };

  const honestClaims = (): Claims => ({
    iss: issuer,
    aud: 'workforce',
    sub: 'subject-of-hr',
    iat: NOW(),
    exp: NOW() + 300,
    nonce,
    email: `hr-by-${scheme}@example.com`,
    email_verified: true,
    groups: ['hr-team'],
  });

  beforeAll(async () => {
    provider = await startReceiver(
      (request, response) => answer(request, response),
      scheme === 'https' ? certificate : undefined,
    );
    issuer = `${scheme}://127.0.0.1:${provider.port}`;
    // Node's fetch opens its connections with this function; the service itself has no setting that trusts
    // another authority.
    if (scheme === 'https') {
      jest
        .spyOn(tls, 'connect')
        .mockImplementation(((options: object, ...others: []) =>
          connect({ ...options, ca: certificate.cert }, ...others)) as never);
    }
    apis.push(await startedApi(issuer), await startedApi(issuer));
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    for (const api of apis) await api.stop();
    await provider.close();
  });

  interface Begun {
    readonly browser: Browser;
    readonly path: string;
  }

  async function begin(): Promise<Begun> {
    const browser = new Browser(apis[0]!.url);
    const { headers } = await browser.send('GET', '/console/openid-connect');
    const { searchParams } = new URL(headers['location'] as string);
    nonce = searchParams.get('nonce')!;
    return { browser, path: `/console/openid-connect/callback?code=any&state=${searchParams.get('state')}` };
  }

  const comeBack = ({ browser, path }: Begun): Promise<BrowserAnswer> =>
    browser.send('GET', path, { headers: { 'sec-fetch-site': 'cross-site' } });

  async function outcomeOf(requested: Behaviour): Promise<string> {
    behaviour = requested;
    const begun = await begin();
    const { headers } = await comeBack(begun);
    const location = headers['location'] as string;
    expect([...begun.browser.cookies.keys()]).toEqual(location === '/console/sign-in' ? ['workforce_session'] : []);
    return location.replace('/console/sign-in', '') || 'signed in';
  }

  it('an honest token signs in', async () => {
    expect(await outcomeOf({ token: (honest) => signed(honest) })).toBe('signed in');
  });

  it.each<[string, (honest: Claims) => string]>([
    ['is signed by another key', (honest) => signed(honest, OTHER_KEY.privateKey)],
    [
      'is signed by another key, whose name it gives',
      (honest) => signed(honest, OTHER_KEY.privateKey, { alg: 'RS256', kid: 'two' }),
    ],
    [
      'is signed by a key that it brings along',
      (honest) =>
        signed(honest, OTHER_KEY.privateKey, {
          alg: 'RS256',
          kid: 'one',
          jwk: OTHER_KEY.publicKey.export({ format: 'jwk' }),
        }),
    ],
    ['has an empty signature', (honest) => `${unsigned(honest)}.`],
    ['has a signature that is no base64', (honest) => `${unsigned(honest)}.!`],
    ['has the algorithm none', (honest) => `${unsigned(honest, { alg: 'none' })}.`],
    ['has the algorithm none and a signature', (honest) => signed(honest, OWN_KEY.privateKey, { alg: 'none' })],
    [
      'is signed with the secret that client and provider share',
      (honest) => {
        const text = unsigned(honest, { alg: 'HS256' });
        return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
      },
    ],
    ['got another role after it was signed', (honest) => withPayload(signed(honest), { groups: ['leads'] })],
    ['got another subject after it was signed', (honest) => withPayload(signed(honest), { sub: 'subject-of-lead' })],
    ['is of another issuer', (honest) => signed({ ...honest, iss: 'https://login.example.org' })],
    ['is for another client', (honest) => signed({ ...honest, aud: 'payroll' })],
    [
      'is for others as well, and was not made for this client',
      (honest) => signed({ ...honest, aud: ['workforce', 'x'], azp: 'x' }),
    ],
    ['has expired', (honest) => signed({ ...honest, iat: NOW() - 900, exp: NOW() - 600 })],
    ['has no expiry', ({ exp: _, ...honest }) => signed(honest)],
    ['has another nonce', (honest) => signed({ ...honest, nonce: `${NOW()}-${'A'.repeat(43)}` })],
    ['has no nonce', ({ nonce: _, ...honest }) => signed(honest)],
    ['names nobody', ({ sub: _, ...honest }) => signed(honest)],
  ])('a token that %s signs nobody in', async (_, token) => {
    expect(await outcomeOf({ token })).toBe('?problem=failed');
  });

  describe('an address counts as verified where the same source says so, which is not so with', () => {
    const nameless = ({ email: _, email_verified: __, ...honest }: Claims): Claims => honest;
    it.each<[string, Behaviour]>([
      [
        'the address of the user information and the word of the token',
        {
          token: (honest) => signed({ ...nameless(honest), email_verified: true }),
          userInfo: { sub: 'subject-of-hr', email: 'chosen@example.com' },
        },
      ],
      [
        'the address of the token and the word of the user information about another one',
        {
          token: (honest) => signed({ ...nameless(honest), email: 'chosen@example.com', email_verified: false }),
          userInfo: { sub: 'subject-of-hr', email: 'hr@example.com', email_verified: true },
        },
      ],
      [
        'the address of the token and the word alone of the user information',
        {
          token: (honest) => signed({ ...nameless(honest), email: 'chosen@example.com' }),
          userInfo: { sub: 'subject-of-hr', email_verified: true },
        },
      ],
    ])('%s', async (_, requested) => {
      expect(await outcomeOf(requested)).toBe('?problem=refused');
    });

    it('but with both in the user information, which must be about the same subject', async () => {
      const token = (honest: Claims): string => signed(nameless(honest));
      const told = { email: `hr-by-${scheme}@example.com`, email_verified: true };
      expect(await outcomeOf({ token, userInfo: { sub: 'subject-of-hr', ...told } })).toBe('signed in');
      expect(await outcomeOf({ token, userInfo: { sub: 'another', ...told } })).toBe('?problem=failed');
    });
  });

  describe('a provider that takes a code twice', () => {
    beforeEach(() => {
      behaviour = { token: (honest) => signed(honest) };
    });

    const again = (cookie: string, path: string, url: string): Promise<BrowserAnswer> =>
      new Browser(url).send('GET', path, { headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    const locationsOf = (answers: readonly BrowserAnswer[]): unknown[] =>
      answers.map(({ headers }) => headers['location']).sort();

    it('signs in once all the same: later, and at the same time in several processes', async () => {
      const { browser, path } = await begin();
      const cookie = browser.cookieHeader();
      const [first, second] = apis.map(({ url }) => url) as [string, string];
      const together = await Promise.all([first, second, first, second].map((url) => again(cookie, path, url)));
      const failed = '/console/sign-in?problem=failed';
      expect(locationsOf(together)).toEqual(['/console/sign-in', failed, failed, failed]);
      expect(locationsOf([await again(cookie, path, first), await again(cookie, path, second)])).toEqual([
        failed,
        failed,
      ]);
      const signedIn = together.find(({ headers }) => headers['location'] === '/console/sign-in')!;
      const session = (signedIn.headers['set-cookie'] as string[])
        .map((text) => text.split(';')[0])
        .find((text) => text?.includes('session'));
      await new Browser(first).send('DELETE', '/console/session', { headers: { cookie: session! } });
      expect(locationsOf([await again(cookie, path, first)])).toEqual([failed]);
    });

    it('signs nobody in who began more than ten minutes ago, whatever the browser still keeps', async () => {
      const { browser, path } = await begin();
      const age = (seconds: number): void => {
        const [state, , verifier] = browser.cookies.get('workforce_sign_in')!.split('.') as [string, string, string];
        nonce = `${NOW() - seconds}-${nonce.split('-').slice(1).join('-')}`;
        browser.cookies.set('workforce_sign_in', `${state}.${nonce}.${verifier}`);
      };
      age(700);
      const cookie = browser.cookieHeader();
      expect(locationsOf([await again(cookie, path, browser.url)])).toEqual(['/console/sign-in?problem=failed']);
      age(300);
      expect((await comeBack({ browser, path })).headers['location']).toBe('/console/sign-in');
    });
  });
});
