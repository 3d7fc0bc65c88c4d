import { randomUUID } from 'node:crypto';
import { inTransaction } from '#database/transaction.js';
import type { Clock } from '#kernel/clock.js';
import { WEBHOOK_EVENTS, type WebhookEventType } from '#kernel/webhook-events.js';
import type { Scope } from '#kernel/scopes.js';
import { queueDelivery } from '#webhooks/deliver/delivery-changes.js';
import { deliveryIdOf } from '#webhooks/deliver/delivery-id.js';
import { familyOf } from '#webhooks/deliver/envelope.js';
import type { DueDelivery } from '#webhooks/deliver/delivery-queues.js';
import { type ApiClient, dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testWebhooks, WebhookActions } from '../support/api/webhooks.js';
import type { Delivery, Schemas, Webhook } from '../support/api/shapes.js';

type Attempt = Schemas['DeliveryAttempt'];

type Health = Schemas['WebhookHealthResponse'];

const added: DueDelivery[] = [];
let queueIsAway = false;
let ahead = 0;
const clock: Clock = { now: () => new Date(Date.now() + ahead) };

let api: TestApi;
let own: TestOrganisation;
let webhooks: WebhookActions;
let webhook: Webhook & { readonly signing_secret: string };

beforeAll(async () => {
  const add = async (more: readonly DueDelivery[]): Promise<void> => {
    if (queueIsAway) throw new Error('the queue is away');
    added.push(...more);
  };
  api = await TestApi.start({ clock, webhooks: { ...testWebhooks(), deliveries: { add } } });
});

beforeEach(async () => {
  added.length = 0;
  [queueIsAway, ahead] = [false, 0];
  own = await api.organisation();
  webhooks = new WebhookActions(own);
  webhook = await webhooks.create();
});

afterAll(() => api.stop());

/** Puts an event on its way as the fan-out does; the id of its delivery. */
async function queue(type: WebhookEventType, resourceId = randomUUID()): Promise<string> {
  const { mint } = api.services;
  const eventId = mint.prefixed('event', own.row.id, randomUUID());
  const deliveryId = deliveryIdOf(mint, own.row.id, webhook.id, eventId);
  const event = { id: eventId, type, occurredAt: new Date().toISOString(), resourceId, resourceType: familyOf(type) };
  const place = { organisationId: own.row.id, webhookId: webhook.id, deliveryId };
  expect(await inTransaction(api.database.pool, (connection) => queueDelivery(connection, place, event))).toBe(
    'queued',
  );
  return deliveryId;
}

/** Writes to a delivery what a worker would. */
async function become(deliveryId: string, changes: string): Promise<void> {
  await api.database.pool.query(`update webhook_deliveries set ${changes} where id = $1`, [deliveryId]);
}

const FAILED =
  "status = 'failed', next_attempt_at = null, finished_at = '2026-01-02T00:00:00Z', attempt_count = 1, last_http_status = 404, failure_class = 'http_non_retryable', failure_message = 'the endpoint answered 404', failed_activation = 1";
const DELIVERED =
  "status = 'delivered', next_attempt_at = null, finished_at = '2026-01-03T00:00:00Z', attempt_count = 1, last_http_status = 204";
const SCHEDULED =
  "status = 'retry_scheduled', next_attempt_at = '2030-01-01T00:00:00Z', attempt_count = 2, step = 2, failure_class = 'network', failure_message = 'the connection was refused'";

async function attempt(
  deliveryId: string,
  number: number,
  startedAt: string,
  failure: { readonly status: number | null; readonly kind: string | null; readonly message: string | null },
): Promise<void> {
  await api.database.pool.query(
    `insert into webhook_attempts (organisation_id, delivery_id, number, started_at, duration_ms, http_status, failure_class, failure_message)
     values ($1, $2, $3, $4, 250, $5, $6, $7)`,
    [own.row.id, deliveryId, number, startedAt, failure.status, failure.kind, failure.message],
  );
}

const read = async (
  deliveryId: string,
  client: ApiClient = own.client,
): Promise<Delivery & { readonly attempts: readonly Attempt[] }> =>
  dataOf(
    200,
    await client.get<Delivery & { readonly attempts: readonly Attempt[] }>(
      `/webhooks/${webhook.id}/deliveries/${deliveryId}`,
    ),
  );
const list = (
  query: Readonly<Record<string, string | number>> = {},
  client: ApiClient = own.client,
): Promise<readonly Delivery[]> =>
  new PeopleActions({ client }).all<Delivery>(`/webhooks/${webhook.id}/deliveries`, query);
const health = async (): Promise<Health> => dataOf(200, await own.client.get<Health>(`/webhooks/${webhook.id}/health`));

