import { randomUUID } from 'node:crypto';
import { refreshSandbox } from '#cli/sample-data/refresh-sandbox.js';
import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import type { Scope } from '#kernel/scopes.js';
import { eventually } from '../contract/event-store.support.js';
import { type ApiAnswer, type ApiClient, dataOf, expectError, type SendOptions } from '../support/api/http-client.js';
import { newEmail } from '../support/api/people.js';
import type { Delivery, Person } from '../support/api/shapes.js';
import { AnswerCheck, type OpenApiDocument } from '../support/api/answer-check.js';
import { ApiClient as Client } from '../support/api/http-client.js';
import type { TestOrganisation } from '../support/api/test-api.js';
import { WebhookActions } from '../support/api/webhooks.js';
import { testSeeding } from '../support/command-bus.js';
import { testContext } from '../support/command-services.js';
import { Delivering, eventOf, isSignedWith } from '../support/webhooks/delivering.js';
import { Receiver } from '../support/webhooks/receiver.js';

const ALL = Object.keys(WEBHOOK_EVENTS);

let delivering: Delivering;
let address: string;
let organisation: TestOrganisation;
let client: ApiClient;
let check: AnswerCheck;

beforeAll(async () => {
  delivering = await Delivering.start('PostgreSQL');
  await delivering.worker();
  const { api } = delivering;
  address = await api.startAnother('sandbox');
  organisation = await api.organisation();
  await refreshSandbox(await testSeeding(api.services, api.database.pool), testContext(organisation.row.id));
  check = new AnswerCheck((await (await fetch(`${address}/api/v1/openapi.json`)).json()) as OpenApiDocument);
  client = await clientWith();
});

afterAll(async () => {
  client.close();
  await delivering.stop();
});

async function clientWith(scopes?: readonly Scope[]): Promise<ApiClient> {
  const options = { environment: 'sandbox', ...(scopes === undefined ? {} : { scopes }) } as const;
  const { apiKey } = await delivering.api.key(organisation.row, options);
  return new Client(address, apiKey, check);
}

function wanting(what: string, options: SendOptions = {}): SendOptions {
  return { ...options, headers: { 'sandbox-simulate': what } };
}

const createPerson = (
  what: string | null,
  body: object = { work_email: newEmail() },
  options: SendOptions = {},
): Promise<ApiAnswer<Person>> => client.post<Person>('/people', body, what === null ? options : wanting(what, options));

describe('a provoked error', () => {
  const CASES = [
    ['authentication_required', 401, 'authentication_required'],
    ['permission_denied', 403, 'permission_denied'],
    ['rate_limited', 429, 'rate_limited'],
    ['internal_error', 500, 'internal_error'],
    ['service_unavailable', 503, 'internal_error'],
  ] as const;

  it.each(CASES)('%s is the real thing on reads and writes, and nothing was done', async (outcome, status, code) => {
    const idempotencyKey = randomUUID();
    const body = { work_email: newEmail() };
    for (const answer of [
      await client.get('/people', {}, wanting(outcome)),
      await createPerson(outcome, body, { idempotencyKey }),
    ]) {
      expectError(answer, status, code);
      expect(answer.headers['sandbox-simulated']).toBe(outcome);
      expect(answer.headers['ratelimit-policy']).toMatch(/^"key";q=\d+;w=60/);
    }
    // Not stored under the key: the retry does the work.
    const retried = await createPerson(null, body, { idempotencyKey });
    expect([retried.status, retried.headers['idempotent-replayed'], retried.headers['sandbox-simulated']]).toEqual([
      201,
      undefined,
      undefined,
    ]);
  });

  it('of a rate limit shows the budget of the key as used up, and says when to come back', async () => {
    const { headers } = await client.get('/people', {}, wanting('rate_limited'));
    const [, reset] = /^"key";r=0;t=(\d+)/.exec(String(headers['ratelimit']))!;
    expect(headers['retry-after']).toBe(reset);
    expect((await client.get('/people')).headers['ratelimit']).not.toMatch(/"key";r=0;/);
  });

  it('of the domain is stored under the key and replayed, as a real one is', async () => {
    for (const [outcome, status] of [
      ['conflict', 409],
      ['not_found', 404],
    ] as const) {
      const [idempotencyKey, body] = [randomUUID(), { work_email: newEmail() }];
      expectError(await createPerson(outcome, body, { idempotencyKey }), status, outcome);
      const replayed = await createPerson(null, body, { idempotencyKey });
      expectError(replayed, status, outcome);
      expect(replayed.headers['idempotent-replayed']).toBe('true');
    }
  });

  it('of a precondition is not stored', async () => {
    const { id } = dataOf(201, await createPerson(null));
    const read = await client.get(`/people/${id}`);
    const options = { idempotencyKey: randomUUID(), ifMatch: String(read.headers['service-resource-etag']) };
    expectError(
      await client.patch(`/people/${id}`, { first_name: 'A' }, wanting('precondition_failed', options)),
      412,
      'precondition_failed',
    );
    expect((await client.patch(`/people/${id}`, { first_name: 'A' }, options)).status).toBe(200);
  });

  it('is none on the live address, which ignores the header', async () => {
    for (const what of ['internal_error', 'rate_limited', 'nonsense', 'latency=20000']) {
      const answer = await organisation.client.get('/people', {}, wanting(what));
      expect([answer.status, answer.headers['sandbox-simulated']]).toEqual([200, undefined]);
    }
    const made = await organisation.client.post('/people', { work_email: newEmail() }, wanting('lost_answer'));
    expect(made.status).toBe(201);
  });
});

