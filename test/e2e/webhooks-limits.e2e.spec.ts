import { randomUUID } from 'node:crypto';
import type { RunningApi } from '#api/listener.js';
import { startApi } from '#api/start-api.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { type ApiAnswer, dataOf, expectError } from '../support/api/http-client.js';
import { patiently } from '../support/api/patiently.js';
import { TestApi, type TestOrganisation, UNLIMITED } from '../support/api/test-api.js';
import { newEndpoint, testWebhooks, WebhookActions } from '../support/api/webhooks.js';
import { DEFAULT_CONFIGURATION } from '../support/http/default-configuration.js';
import type { Webhook } from '../support/api/shapes.js';

const AT_ONCE = 20;

let own: TestOrganisation;
/** Another process over the same database. */
let other: string;

const api = TestApi.forSpec();

beforeAll(async () => {
  other = await api.startAnother();
});

beforeEach(async () => {
  own = await api.organisation();
});

/** Sends so many writes at once, half of them to the other process, each patiently under a key of its own. */
function race<Data>(
  send: (client: TestOrganisation['client'], index: number, idempotencyKey: string) => Promise<ApiAnswer<Data>>,
  count = AT_ONCE,
): Promise<readonly ApiAnswer<Data>[]> {
  const clients = [own.client, api.client(own.apiKey, other)];
  return Promise.all(
    Array.from({ length: count }, (_, index) => patiently((key) => send(clients[index % 2]!, index, key))),
  );
}

async function statuses(): Promise<Readonly<Record<string, number>>> {
  const all = dataOf(200, await own.client.get<readonly Webhook[]>('/webhooks', { limit: 200 }));
  return {
    active: all.filter(({ status }) => status === 'active').length,
    disabled: all.filter(({ status }) => status === 'disabled').length,
  };
}

describe('ten active webhooks', () => {
  it('are made of creations and enablings together', async () => {
    const webhooks = new WebhookActions(own);
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      const { id } = await webhooks.create();
      await webhooks.change(id, { status: 'disabled' });
      ids.push(id);
    }
    const answers = await race((client, index, idempotencyKey) =>
      index < 10
        ? client.patch<Webhook>(`/webhooks/${ids[index]!}`, { status: 'active' }, { idempotencyKey })
        : client.post<Webhook>('/webhooks', newEndpoint(), { idempotencyKey }),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(10);
    expect((await statuses())['active']).toBe(10);
  });

  it('are made once by requests with one Idempotency-Key', async () => {
    const [body, idempotencyKey] = [newEndpoint(), randomUUID()];
    const answers = await race<Webhook>((client) => client.post('/webhooks', body, { idempotencyKey }), 6);
    const [first] = answers.filter(({ status }) => status === 201);
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ json }) => json.data.id))).toEqual(
      new Set([first!.json.data.id]),
    );
    expect(answers.filter(({ json }) => typeof json.data?.signing_secret === 'string').length).toBeLessThanOrEqual(1);
    expect(await statuses()).toEqual({ active: 1, disabled: 0 });
  });
});

describe('the budgets of webhooks', () => {
  let limited: RunningApi;

  const startLimited = async (limits: {
    readonly rateLimitWebhookKey: number;
    readonly rateLimitWebhookOrganisation: number;
  }): Promise<void> => {
    const { pool } = api.database;
    const unlimited = { rateLimitKey: UNLIMITED, rateLimitKeyWrites: UNLIMITED, rateLimitOrganisation: UNLIMITED };
    const configuration = { ...DEFAULT_CONFIGURATION, ...unlimited, ...limits };
    limited = await startApi({
      pool,
      eventStore: api.services.store,
      keys: await loadInstallationKeys(pool),
      configuration,
      environment: 'live',
      port: 0,
      webhooks: testWebhooks(),
    });
  };

  afterEach(() => limited.stop());

  it('are drawn from by creating, changing, deleting and rotating, and by nothing else', async () => {
    await startLimited({ rateLimitWebhookKey: 4, rateLimitWebhookOrganisation: 100 });
    const client = api.client(own.apiKey, limited.url);
    const webhooks = new WebhookActions({ client });
    const { id } = await webhooks.create();
    const { delivery_id: deliveryId } = await webhooks.test(id);
    await webhooks.change(id, { name: 'Other' });
    expect((await client.send('POST', `/webhooks/${id}/rotate-secret`)).status).toBe(200);
    expect((await client.send('DELETE', `/webhooks/${UNKNOWN}`)).status).toBe(404);
    for (const [method, path, body] of [
      ['POST', '/webhooks', newEndpoint()],
      ['PATCH', `/webhooks/${id}`, {}],
      ['DELETE', `/webhooks/${id}`, undefined],
      ['POST', `/webhooks/${id}/rotate-secret`, undefined],
    ] as const) {
      const refused = await client.send(method, path, { body });
      expectError(refused, 429, 'rate_limited');
      expect(refused.headers['ratelimit-policy']).toContain('"webhook-key";q=4;w=60');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    for (const path of [
      '/webhooks',
      `/webhooks/${id}`,
      `/webhooks/${id}/health`,
      `/webhooks/${id}/deliveries`,
      `/webhooks/${id}/deliveries/${deliveryId}`,
    ])
      expect((await client.get(path)).status).toBe(200);
    await webhooks.test(id);
    expectError(await webhooks.redeliver(id, deliveryId), 409, 'conflict');
    expect((await client.get('/people')).status).toBe(200);
    const second = api.client((await api.key(own.row)).apiKey, limited.url);
    expect((await second.patch(`/webhooks/${id}`, { name: 'Theirs' })).status).toBe(200);
  });
});

const UNKNOWN = 'wh_Zm9vYmFy.YmF6cXV4.c2VhbGVkX2lk';