describe('a test', () => {
  it('that races the deletion of its endpoint is taken, or finds it gone or going', async () => {
    for (let time = 0; time < 8; time += 1) {
      const { id } = await webhooks.create();
      const tests = Array.from({ length: 6 }, () => webhooks.tryTest(id));
      const [deleted, ...answers] = await Promise.all([own.client.send('DELETE', `/webhooks/${id}`), ...tests]);
      expect(deleted.status).toBe(204);
      for (const { status } of answers) expect([200, 404, 409]).toContain(status);
    }
  });

  it('is refused while a rule has stopped the webhook, before its event is recorded', async () => {
    await api.database.pool.query(
      "insert into webhook_stops (organisation_id, webhook_id, activation, reason) values ($1, $2, 1, 'delivery_failures')",
      [own.row.id, webhook.id],
    );
    expectError(await webhooks.tryTest(webhook.id), 409, 'conflict', 'status');
  });

  it('is queued also while the queue of jobs is away', async () => {
    queueIsAway = true;
    const { delivery_id: deliveryId } = await webhooks.test(webhook.id);
    expect((await read(deliveryId)).status).toBe('pending');
  });
});

describe('a redelivery', () => {
  it('is not found of a delivery of another webhook', async () => {
    const id = await queue('person.created');
    await become(id, FAILED);
    const other = await webhooks.create();
    for (const answer of [
      await webhooks.redeliver(other.id, id),
      await own.client.get(`/webhooks/${other.id}/deliveries/${id}`),
    ])
      expectError(answer, 404, 'not_found');
    expect((await read(id)).status).toBe('failed');
  });
});

describe('deliveries', () => {
  it.each(Object.entries(WEBHOOK_EVENTS) as [WebhookEventType, Scope][])(
    'of %s show what they are about to a key with %s alone',
    async (type, scope) => {
      const resourceId = randomUUID();
      const id = await queue(type, resourceId);
      await webhooks.change(webhook.id, { subscribed_events: [type] });
      const narrow = async (scopes: readonly Scope[]): Promise<ApiClient> =>
        api.client((await api.key(own.row, { scopes: [...new Set<Scope>(['webhooks:manage', ...scopes])] })).apiKey);
      const others = (
        ['people:read', 'time_off:read', 'reference:read', 'org_units:read', 'working_patterns:read'] as const
      ).filter((one) => one !== scope);
      const [may, mayNot] = [await narrow([scope]), await narrow(others)];
      const resource = { id: resourceId, resource_type: familyOf(type) };
      for (const [client, shown] of [
        [may, resource],
        [mayNot, scope === 'webhooks:manage' ? resource : null],
      ] as const) {
        expect((await read(id, client)).resource).toEqual(shown);
        expect((await list({}, client))[0]!.resource).toEqual(shown);
        await become(id, FAILED);
        const again = await new WebhookActions({ client }).redeliver(webhook.id, id);
        if (shown === null) expectError(again, 403, 'permission_denied', 'subscribed_events');
        else expect(again.json.data.resource).toEqual(shown);
      }
    },
  );
});

describe('the health of a webhook', () => {
  it('goes from recovering to healthy, and failing outranks recovering', async () => {
    const [first, second, third] = [
      await queue('person.created'),
      await queue('person.created'),
      await queue('person.created'),
    ];
    expect(await health()).toMatchObject({ health: 'recovering', counts: { pending: 3 } });
    for (const id of [first, second, third]) await become(id, DELIVERED);
    expect(await health()).toMatchObject({
      health: 'healthy',
      counts: { pending: 0, delivered: 3 },
      last_success_at: '2026-01-03T00:00:00.000Z',
      next_attempt_at: null,
    });
    await become(second, SCHEDULED.concat(', finished_at = null'));
    expect(await health()).toMatchObject({
      health: 'recovering',
      counts: { retry_scheduled: 1, delivered: 2 },
      next_attempt_at: '2030-01-01T00:00:00.000Z',
    });
    await become(third, FAILED);
    expect(await health()).toMatchObject({
      health: 'failing',
      counts: { retry_scheduled: 1, delivered: 1, failed: 1 },
    });
  });

  it('names the latest attempt that failed, of what was delivered since too', async () => {
    const [flaky, failed, fine] = [
      await queue('person.created'),
      await queue('person.created'),
      await queue('person.created'),
    ];
    await become(fine, DELIVERED);
    await attempt(fine, 1, '2026-01-09T00:00:00Z', { status: 204, kind: null, message: null });
    await become(failed, FAILED);
    await attempt(failed, 1, '2026-01-02T00:00:00Z', {
      status: 404,
      kind: 'http_non_retryable',
      message: 'the endpoint answered 404',
    });
    expect(await health()).toMatchObject({
      last_failure_at: '2026-01-02T00:00:00.250Z',
      last_failure: { failure_class: 'http_non_retryable', http_status: 404 },
    });
    await become(flaky, DELIVERED.replace('attempt_count = 1', 'attempt_count = 2'));
    await attempt(flaky, 1, '2026-01-03T00:00:00Z', { status: null, kind: 'network', message: 'no answer came' });
    await attempt(flaky, 2, '2026-01-04T00:00:00Z', { status: 200, kind: null, message: null });
    const at = '2026-01-03T00:00:00.250Z';
    expect(await health()).toMatchObject({
      last_failure_at: at,
      last_failure: { failure_class: 'network', http_status: null, failure_message: 'no answer came', at },
    });
  });
});
