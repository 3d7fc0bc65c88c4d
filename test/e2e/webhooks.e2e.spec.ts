import { randomUUID } from 'node:crypto';
import { type Scope } from '#kernel/scopes.js';
import { type ApiClient, dataOf, expectError } from '../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { WebhookActions } from '../support/api/webhooks.js';
import type { Webhook } from '../support/api/shapes.js';

let own: TestOrganisation;
let webhooks: WebhookActions;

const api = TestApi.forSpec();

// Ten active endpoints are all that an organisation has.
beforeEach(async () => {
  own = await api.organisation();
  webhooks = new WebhookActions(own);
});

const withScopes = async (scopes: readonly Scope[]): Promise<ApiClient> =>
  api.client((await api.key(own.row, { scopes })).apiKey);

/** Forgets the answer that was kept, as a crash before it was written does. */
async function loseReceipt(idempotencyKey: string): Promise<void> {
  const { rowCount } = await api.database.pool.query('delete from idempotency_receipts where idempotency_key = $1', [
    idempotencyKey,
  ]);
  expect(rowCount).toBe(1);
}

async function eventsOf(
  id: string,
): Promise<readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[]> {
  return api.services.store.readStream(`webhook-${own.row.id}.${id}`);
}

describe('subscriptions', () => {
  it('are checked again at each change: those that it gets, and those that it will get', async () => {
    const narrow = await withScopes(['webhooks:manage', 'time_off:read']);
    const [{ id }, { id: ofTimeOff }] = [
      await webhooks.create({ subscribed_events: ['person.created', 'time_off.created'] }),
      await webhooks.create({ subscribed_events: ['time_off.created'] }),
    ];
    const change = (webhook: string, body: object) => narrow.patch<Webhook>(`/webhooks/${webhook}`, body);
    for (const body of [
      { name: 'Other' },
      { url: 'https://other.example.com/in' },
      { status: 'disabled' },
      { subscribed_events: ['time_off.created'] },
    ])
      expectError(await change(id, body), 403, 'permission_denied', 'subscribed_events');
    expectError(
      await change(ofTimeOff, { name: 'Other', subscribed_events: ['org_unit.created'] }),
      403,
      'permission_denied',
      'subscribed_events',
    );
    expect([(await webhooks.read(id)).name, (await webhooks.read(ofTimeOff)).name]).toEqual(['Payroll', 'Payroll']);
    expect(dataOf(200, await change(ofTimeOff, { name: 'Other' })).name).toBe('Other');
    expect(dataOf(200, await change(ofTimeOff, { subscribed_events: ['time_off.updated'] })).subscribed_events).toEqual(
      ['time_off.updated'],
    );
    expect(dataOf(200, await change(ofTimeOff, { status: 'disabled' })).status).toBe('disabled');
    expect(dataOf(200, await change(ofTimeOff, { status: 'active' })).status).toBe('active');
  });

  it('are needed for what reveals a secret or sends something, and not to read or to delete', async () => {
    const narrow = await withScopes(['webhooks:manage', 'time_off:read']);
    const { id } = await webhooks.create({ subscribed_events: ['person.created'] });
    const { delivery_id: deliveryId } = await webhooks.test(id);
    const { id: ofTimeOff } = await webhooks.create({ subscribed_events: ['time_off.created'] });
    const sending: readonly [path: string, body: object | undefined][] = [
      ['rotate-secret', undefined],
      ['test', { event_type: 'webhook.test' }],
      ['resend', { since: '2000-01-01T00:00:00Z' }],
      [`deliveries/${deliveryId}/redeliver`, undefined],
    ];
    for (const [path, body] of sending)
      expectError(
        await narrow.send('POST', `/webhooks/${id}/${path}`, { body }),
        403,
        'permission_denied',
        'subscribed_events',
      );
    for (const [path, body] of sending.slice(0, 3))
      expect((await narrow.send('POST', `/webhooks/${ofTimeOff}/${path}`, { body })).status).toBe(200);
    for (const path of ['', '/health', '/deliveries', `/deliveries/${deliveryId}`])
      expect((await narrow.get(`/webhooks/${id}${path}`)).status).toBe(200);
    expect((await webhooks.read(id)).secret_last_four).toBe(
      (await narrow.get<Webhook>(`/webhooks/${id}`)).json.data.secret_last_four,
    );
    expect((await narrow.send('DELETE', `/webhooks/${id}`)).status).toBe(204);
  });
});

describe('a webhook that a rule has stopped, before its event is recorded', () => {
  it('is shown as disabled, and is enabled for a new activation', async () => {
    const { id } = await webhooks.create();
    await api.database.pool.query(
      "insert into webhook_stops (organisation_id, webhook_id, activation, reason) values ($1, $2, 1, 'delivery_failures')",
      [own.row.id, id],
    );
    const stopped = await webhooks.read(id);
    expect(stopped).toMatchObject({
      status: 'disabled',
      disabled_reason: 'delivery_failures',
      disabled_at: expect.any(String),
    });
    expect(dataOf(200, await own.client.get('/webhooks'))).toEqual([stopped]);
    expect(dataOf(200, await own.client.get(`/webhooks/${id}/health`))).toMatchObject({ status: 'disabled' });
    expect(await webhooks.change(id, { status: 'active' })).toMatchObject({
      status: 'active',
      disabled_reason: null,
      disabled_at: null,
    });
    expect((await webhooks.read(id)).status).toBe('active');
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'WebhookCreated',
      'WebhookDisabled',
      'WebhookEnabled',
    ]);
    await webhooks.test(id);
  });
});

describe('a webhook that was deleted', () => {
  it('is gone from every route, and from the list', async () => {
    const [{ id }, kept] = [await webhooks.create(), await webhooks.create()];
    const { delivery_id: deliveryId } = await webhooks.test(id);
    const idempotencyKey = randomUUID();
    const remove = () => own.client.send('DELETE', `/webhooks/${id}`, { idempotencyKey });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
    await loseReceipt(idempotencyKey);
    expect((await remove()).status).toBe(204);
    const gone = [
      await own.client.get(`/webhooks/${id}`),
      await own.client.patch(`/webhooks/${id}`, { status: 'active' }),
      await own.client.send('DELETE', `/webhooks/${id}`),
      await own.client.send('POST', `/webhooks/${id}/rotate-secret`),
      await webhooks.tryTest(id),
      await own.client.get(`/webhooks/${id}/health`),
      await own.client.get(`/webhooks/${id}/deliveries`),
      await own.client.get(`/webhooks/${id}/deliveries/${deliveryId}`),
      await webhooks.redeliver(id, deliveryId),
    ];
    for (const answer of gone) expectError(answer, 404, 'not_found');
    expect(dataOf(200, await own.client.get<readonly Webhook[]>('/webhooks')).map((row) => row.id)).toEqual([kept.id]);
    const { rows } = await api.database.pool.query(
      'select status, secret, secret_last_four, previous_secret from webhooks where id = $1',
      [id],
    );
    expect(rows).toEqual([{ status: 'deleted', secret: '', secret_last_four: '', previous_secret: null }]);
  });
});
