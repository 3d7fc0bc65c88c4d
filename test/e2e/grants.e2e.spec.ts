import { SCOPES_OF_ROLE, type Role } from '#kernel/roles.js';
import { type Scope, SCOPES } from '#kernel/scopes.js';
import { changeUser } from '../support/access.js';
import { Browser, clientOf, signedIn } from '../support/api/browser-session.js';
import { type ApiAnswer, type ApiClient, expectError } from '../support/api/http-client.js';
import { newEmail } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import { recordedEvents } from '../support/event-store.js';
import { call, connect } from '../support/mcp.js';
import { programOver } from '../support/program.js';

/** What somebody grants ends with, and is bounded by, what they hold: who may grant what. */

type Caller = Pick<ApiClient, 'send'>;

interface Row {
  readonly id: string;
  readonly status: string;
  readonly role: string;
  readonly api_key: string | null;
  readonly made_by: { readonly type: string; readonly id: string; readonly name: string | null } | null;
  readonly revoked_keys: readonly { readonly id: string; readonly name: string }[];
}

let own: TestOrganisation;
const { workforce, json } = programOver(() => api.database);

const api = TestApi.forSpec();
beforeEach(async () => {
  own = await api.organisation();
});

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
const session = async (role: Role): Promise<{ caller: Caller; id: string }> => {
  const { browser, user } = await signedIn(api, own.row.id, role, { email: newEmail() });
  return { caller: clientOf(browser, api.client(null)), id: user.id };
};
const post = (caller: Caller, path: string, body?: object): Promise<ApiAnswer<Row>> =>
  caller.send<Row>('POST', path, body === undefined ? {} : { body });
const makeKey = (caller: Caller, body: object = {}): Promise<ApiAnswer<Row>> =>
  post(caller, '/api-keys', { name: 'made', scopes: ['people:read'], ...body });
async function keyOf(caller: Caller, body: object = {}): Promise<{ caller: ApiClient; id: string }> {
  const { status, json: made } = await makeKey(caller, { scopes: SCOPES, ...body });
  expect(status).toBe(201);
  return { caller: api.client(made.data.api_key), id: made.data.id };
}
const invite = (caller: Caller, role: Role): Promise<ApiAnswer<Row>> =>
  post(caller, '/users', { email: newEmail(), role });
const userOf = async (role: Role): Promise<string> => (await invite(own.client, role)).json.data.id;
const deactivatedUser = async (): Promise<string> => {
  const id = await userOf('viewer');
  await post(own.client, `/users/${id}/deactivate`);
  return id;
};
const setRole = (caller: Caller, id: string, role: Role): Promise<ApiAnswer<Row>> =>
  caller.send<Row>('PATCH', `/users/${id}`, { body: { role } });

/** What is granted, or taken away, and how each caller of the table asks for it. */
const GRANTS: Readonly<Record<string, (caller: Caller) => Promise<ApiAnswer<Row>>>> = {
  'key 1 day': (caller) => makeKey(caller, { expires_at: inDays(1) }),
  'key 9 days': (caller) => makeKey(caller, { expires_at: inDays(9) }),
  'key for ever': (caller) => makeKey(caller),
  'key webhooks': (caller) => makeKey(caller, { scopes: ['webhooks:manage'], expires_at: inDays(1) }),
  'invite viewer': (caller) => invite(caller, 'viewer'),
  'invite admin': (caller) => invite(caller, 'administrator'),
  promote: async (caller) => setRole(caller, await userOf('viewer'), 'administrator'),
  demote: async (caller) => {
    await userOf('administrator');
    return setRole(caller, await userOf('administrator'), 'viewer');
  },
  link: async (caller) => post(caller, `/users/${await userOf('viewer')}/sign-in-link`),
  reactivate: async (caller) => post(caller, `/users/${await deactivatedUser()}/reactivate`),
  deactivate: async (caller) => post(caller, `/users/${await userOf('viewer')}/deactivate`),
  'revoke key': async (caller) => post(caller, `/api-keys/${(await makeKey(own.client)).json.data.id}/revoke`),
};

