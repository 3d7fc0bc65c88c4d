/**
 * Part 4 of the contract, "Webhooks", row by row in its order; and of part 2 the fields of endpoints and
 * deliveries.
 */
import { randomUUID } from 'node:crypto';
import { type ApiAnswer, dataOf, expectError } from '../../support/api/http-client.js';
import { PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { newEndpoint, WebhookActions } from '../../support/api/webhooks.js';
import { type Fields, expectShape, list, matching, object, type Shown, string } from '../../support/contract/kinds.js';
import { ATTEMPT, DELIVERY, ENVELOPE, WEBHOOK, WEBHOOK_HEALTH } from '../../support/contract/shapes.js';
import type { Webhook } from '../../support/api/shapes.js';

const WITH_SECRET: Fields = { ...WEBHOOK, signing_secret: matching(/^whsec_[A-Za-z0-9+/]{43}=$/) };
const FAILED =
  "status = 'failed', next_attempt_at = null, finished_at = now(), attempt_count = 1, last_http_status = 410, failure_class = 'http_non_retryable', failure_message = 'the endpoint answered 410'";

let own: TestOrganisation;
let webhooks: WebhookActions;

const api = TestApi.forSpec();

beforeEach(async () => {
  own = await api.organisation();
  webhooks = new WebhookActions(own);
});

const send = <Data = Shown>(method: string, path: string, body?: object): Promise<ApiAnswer<Data>> =>
  own.client.send<Data>(method, path, { body });

/** Contract part 4, "Common rules", of a write whose replays show no secret; its first answer. */
async function expectOnce(
  path: string,
  body: object | undefined,
  otherBody: object,
  status: 200 | 201,
): Promise<Webhook> {
  const idempotencyKey = randomUUID();
  const post = (of: object | undefined, key: string | null = idempotencyKey) =>
    own.client.send<Webhook>('POST', path, { body: of, idempotencyKey: key });
  expectError(await post(body, null), 400, 'idempotency_required');
  const first = await post(body);
  expect(first.status).toBe(status);
  const again = await post(body);
  expect([again.status, again.headers['idempotent-replayed'], again.json.data]).toEqual([
    status,
    'true',
    { ...first.json.data, signing_secret: null },
  ]);
  expectError(await post(otherBody), 409, 'idempotency_conflict');
  return first.json.data;
}

it('GET /webhooks | none | list', async () => {
  const ids = [(await webhooks.create()).id, (await webhooks.create()).id];
  const rows = await new PeopleActions(own).all<Shown>('/webhooks', { limit: 1 });
  expectShape(WEBHOOK, ...rows);
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

it('POST /webhooks | body: name, url (public HTTPS), subscribed_events[]; Idempotency-Key | endpoint with signing_secret (shown once)', async () => {
  const made = await expectOnce('/webhooks', newEndpoint(), newEndpoint({ name: 'Other' }), 201);
  expectShape(WITH_SECRET, made);
  expect(made.status).toBe('active');
  for (const name of ['name', 'url', 'subscribed_events'])
    expectError(await send('POST', '/webhooks', newEndpoint({ [name]: undefined })), 400, 'invalid_request', name);
});

it('GET /webhooks/{webhookId} | none | endpoint with secret_last_four', async () => {
  const { id, signing_secret: secret } = await webhooks.create();
  const read = await webhooks.read(id);
  expectShape(WEBHOOK, read);
  expect(read.secret_last_four).toBe(secret.slice(-4));
});

it('PATCH /webhooks/{webhookId} | changes including re-enabling; subscriptions re-checked against scopes | endpoint', async () => {
  const { id } = await webhooks.create();
  expect(await webhooks.change(id, { status: 'disabled' })).toMatchObject({
    status: 'disabled',
    disabled_reason: 'caller',
  });
  const enabled = await webhooks.change(id, { status: 'active' });
  expectShape(WEBHOOK, enabled);
  expect(enabled.status).toBe('active');
  const narrow = api.client((await api.key(own.row, { scopes: ['webhooks:manage', 'org_units:read'] })).apiKey);
  const { id: ofUnits } = await webhooks.create({ subscribed_events: ['org_unit.updated'] });
  expectError(
    await narrow.patch(`/webhooks/${ofUnits}`, { subscribed_events: ['person.ended'] }),
    403,
    'permission_denied',
  );
  expect((await narrow.patch(`/webhooks/${ofUnits}`, { subscribed_events: ['org_unit.created'] })).status).toBe(200);
});

it('DELETE /webhooks/{webhookId} | none | removal', async () => {
  const { id } = await webhooks.create();
  expect((await send('DELETE', `/webhooks/${id}`)).status).toBe(204);
  expectError(await own.client.get(`/webhooks/${id}`), 404, 'not_found');
});

it('POST /webhooks/{webhookId}/rotate-secret | none | endpoint with new signing_secret once; old secret stays valid for 24 hours', async () => {
  const { id, signing_secret: old } = await webhooks.create();
  const rotated = await expectOnce(`/webhooks/${id}/rotate-secret`, undefined, {}, 200);
  expectShape(WITH_SECRET, rotated);
  expect(rotated.signing_secret).not.toBe(old);
  expect((await webhooks.test(id)).headers['Service-Webhook-Signature']).toMatch(/^v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
});

it('POST /webhooks/{webhookId}/test | body: event_type `webhook.test`; Idempotency-Key | signed headers and payload shape of a queued synthetic event', async () => {
  const { id } = await webhooks.create();
  const tested = await webhooks.test(id);
  const named = [
    'Service-Webhook-Id',
    'Service-Webhook-Delivery-Id',
    'Service-Webhook-Event',
    'Service-Webhook-Timestamp',
    'Service-Webhook-Signature',
  ];
  const headers = object(
    Object.fromEntries(
      [...named, 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, string]),
    ),
  );
  expectShape({ delivery_id: matching(/^whd_/), headers, payload: object(ENVELOPE) }, tested);
  expectError(
    await own.client.post(`/webhooks/${id}/test`, { event_type: 'webhook.test' }, { idempotencyKey: null }),
    400,
    'idempotency_required',
  );
  expectError(
    await send('POST', `/webhooks/${id}/test`, { event_type: 'person.created' }),
    400,
    'invalid_request',
    'event_type',
  );
});

it('GET /webhooks/{webhookId}/health | none | endpoint status, derived health, delivery counts by status, recent success/failure timestamps, retry timing, latest sanitised failure summary', async () => {
  const { id } = await webhooks.create();
  const health = async (): Promise<Shown> => dataOf(200, await send('GET', `/webhooks/${id}/health`));
  expect((await health())['health']).toBe('unknown');
  const { delivery_id: deliveryId } = await webhooks.test(id);
  const recovering = await health();
  expectShape(WEBHOOK_HEALTH, recovering);
  expect(recovering['health']).toBe('recovering');
  await api.database.pool.query(`update webhook_deliveries set ${FAILED} where id = $1`, [deliveryId]);
  expect((await health())['health']).toBe('failing');
});

it('GET /webhooks/{webhookId}/deliveries | query: limit, cursor, status, event_type, created_since | paginated deliveries', async () => {
  const { id } = await webhooks.create();
  const made = [(await webhooks.test(id)).delivery_id, (await webhooks.test(id)).delivery_id];
  const rows = await new PeopleActions(own).all<Shown>(`/webhooks/${id}/deliveries`, { limit: 1 });
  expectShape(DELIVERY, ...rows);
  expect(rows.map((row) => row['id']).sort()).toEqual([...made].sort());
  const count = async (query: Readonly<Record<string, string>>): Promise<number> =>
    dataOf(200, await own.client.get<readonly Shown[]>(`/webhooks/${id}/deliveries`, query)).length;
  expect([await count({ status: 'pending' }), await count({ status: 'failed' })]).toEqual([2, 0]);
  expect([await count({ event_type: 'webhook.test' }), await count({ event_type: 'person.created' })]).toEqual([2, 0]);
  expect([
    await count({ created_since: '2020-01-01T00:00:00Z' }),
    await count({ created_since: '2999-01-01T00:00:00Z' }),
  ]).toEqual([2, 0]);
});

it('GET /webhooks/{webhookId}/deliveries/{deliveryId} | none | one delivery with ordered attempts', async () => {
  const { id } = await webhooks.create();
  const { delivery_id: deliveryId } = await webhooks.test(id);
  for (const number of [2, 1]) {
    await api.database.pool.query(
      'insert into webhook_attempts (organisation_id, delivery_id, number, started_at, duration_ms, http_status) values ($1, $2, $3, now(), 5, 200)',
      [own.row.id, deliveryId, number],
    );
  }
  const read = dataOf(
    200,
    await send<{ readonly attempts: readonly Shown[] }>('GET', `/webhooks/${id}/deliveries/${deliveryId}`),
  );
  expectShape({ ...DELIVERY, attempts: list(object(ATTEMPT)) }, read);
  expect(read.attempts.map(({ number }) => number)).toEqual([1, 2]);
});

it('POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver | Idempotency-Key | delivery reset; allowed only when webhook is active and delivery is failed or retry_scheduled', async () => {
  const { id } = await webhooks.create();
  const { delivery_id: deliveryId } = await webhooks.test(id);
  const path = `/webhooks/${id}/deliveries/${deliveryId}/redeliver`;
  expectError(await send('POST', path), 409, 'conflict', 'status');
  await api.database.pool.query(`update webhook_deliveries set ${FAILED} where id = $1`, [deliveryId]);
  expectError(await own.client.send('POST', path, { idempotencyKey: null }), 400, 'idempotency_required');
  await webhooks.change(id, { status: 'disabled' });
  expectError(await send('POST', path), 409, 'conflict');
  await webhooks.change(id, { status: 'active' });
  const idempotencyKey = randomUUID();
  const first = await own.client.send('POST', path, { idempotencyKey });
  expectShape(DELIVERY, dataOf(200, first));
  expect(first.json.data).toMatchObject({ id: deliveryId, status: 'pending' });
  const again = await own.client.send('POST', path, { idempotencyKey });
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
});
