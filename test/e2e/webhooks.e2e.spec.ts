import { randomUUID } from 'node:crypto';
import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { type Scope, SCOPES } from '#kernel/scopes.js';
import { expectError } from '../support/api/expect-error.js';
import type { ApiClient } from '../support/api/http-client.js';
import { dataOf } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { newEndpoint, type Webhook, WebhookActions } from '../support/api/webhooks.js';
import { recordedEvents } from '../support/event-store.js';

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const UNKNOWN = 'wh_Zm9vYmFy.YmF6cXV4.c2VhbGVkX2lk';

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
const allBut = (scope: Scope): readonly Scope[] => SCOPES.filter((one) => one !== scope);

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

describe('a new webhook', () => {
  it('is active, shows its secret once, and is read without it', async () => {
    const body = newEndpoint({ name: '  Pay   roll ', subscribed_events: ['person.created', 'time_off.approved'] });
    const { signing_secret: secret, ...created } = await webhooks.create(body);
    expect(secret).toMatch(SECRET);
    expect(created).toEqual({
      id: expect.stringMatching(/^wh_/),
      name: 'Pay roll',
      url: body['url'],
      subscribed_events: ['person.created', 'time_off.approved'],
      status: 'active',
      disabled_reason: null,
      disabled_at: null,
      secret_last_four: secret.slice(-4),
      created_at: expect.any(String),
      updated_at: created.created_at,
    });
    expect(await webhooks.read(created.id)).toEqual(created);
    const { rows } = await api.database.pool.query<{ text: string }>(
      'select w::text as text from webhooks w union all select r::text from idempotency_receipts r',
    );
    const resting = [
      ...rows.map(({ text }) => text),
      ...(await recordedEvents(api.database.pool)).map((event) => JSON.stringify(event)),
    ];
    expect(resting.length).toBeGreaterThan(2);
    expect(resting.filter((text) => text.includes(secret.slice(6)))).toEqual([]);
  });

  it('can be created in the sandbox, and is not there for live keys', async () => {
    const { apiKey } = await api.key(own.row, { environment: 'sandbox' });
    const sandbox = new WebhookActions({ client: api.client(apiKey, await api.startAnother('sandbox')) });
    const { id } = await sandbox.create();
    expect((await sandbox.test(id)).payload.data['id']).toBe(id);
    expectError(await own.client.get(`/webhooks/${id}`), 404, 'not_found');
  });
});

describe('a body that makes no sense', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
    ['a control character in the name', { name: 'a\tb\u0007' }, 'name'],
    ['a name that is null', { name: null }, 'name'],
    ['no url', { url: undefined }, 'url'],
    ['a url that is too long', { url: `https://hooks.example.com/${'x'.repeat(2_030)}` }, 'url'],
    ['a url that is no url', { url: 'hooks' }, 'url'],
    ['a url that is not https', { url: 'http://hooks.example.com' }, 'url'],
    ['a url with credentials', { url: 'https://me:secret@hooks.example.com' }, 'url'],
    ['a url with a fragment', { url: 'https://hooks.example.com/#here' }, 'url'],
    ['a url of this machine', { url: 'https://localhost/hooks' }, 'url'],
    ['a private address', { url: 'https://10.0.0.1/hooks' }, 'url'],
    ['a name that leads to a private address', { url: 'https://hooks.private.example/' }, 'url'],
    ['a name that leads nowhere', { url: 'https://hooks.missing.example/' }, 'url'],
    ['no subscriptions', { subscribed_events: undefined }, 'subscribed_events'],
    ['none of them', { subscribed_events: [] }, 'subscribed_events'],
    ['an event type twice', { subscribed_events: ['person.created', 'person.created'] }, 'subscribed_events'],
    ['an event type that is none', { subscribed_events: ['person.deleted'] }, 'subscribed_events'],
    ['an event type for all', { subscribed_events: ['*'] }, 'subscribed_events'],
    ['a text for a list', { subscribed_events: 'person.created' }, 'subscribed_events'],
    ['a status', { status: 'disabled' }, 'status'],
    ['a secret', { signing_secret: 'whsec_x' }, 'signing_secret'],
  ])('is refused: %s', async (_, fields, field) => {
    expectError(await own.client.post('/webhooks', newEndpoint(fields)), 400, 'invalid_request', field);
    expect(dataOf(200, await own.client.get('/webhooks'))).toEqual([]);
    if (field === 'status' || Object.values(fields)[0] === undefined) return;
    const { id, updated_at } = await webhooks.create();
    expectError(await own.client.patch(`/webhooks/${id}`, fields), 400, 'invalid_request', field);
    expect((await webhooks.read(id)).updated_at).toBe(updated_at);
  });

  it.each(['enabled', 'deleted', null, 1])('is refused with the status %p in a change', async (status) => {
    const { id } = await webhooks.create();
    expectError(await own.client.patch(`/webhooks/${id}`, { status }), 400, 'invalid_request', 'status');
  });
});