/** Callers of the table. Keys of users are made while these may, and kept when these are deactivated. */
const CALLERS: Readonly<Record<string, () => Promise<Caller>>> = {
  'an administrator': async () => (await session('administrator')).caller,
  'a user of the role hr': async () => (await session('hr')).caller,
  'a key of all scopes': () => Promise.resolve(own.client),
  'a key: access, and what viewers read': async () =>
    api.client((await api.key(own.row, { scopes: ['access:manage', ...SCOPES_OF_ROLE.viewer] })).apiKey),
  'a key that lasts 2 days': async () => (await keyOf(own.client, { expires_at: inDays(2) })).caller,
  'a key that such a key made': async () =>
    (await keyOf((await keyOf(own.client, { expires_at: inDays(2) })).caller, { expires_at: inDays(1.9) })).caller,
  'the key of an administrator': async () => (await keyOf((await session('administrator')).caller)).caller,
  'the key of one who is a viewer now': async () => {
    const { caller, id } = await session('administrator');
    const key = await keyOf(caller);
    await userOf('administrator');
    await setRole(own.client, id, 'viewer');
    return key.caller;
  },
  'the kept key of one deactivated': async () => {
    const { caller, id } = await session('administrator');
    const key = await keyOf(caller);
    await userOf('administrator');
    await post(own.client, `/users/${id}/deactivate`, { revoke_keys: false });
    return key.caller;
  },
  'a key that such a kept key made before': async () => {
    const { caller, id } = await session('administrator');
    const key = await keyOf((await keyOf(caller)).caller);
    await userOf('administrator');
    await post(own.client, `/users/${id}/deactivate`, { revoke_keys: false });
    return key.caller;
  },
};

const MATRIX = `
                                       | key 1 day | key 9 days | key for ever | key webhooks | invite viewer | invite admin | promote | demote | link | reactivate | deactivate | revoke key
an administrator                       | yes       | yes        | yes          | yes          | yes           | yes          | yes     | yes    | yes  | yes        | yes        | yes
a user of the role hr                  | no        | no         | no           | no           | no            | no           | no      | no     | no   | no         | no         | no
a key of all scopes                    | yes       | yes        | yes          | yes          | yes           | yes          | yes     | yes    | yes  | yes        | yes        | yes
a key: access, and what viewers read   | yes       | yes        | yes          | no           | yes           | no           | no      | no     | yes  | yes        | yes        | yes
a key that lasts 2 days                | yes       | no         | no           | yes          | no            | no           | no      | yes    | no   | no         | yes        | yes
a key that such a key made             | yes       | no         | no           | yes          | no            | no           | no      | yes    | no   | no         | yes        | yes
the key of an administrator            | yes       | yes        | yes          | yes          | yes           | yes          | yes     | yes    | yes  | yes        | yes        | yes
the key of one who is a viewer now     | yes       | yes        | yes          | no           | yes           | no           | no      | no     | yes  | yes        | yes        | yes
the kept key of one deactivated        | no        | no         | no           | no           | no            | no           | no      | no     | no   | no         | no         | no
a key that such a kept key made before | no        | no         | no           | no           | no            | no           | no      | no     | no   | no         | no         | no
`;

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly [name: string, cells: readonly string[]])[];
}

function tableIn(text: string): Table {
  const [head, ...lines] = text.trimEnd().split('\n').slice(1);
  const cellsOf = (line: string): string[] => line.split('|').map((cell) => cell.trim());
  return {
    columns: cellsOf(head!).slice(1),
    rows: lines.map((line) => [cellsOf(line)[0]!, cellsOf(line).slice(1)] as const),
  };
}

describe('who may grant what', () => {
  const { columns, rows } = tableIn(MATRIX);

  it.each(rows)('%s', async (name, cells) => {
    const caller = await CALLERS[name]!();
    const answers: string[] = [];
    for (const column of columns) {
      const { status } = await GRANTS[column]!(caller);
      answers.push(status < 300 ? 'yes' : [400, 403].includes(status) ? 'no' : String(status));
    }
    expect(Object.fromEntries(columns.map((column, index) => [column, answers[index]]))).toEqual(
      Object.fromEntries(columns.map((column, index) => [column, cells[index]])),
    );
  });
});

describe('a refusal says why', () => {
  it('to a key whose maker was deactivated: it does not bring its maker back', async () => {
    const { caller, id } = await session('administrator');
    const key = await keyOf(caller);
    await userOf('administrator');
    await post(own.client, `/users/${id}/deactivate`, { revoke_keys: false });
    expectError(await post(key.caller, `/users/${id}/reactivate`), 403, 'permission_denied', 'api_key');
    expect((await key.caller.send('GET', '/people')).status).toBe(200);
  });
});

