import { type ReportRow, reportRows } from '#audit/report/report-rows.js';
import { clientOf, signedIn } from '../../support/api/browser-session.js';
import { expectError } from '../../support/api/http-client.js';
import { newEmail } from '../../support/api/people.js';
import { proposeJob } from '../../support/api/proposals.js';
import { TestApi } from '../../support/api/test-api.js';
import { recordedEvents } from '../../support/event-store.js';

const api = TestApi.forSpec();
const of = api.organisationForSpec();

let count = 0;
const at = (): { email: string } => ({ email: `somebody-${(count += 1)}@example.com` });
const personBody = () => ({ work_email: newEmail(), first_name: 'Ada', last_name: 'Byron' });

describe('a write', () => {
  it('names the user as its actor, in events, in the timeline and in the audit report', async () => {
    const { browser, user } = await signedIn(api, of.row.id, 'hr', at());
    const client = clientOf(browser, api.client(null));
    const { json } = await client.send<{ id: string }>('POST', '/people', {
      body: { ...personBody(), job_title: 'Engineer', start_date: '2024-01-01' },
    });
    const actor = { type: 'user', id: user.id };
    const events = await api.services.store.readStream(`person-${of.row.id}.${json.data.id}`);
    expect(events.map(({ metadata }) => metadata.actor)).toEqual([actor]);
    const timeline = await client.send('GET', `/people/${json.data.id}/timeline`);
    expect(timeline.json.data).toMatchObject({ segments: [{ actor }] });
    expect((await client.send('GET', '/me')).json.data).toMatchObject({ actor: { type: 'user', key_id: user.id } });
    const rows: ReportRow[] = [];
    const period = { personId: json.data.id, from: null, before: null, withValues: true };
    const sources = { executor: api.database.pool, eventStore: api.services.store };
    for await (const batch of reportRows(sources, { organisationId: of.row.id, ...period })) rows.push(...batch);
    expect(new Set(rows.map((row) => `${row.actor_type} ${row.actor_id} ${row.actor_name}`))).toEqual(
      new Set([`user ${user.id} ${user.email}`]),
    );
  });

  it('that an AI client proposed names the user who approved it', async () => {
    const { browser, user } = await signedIn(api, of.row.id, 'hr', at());
    const client = clientOf(browser, api.client(null));
    const hired = { ...personBody(), job_title: 'Engineer', start_date: '2024-01-01' };
    const { json } = await client.send<{ id: string }>('POST', '/people', { body: hired });
    const proposal = await proposeJob(api, of, json.data.id);
    const approved = await client.send('POST', `/write-proposals/${proposal}/approve`);
    const by = { type: 'user', id: user.id };
    expect(approved.json.data).toMatchObject({ status: 'applied', decided_by: by });
    const events = await api.services.store.readStream(`employment-${of.row.id}.${json.data.id}`);
    expect(events.at(-1)!.metadata).toMatchObject({ actor: { type: 'api_key' }, approval: { approved_by: by } });
  });

  it('is repeated under its idempotency key, which no other user and no key shares', async () => {
    const { browser } = await signedIn(api, of.row.id, 'hr', at());
    const client = clientOf(browser, api.client(null));
    const sent = { body: personBody(), idempotencyKey: 'shared-key' };
    const first = await client.send<{ id: string }>('POST', '/people', sent);
    const second = await client.send<{ id: string }>('POST', '/people', sent);
    expect([second.status, second.headers['idempotent-replayed'], second.json.data.id]).toEqual([
      201,
      'true',
      first.json.data.id,
    ]);
    const another = clientOf((await signedIn(api, of.row.id, 'hr', at())).browser, api.client(null));
    const theirs = await another.send<{ id: string }>('POST', '/people', { ...sent, body: personBody() });
    const ofKey = await of.client.post<{ id: string }>('/people', personBody(), { idempotencyKey: 'shared-key' });
    expect([theirs.status, ofKey.status]).toEqual([201, 201]);
    expect(new Set([first, theirs, ofKey].map(({ json }) => json.data.id)).size).toBe(3);
  });

  it('of the console is repeated under its idempotency key: a link to a calendar has one address', async () => {
    const { browser } = await signedIn(api, of.row.id, 'hr', at());
    const { json } = await of.client.post<{ id: string }>('/people', personBody());
    const sent = { body: { person_id: json.data.id, language: 'en' }, headers: { 'idempotency-key': 'one-link' } };
    const answers = await Promise.all([1, 2, 3].map(() => browser.send('POST', '/console/calendars', sent)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await browser.send('GET', '/console/calendars')).json.data).toHaveLength(1);
    const other = { ...sent, body: { ...sent.body, language: 'de' } };
    expect((await browser.send('POST', '/console/calendars', other)).json.error.code).toBe('idempotency_conflict');
  });

  it('without If-Match of the version that was read is refused like that of a key', async () => {
    const { browser } = await signedIn(api, of.row.id, 'hr', at());
    const client = clientOf(browser, api.client(null));
    const { json } = await client.send<{ id: string }>('POST', '/people', { body: personBody() });
    const change = { body: { last_name: 'Other' } };
    expectError(
      await client.send('PATCH', `/people/${json.data.id}`, { ...change, ifMatch: '"p9.e9.x"' }),
      412,
      'precondition_failed',
    );
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of the same site', { 'sec-fetch-site': 'same-site' }],
    ['no page', { 'sec-fetch-site': 'none' }],
    ['another origin, in an older browser', { origin: 'https://evil.example' }],
    ['an opaque origin, in an older browser', { origin: 'null' }],
    ['a program that has the cookie and sends no origin', {}],
  ])('of %s is refused, and records nothing', async (_, headers) => {
    const { browser, user } = await signedIn(api, of.row.id, 'hr', at());
    const without = api.client(null);
    const sent = { body: personBody(), headers: { cookie: browser.cookieHeader(), ...headers } };
    const refused = await without.send('POST', '/people', sent);
    expectError(refused, 403, 'permission_denied');
    expect(refused.json.error.details).toEqual([
      { field: expect.stringMatching(/^(Origin|Sec-Fetch-Site)$/), issue: 'must be the origin of this service' },
    ]);
    const events = await recordedEvents(api.database.pool);
    expect(events.filter(({ metadata }) => metadata.actor.id === user.id).map(({ type }) => type)).toEqual([
      'UserSignedIn',
    ]);
    expect(
      (await browser.send('DELETE', '/console/session', { headers: { 'sec-fetch-site': '', ...headers } })).status,
    ).toBe(403);
  });

  it('of a page of the service in an older browser is taken', async () => {
    const { browser } = await signedIn(api, of.row.id, 'hr', at());
    const headers = { cookie: browser.cookieHeader(), origin: api.url };
    expect((await api.client(null).send('POST', '/people', { body: personBody(), headers })).status).toBe(201);
  });
});