it('a slow answer takes as long as is wanted', async () => {
  const startedAt = performance.now();
  expect((await client.get('/people', {}, wanting('latency=600'))).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(600);
});

it('a lost answer did its work: the retry under the same key is answered', async () => {
  const [idempotencyKey, body] = [randomUUID(), { work_email: newEmail() }];
  await expect(createPerson('lost_answer', body, { idempotencyKey })).rejects.toThrow(/socket hang up|ECONNRESET/);
  const retried = await createPerson('lost_answer', body, { idempotencyKey });
  expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([201, 'true']);
});

describe('a triggered event', () => {
  let receiver: Receiver;
  let url: string;

  beforeAll(async () => {
    receiver = new Receiver();
    url = await receiver.start();
  });
  afterAll(() => receiver.stop());

  const trigger = (
    body: object,
    by: ApiClient = client,
    options: SendOptions = {},
  ): Promise<ApiAnswer<Record<string, string>>> => by.post('/sandbox/events', body, options);

  it('of every type comes to those who subscribe, signed, about something that is there, with its delivery', async () => {
    const webhooks = new WebhookActions({ client });
    const { id, signing_secret: secret } = await webhooks.create({ url: `${url}/all`, subscribed_events: ALL });
    const quiet = await webhooks.create({ url: `${url}/none`, subscribed_events: ['person.ended'] });
    const told: Record<string, string>[] = [];
    for (const event_type of ALL) told.push(dataOf(201, await trigger({ event_type })));
    const came = (path: string) => receiver.requests.filter((request) => request.path === path);
    await receiver.until(() => came('/all').length === ALL.length && came('/none').length === 1);
    const expected = told.map(({ event_id, event_type, resource_id }) => ({
      id: event_id,
      type: event_type,
      about: resource_id,
    }));
    const byId = (events: readonly { readonly id?: string | undefined }[]) =>
      [...events].sort((a, b) => (a.id! < b.id! ? -1 : 1));
    expect(byId(came('/all').map(eventOf))).toEqual(byId(expected));
    expect(came('/all').every((request) => isSignedWith(secret, request))).toBe(true);
    expect(came('/none').map((request) => eventOf(request).type)).toEqual(['person.ended']);
    const deliveries = () => client.get<readonly Delivery[]>(`/webhooks/${id}/deliveries`, { limit: 200 });
    await eventually(
      async () => dataOf(200, await deliveries()).filter(({ status }) => status === 'delivered').length === ALL.length,
    );
    const ada = dataOf(200, await client.get<readonly Person[]>('/people', { limit: 1 }))[0]!;
    expect(
      told.filter(({ resource_type }) => resource_type === 'person').every(({ resource_id }) => resource_id === ada.id),
    ).toBe(true);
    const me = dataOf(200, await client.get<{ organisation: { id: string } }>('/me'));
    expect(told.find(({ event_type }) => event_type === 'time_off_settings.updated')!['resource_id']).toBe(
      me.organisation.id,
    );
    expect(told.find(({ event_type }) => event_type === 'webhook.test')!['resource_id']).toBe([id, quiet.id].sort()[0]);
  });

  it('is about the resource that was named, or refused where there is none', async () => {
    const [, second] = dataOf(200, await client.get<readonly Person[]>('/people', { limit: 2 }));
    expect(dataOf(201, await trigger({ event_type: 'person.updated', resource_id: second!.id }))['resource_id']).toBe(
      second!.id,
    );
    const live = dataOf(201, await organisation.client.post<Person>('/people', { work_email: newEmail() }));
    for (const event_type of ['person.updated', 'org_unit.created', 'time_off_settings.updated']) {
      const details: unknown[] = [];
      for (const resource_id of [live.id, '000000000000', organisation.row.id, 'x', '', 'x\u0000', 'x'.repeat(2_000)]) {
        const refused = await trigger({ event_type, resource_id });
        expectError(refused, 404, 'not_found', 'resource_id');
        details.push(refused.json.error.details);
      }
      // Malformed, unknown and live ids are told apart by nothing.
      expect(details).toEqual(details.map(() => details[0]));
    }
    expectError(await trigger({ event_type: 'person.vanished' }), 400, 'invalid_request', 'event_type');
    expectError(await trigger({}), 400, 'invalid_request', 'event_type');
  });

  it('needs the scope of webhooks and that of its type', async () => {
    const reader = await clientWith(['people:read']);
    expectError(await trigger({ event_type: 'person.updated' }, reader), 403, 'permission_denied');
    const manager = await clientWith(['webhooks:manage', 'people:read']);
    expectError(await trigger({ event_type: 'org_unit.created' }, manager), 403, 'permission_denied', 'event_type');
    dataOf(201, await trigger({ event_type: 'person.updated' }, manager));
    for (const one of [reader, manager]) one.close();
  });

  it('is unknown on the live address: 404, and in no document of it', async () => {
    expectError(await trigger({ event_type: 'person.updated' }, organisation.client), 404, 'not_found');
    expect(Object.keys(delivering.api.check.document.paths).filter((path) => path.startsWith('/sandbox'))).toEqual([]);
    expect(Object.keys(check.document.paths)).toContain('/sandbox/events');
  });
});

it('nothing went wrong behind the API', () => expect(delivering.errors).toEqual([]));