describe('the keys of somebody who is deactivated', () => {
  interface Made {
    readonly id: string;
    readonly first: { readonly caller: ApiClient; readonly id: string };
    readonly second: { readonly caller: ApiClient; readonly id: string };
  }

  /** An administrator who made a key, which made another. */
  async function somebody(): Promise<Made> {
    const { caller, id } = await session('administrator');
    const first = await keyOf(caller, { name: 'first' });
    const second = await keyOf(first.caller, { name: 'second' });
    await userOf('administrator');
    return { id, first, second };
  }
  const statusesOf = (...keys: readonly { readonly caller: ApiClient }[]): Promise<readonly number[]> =>
    Promise.all(keys.map(async ({ caller }) => (await caller.get('/people')).status));

  it('are revoked with those that they made, unless the caller keeps them', async () => {
    const [gone, kept] = [await somebody(), await somebody()];
    const { json: answer } = await post(own.client, `/users/${gone.id}/deactivate`);
    expect(answer.data).toMatchObject({ status: 'deactivated' });
    expect(answer.data.revoked_keys).toEqual([
      { id: gone.first.id, name: 'first' },
      { id: gone.second.id, name: 'second' },
    ]);
    expect(
      (await post(own.client, `/users/${kept.id}/deactivate`, { revoke_keys: false })).json.data.revoked_keys,
    ).toEqual([]);
    expect(await statusesOf(gone.first, gone.second, kept.first, kept.second)).toEqual([401, 401, 200, 200]);
    const revoked = (await recordedEvents(api.database.pool)).filter(({ type }) => type === 'ApiKeyRevoked');
    expect(revoked.slice(-2).map(({ metadata }) => metadata.actor)).toEqual([
      { type: 'api_key', id: own.keyId },
      { type: 'api_key', id: own.keyId },
    ]);
    expect((await post(own.client, `/users/${kept.id}/deactivate`)).json.data.revoked_keys).toHaveLength(2);
  });

  it('are not revoked by a caller who lacks their scopes, and nothing else happens then', async () => {
    const { caller, id } = await session('administrator');
    await keyOf(caller);
    await userOf('administrator');
    await setRole(own.client, id, 'viewer');
    const manager = api.client(
      (await api.key(own.row, { scopes: ['access:manage', ...SCOPES_OF_ROLE.viewer] as Scope[] })).apiKey,
    );
    expectError(await post(manager, `/users/${id}/deactivate`), 403, 'permission_denied', 'revoke_keys');
    expect((await post(manager, `/users/${id}/deactivate`, { revoke_keys: false })).status).toBe(200);
  });

  it('are revoked by the operator too, with a deactivation and with an erasure, or kept by --keep-keys', async () => {
    const ofOwn = ['--organisation', own.row.id];
    const [gone, kept, erased] = [await somebody(), await somebody(), await somebody()];
    const { revoked_keys: revoked } = await json<Row>('users', 'deactivate', gone.id, ...ofOwn);
    expect(revoked.map(({ id }) => id)).toEqual([gone.first.id, gone.second.id]);
    expect((await json<Row>('users', 'deactivate', kept.id, '--keep-keys', ...ofOwn)).revoked_keys).toEqual([]);
    expect((await workforce('users', 'erase', erased.id, '--yes', ...ofOwn)).stdout).toContain('Revoked 2 API keys');
    expect(await statusesOf(gone.first, gone.second, kept.first, kept.second, erased.first, erased.second)).toEqual([
      401, 401, 200, 200, 401, 401,
    ]);
  });

  it('are not made by a request that was under way meanwhile', async () => {
    const { caller, id } = await session('administrator');
    await userOf('administrator');
    const making = Array.from({ length: 8 }, () => makeKey(caller));
    const [deactivated] = await Promise.all([post(own.client, `/users/${id}/deactivate`), ...making]);
    expect(deactivated.status).toBe(200);
    const keys = (await own.client.get<readonly Row[]>('/api-keys')).json.data;
    expect(keys.filter((key) => key.made_by?.id === id && key.status === 'active')).toEqual([]);
  });
});

describe('a key that is revoked', () => {
  it('takes those with it that it made, unless the caller keeps them', async () => {
    const [gone, kept] = [await keyOf(own.client), await keyOf(own.client)];
    const [ofGone, ofKept] = [await keyOf(gone.caller, { name: 'other' }), await keyOf(kept.caller)];
    const answer = await post(own.client, `/api-keys/${gone.id}/revoke`);
    expect(answer.json.data).toMatchObject({ status: 'revoked', revoked_keys: [{ id: ofGone.id, name: 'other' }] });
    expect(
      (await post(own.client, `/api-keys/${kept.id}/revoke`, { revoke_keys: false })).json.data.revoked_keys,
    ).toEqual([]);
    expect([(await ofGone.caller.get('/people')).status, (await ofKept.caller.get('/people')).status]).toEqual([
      401, 200,
    ]);
  });

  it('leaves its successor, which revokes it, with what that made', async () => {
    const former = await keyOf(own.client);
    const successor = await keyOf(former.caller);
    const other = await keyOf(former.caller);
    const ofSuccessor = await keyOf(successor.caller);
    expect(
      (await post(successor.caller, `/api-keys/${former.id}/revoke`)).json.data.revoked_keys.map(({ id }) => id),
    ).toEqual([other.id]);
    expect((await successor.caller.get('/people')).status).toBe(200);
    expect((await ofSuccessor.caller.get('/people')).status).toBe(200);
    expect((await makeKey(successor.caller)).status).toBe(201);
  });
});