describe('subscriptions', () => {
  it.each(Object.entries(WEBHOOK_EVENTS).filter(([, scope]) => scope !== 'webhooks:manage'))(
    'to %s need the scope %s',
    async (type, scope) => {
      const body = newEndpoint({ subscribed_events: ['webhook.test', type] });
      const refused = await (await withScopes(allBut(scope))).post('/webhooks', body);
      expectError(refused, 403, 'permission_denied', 'subscribed_events');
      expect(refused.json.error.details).toEqual([
        { field: 'subscribed_events', issue: `${type} needs the scope ${scope}` },
      ]);
      expect((await (await withScopes(['webhooks:manage', scope])).post('/webhooks', body)).status).toBe(201);
    },
  );

  it('to webhook.test need no more than the scope of webhooks', async () => {
    expect(
      (
        await (
          await withScopes(['webhooks:manage'])
        ).post('/webhooks', newEndpoint({ subscribed_events: ['webhook.test'] }))
      ).status,
    ).toBe(201);
  });

  it('are refused after what is wrong with the body', async () => {
    const narrow = await withScopes(['webhooks:manage']);
    for (const url of ['http://hooks.example.com', 'https://hooks.private.example'])
      expectError(await narrow.post('/webhooks', newEndpoint({ url })), 400, 'invalid_request', 'url');
    expectError(
      await narrow.post('/webhooks', newEndpoint({ subscribed_events: ['person.created', 'person.created'] })),
      400,
      'invalid_request',
      'subscribed_events',
    );
  });

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

describe('a change', () => {
  it('shows what it changed, and what it did not', async () => {
    const created = await webhooks.read((await webhooks.create()).id);
    const changes = {
      name: 'Other',
      url: 'https://other.example.com/in',
      subscribed_events: ['org_unit.created', 'person.updated'],
    };
    const changed = await webhooks.change(created.id, changes);
    expect(changed).toEqual({ ...created, ...changes, updated_at: expect.any(String) });
    expect(changed.updated_at >= created.updated_at).toBe(true);
    expect(await webhooks.read(created.id)).toEqual(changed);
  });

  it('disables and enables, the status last', async () => {
    const { id } = await webhooks.create();
    const disabled = await webhooks.change(id, { status: 'disabled', name: 'Off' });
    expect(disabled).toMatchObject({
      name: 'Off',
      status: 'disabled',
      disabled_reason: 'caller',
      disabled_at: disabled.updated_at,
    });
    expect(await webhooks.change(id, { status: 'active', name: 'On' })).toMatchObject({
      name: 'On',
      status: 'active',
      disabled_reason: null,
      disabled_at: null,
    });
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'WebhookCreated',
      'WebhookChanged',
      'WebhookDisabled',
      'WebhookChanged',
      'WebhookEnabled',
    ]);
    const { rows } = await api.database.pool.query(
      'select activation, activated_position from webhooks where id = $1',
      [id],
    );
    const events = await api.services.store.readStream(`webhook-${own.row.id}.${id}`);
    expect(rows).toEqual([{ activation: 2, activated_position: events.at(-1)!.position }]);
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

describe('a rotation', () => {
  it('gives another secret, once, and keeps the one before it', async () => {
    const { id, signing_secret: first } = await webhooks.create();
    const idempotencyKey = randomUUID();
    const rotate = () => own.client.send<Webhook>('POST', `/webhooks/${id}/rotate-secret`, { idempotencyKey });
    const rotated = dataOf(200, await rotate());
    expect(rotated.signing_secret).toMatch(SECRET);
    expect(rotated.signing_secret).not.toBe(first);
    expect(rotated.secret_last_four).toBe(rotated.signing_secret!.slice(-4));
    expect((await rotate()).json.data).toEqual({ ...rotated, signing_secret: null });
    await loseReceipt(idempotencyKey);
    expect(dataOf(200, await rotate())).toEqual({ ...rotated, signing_secret: null });
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['WebhookCreated', 'WebhookSecretRotated']);
    expect((await webhooks.read(id)).secret_last_four).toBe(rotated.secret_last_four);
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

  it('leaves nothing that waits, and what had ended', async () => {
    const [{ id }, kept] = [await webhooks.create(), await webhooks.create()];
    const [ended] = [(await webhooks.test(id)).delivery_id, await webhooks.test(id), await webhooks.test(kept.id)];
    await api.database.pool.query(
      "update webhook_deliveries set status = 'delivered', next_attempt_at = null, finished_at = now() where id = $1",
      [ended],
    );
    expect((await own.client.send('DELETE', `/webhooks/${id}`)).status).toBe(204);
    const { rows } = await api.database.pool.query(
      'select webhook_id, status from webhook_deliveries where organisation_id = $1 order by status',
      [own.row.id],
    );
    expect(rows).toEqual([
      { webhook_id: id, status: 'delivered' },
      { webhook_id: kept.id, status: 'pending' },
    ]);
  });

  it('is not found like one that never was, byte for byte', async () => {
    const { id } = await webhooks.create();
    await own.client.send('DELETE', `/webhooks/${id}`);
    for (const [method, tail, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/rotate-secret', undefined],
      ['GET', '/health', undefined],
    ] as const) {
      const [deleted, unknown] = [
        await own.client.send(method, `/webhooks/${id}${tail}`, { body }),
        await own.client.send(method, `/webhooks/${UNKNOWN}${tail}`, { body }),
      ];
      expect({ ...deleted.json.error, request_id: '' }).toEqual({ ...unknown.json.error, request_id: '' });
    }
  });
});
