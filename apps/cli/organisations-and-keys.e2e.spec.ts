import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { parseApiKey } from '#identifiers/api-key.js';
import { CONTRACT_SCOPES, EXTENSION_SCOPES } from '#kernel/scopes.js';
import { recordedEvents } from '../../test/support/event-store.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { programOver, words } from '../../test/support/program.js';
import { exitCodeOfSentence } from '../../test/support/exit-codes.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const { workforce, json } = programOver(() => database);

function createOrganisation(subdomain: string) {
  return [
    'organisations',
    'create',
    '--name',
    'Acme Ltd',
    '--subdomain',
    subdomain,
    ...words('--country gb --plan standard --time-zone Asia/Tokyo'),
  ];
}

function createKey(...parameters: readonly string[]) {
  return ['keys', 'create', '--organisation', 'keeper', '--name', 'Payroll', ...parameters];
}

describe('workforce organisations', () => {
  beforeAll(() => json(...createOrganisation('refused')));

  const acme = {
    name: 'Acme Ltd',
    subdomain: 'acme',
    country: 'GB',
    plan: 'standard',
    time_zone: 'Asia/Tokyo',
    holiday_region: 'GB',
    logo_url: null,
    primary_color_light: null,
    primary_color_dark: null,
    writes_approved: false,
  };

  it('creates, lists, sets, approves and revokes', async () => {
    const created = await json(...createOrganisation('acme'));
    expect(created).toEqual({ id: expect.stringMatching(/^org_/), ...acme });
    const { id } = created as { id: string };
    expect(await json('organisations', 'list')).toEqual({ organisations: expect.arrayContaining([created]) });
    expect(await json('organisations', 'approve-writes', 'acme')).toEqual({ ...created, writes_approved: true });
    expect(await json('organisations', 'revoke-writes', id)).toEqual(created);
    expect(await json('organisations', 'set', id, '--plan', 'enterprise', '--time-zone', 'UTC')).toEqual({
      ...created,
      plan: 'enterprise',
      time_zone: 'UTC',
    });
    expect(await json('organisations', 'set', 'acme', '--plan', 'standard', '--time-zone', 'Asia/Tokyo')).toEqual(
      created,
    );
    expect(await workforce(...createOrganisation('acme'))).toEqual({
      code: 3,
      stdout: '',
      stderr: 'The subdomain acme is taken.\n',
    });
    const revoked = (await recordedEvents(database.pool)).filter(({ type }) => type === 'OrganisationWritesRevoked');
    expect(revoked.map(({ metadata }) => metadata.actor)).toEqual([{ type: 'operator', id: userInfo().username }]);
  });

  it('sets the holiday region beside the profile: all of it, or nothing', async () => {
    const created = await json(...createOrganisation('regional'));
    const set = (...options: string[]) => json('organisations', 'set', 'regional', ...options);
    const inEngland = { ...created, name: 'Acme England', holiday_region: 'GB-ENG' };
    expect(await set('--name', 'Acme England', '--holiday-region', 'gb-eng')).toEqual(inEngland);
    expect(await json('time-off-settings', 'show', '--organisation', 'regional')).toMatchObject({
      holiday_region: 'GB-ENG',
    });
    const { code, stderr } = await workforce(
      ...words('organisations set regional --name Acme --holiday-region GB-XYZ'),
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: '--holiday-region must be a country or a part of one with known holidays, such as GB or GB-ENG.\n',
    });
    const { organisations } = await json<{ organisations: unknown[] }>('organisations', 'list');
    expect(organisations).toContainEqual(inEngland);
    expect(await set('--country', 'IE')).toEqual({ ...inEngland, country: 'IE' });
    expect(await set('--holiday-region', '')).toEqual({ ...inEngland, country: 'IE', holiday_region: 'IE' });
  });

  it.each<[string[], string]>([
    [
      ['organisations', 'approve-writes', 'nobody'],
      'There is no organisation nobody: workforce organisations list shows all.',
    ],
    [createOrganisation('sandbox'), "The subdomain sandbox is the platform's own."],
    [
      createOrganisation('a_b'),
      '--subdomain must be 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends.',
    ],
    [
      ['organisations', 'set', 'refused', '--country', 'UK'],
      '--country must be an ISO 3166-1 alpha-2 code, such as GB.',
    ],
    [
      ['organisations', 'set', 'refused', '--time-zone', 'Mars'],
      '--time-zone must be an IANA time zone, such as Europe/London.',
    ],
    [['organisations', 'set', 'refused'], 'Nothing to set: name at least one option; --help lists them.'],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    const { code, stderr } = await workforce(...parameters);
    expect({ code, stderr }).toEqual({ code: exitCodeOfSentence(sentence), stderr: `${sentence}\n` });
  });
});