describe('who may approve a write that the key of an administrator proposed', () => {
  const APPROVALS = `
                                            | approve | reject
the proposing key                           | no      | no
its maker                                   | no      | yes
another key of its maker                    | no      | yes
a key that it made                          | no      | yes
a user whom it invited                      | no      | yes
the key of such a user                      | no      | yes
who invited its maker                       | no      | yes
a user whom its maker invited               | yes     | yes
the key of a user whom its maker invited    | yes     | yes
another administrator                       | yes     | yes
a key of the operator                       | yes     | yes
`;
  const { columns, rows } = tableIn(APPROVALS);

  it('is in the table', async () => {
    const founder = await session('administrator');
    const byInvitation = async (caller: Caller, role: Role): Promise<Caller> => {
      const { json: invited } = await post(caller, '/users', { email: newEmail(), role });
      const [, token] = (invited.data as unknown as { sign_in_link: string }).sign_in_link.split('#');
      return sessionBy(token!);
    };
    const maker = await byInvitation(founder.caller, 'administrator');
    const proposer = await keyOf(maker);
    const invitedByProposer = await byInvitation(proposer.caller, 'administrator');
    const invitedByMaker = await byInvitation(maker, 'administrator');
    const callers: Readonly<Record<string, Caller>> = {
      'the proposing key': proposer.caller,
      'its maker': maker,
      'another key of its maker': (await keyOf(maker)).caller,
      'a key that it made': (await keyOf(proposer.caller)).caller,
      'a user whom it invited': invitedByProposer,
      'the key of such a user': (await keyOf(invitedByProposer)).caller,
      'who invited its maker': founder.caller,
      'a user whom its maker invited': invitedByMaker,
      'the key of a user whom its maker invited': (await keyOf(invitedByMaker)).caller,
      'another administrator': (await session('administrator')).caller,
      'a key of the operator': own.client,
    };
    expect(rows.map(([name]) => name)).toEqual(Object.keys(callers));
    const assistant = await connect(api.url, proposer.caller.apiKey!);
    const found: (readonly [string, readonly string[]])[] = [];
    for (const [name] of rows) {
      const cells: string[] = [];
      for (const step of columns) {
        const body = { work_email: newEmail(), first_name: 'Ada', start_date: '2024-01-01', job_title: 'Engineer' };
        const person = await own.client.post<{ id: string }>('/people', body);
        const proposed = await call(assistant, 'change_terms', {
          person_id: person.json.data.id,
          start_date: '2025-01-01',
          job_title: 'Lead',
        });
        const { data } = proposed.structuredContent as { readonly data: { readonly id: string } };
        const answer = await post(callers[name]!, `/write-proposals/${data.id}/${step}`);
        cells.push(answer.status === 403 ? 'no' : answer.status === 200 ? 'yes' : String(answer.status));
      }
      found.push([name, cells]);
    }
    await assistant.close();
    expect(found).toEqual(rows);
  });

  async function sessionBy(token: string): Promise<Caller> {
    const browser = new Browser(api.url);
    expect((await browser.send('POST', '/console/session', { body: { token } })).status).toBe(204);
    return clientOf(browser, api.client(null));
  }
});

it('a repeat of a deactivation whose receipt is gone revokes no key that was made after a return', async () => {
  const { id } = await session('administrator');
  await userOf('administrator');
  const idempotencyKey = 'deactivate-once';
  const deactivate = (): Promise<ApiAnswer<Row>> =>
    own.client.send<Row>('POST', `/users/${id}/deactivate`, { idempotencyKey });
  expect((await deactivate()).json.data.revoked_keys).toEqual([]);
  await changeUser(api.services, testContext(own.row.id), id, { type: 'reactivate' });
  const link = await post(own.client, `/users/${id}/sign-in-link`);
  const browser = new Browser(api.url);
  const token = (link.json.data as unknown as { sign_in_link: string }).sign_in_link.split('#')[1];
  expect((await browser.send('POST', '/console/session', { body: { token } })).status).toBe(204);
  const key = await keyOf(clientOf(browser, api.client(null)));
  await api.database.pool.query('delete from idempotency_receipts where idempotency_key = $1', [idempotencyKey]);
  expect((await deactivate()).json.data).toMatchObject({ status: 'deactivated', revoked_keys: [] });
  expect((await key.caller.get('/people')).status).toBe(200);
});