describe('workforce keys', () => {
  beforeAll(() => json(...createOrganisation('keeper')));

  it('creates a live key of which only the hash is kept, lists it without it, and revokes it', async () => {
    const created = await json<{ key_id: string; api_key: string }>(
      ...createKey('--scopes', 'people:read, org_units:read', '--expires', '2031-01-31'),
    );
    const scopes = ['people:read', 'org_units:read'];
    const expiry = '2031-01-31T14:59:59.000Z';
    expect(created).toMatchObject({
      environment: 'live',
      scopes,
      expires_at: expiry,
      organisation_id: expect.stringMatching(/^org_/),
    });
    expect(parseApiKey(created.api_key)).toBe('live');
    const hash = createHash('sha256').update(created.api_key).digest();
    const { rows } = await database.pool.query('select key_id from api_keys where secret_hash = $1', [hash]);
    expect(rows).toEqual([{ key_id: created.key_id }]);
    const { keys } = await json<{ keys: Record<string, unknown>[] }>('keys', 'list', '--organisation', 'keeper');
    const listed = {
      key_id: created.key_id,
      name: 'Payroll',
      last_four: created.api_key.slice(-4),
      expires_at: expiry,
      revoked_at: null,
    };
    expect(keys).toEqual([expect.objectContaining(listed)]);
    expect(JSON.stringify(keys)).not.toContain(created.api_key);
    const revoked = await json('keys', 'revoke', created.key_id);
    expect(revoked).toMatchObject({ key_id: created.key_id, revoked_at: expect.any(String) });
    expect(await json('keys', 'revoke', created.key_id)).toEqual(revoked);
  });

  it('gives extension scopes by name alone: `all` means those of the contract', async () => {
    const scopesOf = async (list: string): Promise<unknown> => (await json(...createKey('--scopes', list)))['scopes'];
    expect(await scopesOf('all')).toEqual(CONTRACT_SCOPES);
    expect(await scopesOf('all, audit:read')).toEqual([...CONTRACT_SCOPES, 'audit:read']);
    const { stdout } = await workforce('keys', 'list', '--organisation', 'keeper');
    expect(stdout).toMatch(/ all,audit:read$/m);
    const help = (await workforce('keys', 'create', '--help')).stdout.replace(/\s+/g, ' ');
    expect(help).toContain(`extension scopes, which all does not contain, by name: ${EXTENSION_SCOPES.join(', ')}`);
  });

  it('creates a sandbox key with all scopes, and the sandbox that it acts for', async () => {
    const created = await json<{ api_key: string; organisation_id: string }>(
      ...createKey('--scopes', 'all', '--environment', 'sandbox'),
    );
    expect(created).toMatchObject({ environment: 'sandbox', scopes: CONTRACT_SCOPES, expires_at: null });
    expect(parseApiKey(created.api_key)).toBe('sandbox');
    const { organisations } = await json<{ organisations: { id: string; subdomain: string }[] }>(
      'organisations',
      'list',
    );
    expect(organisations.find((one) => one.id === created.organisation_id)?.subdomain).toBe('keeper');
    expect(organisations.filter(({ subdomain }) => subdomain.startsWith('sandbox'))).toEqual([]);
    const { tenant } = await json<{ tenant: string }>('sandbox', 'show', '--organisation', 'keeper');
    const { stderr } = await workforce('keys', 'create', '--organisation', tenant, '--name', 'Live', '--scopes', 'all');
    expect(stderr).toBe('The sandbox organisation has sandbox keys only.\n');
    // The second key uses the existing sandbox.
    await json(...createKey('--scopes', 'people:read', '--environment', 'sandbox'));
    expect(await json<{ tenant: string }>('sandbox', 'show', '--organisation', 'keeper')).toMatchObject({ tenant });
  });

  it('shows a key to people, once', async () => {
    const { code, stdout } = await workforce(...createKey('--scopes', 'all'));
    expect(code).toBe(0);
    expect(parseApiKey(stdout.split('\n')[0]!)).toBe('live');
    expect((await workforce('keys', 'list')).stdout.split('\n')[0]).toMatch(/^ID +ORGANISATION +ENVIRONMENT/);
  });

  it.each([
    [createKey('--scopes', 'peple:read'), 'There is no scope peple:read: did you mean people:read?'],
    [createKey('--scopes', ','), '--scopes must name at least one scope.'],
    [createKey('--scopes', 'all', '--expires', '2020-01-01'), '--expires must lie in the future.'],
    [
      createKey('--scopes', 'all', '--expires', 'soon'),
      '--expires must be a date as YYYY-MM-DD, or a date-time such as 2030-01-31T17:00:00Z.',
    ],
    [['keys', 'revoke', 'key_unknown'], 'There is no key key_unknown: workforce keys list shows all.'],
    [
      ['keys', 'list', '--organisation', 'nobody'],
      'There is no organisation nobody: workforce organisations list shows all.',
    ],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    const { code, stderr } = await workforce(...parameters);
    expect({ code, stderr }).toEqual({ code: exitCodeOfSentence(sentence), stderr: `${sentence}\n` });
  });
});
