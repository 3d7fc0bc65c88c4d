import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { eventually } from '../contract/event-store.support.js';
import { dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import type { TestOrganisation } from '../support/api/test-api.js';
import { WebhookActions } from '../support/api/webhooks.js';

import { Delivering, isSignedWith } from '../support/webhooks/delivering.js';
import { Receiver } from '../support/webhooks/receiver.js';
import type { Delivery, Webhook } from '../support/api/shapes.js';

const ALL = Object.keys(WEBHOOK_EVENTS);

describe.each(['PostgreSQL', 'Redis'] as const)('with jobs over %s', (lane) => {
  let delivering: Delivering;
  let organisation: TestOrganisation;
  let people: PeopleActions;
  let webhooks: WebhookActions;
  let receiver: Receiver;
  let url: string;

  beforeAll(async () => {
    delivering = await Delivering.start(lane);
    await delivering.worker();
  });
  afterAll(() => delivering.stop());
  beforeEach(async () => {
    organisation = await delivering.api.organisation();
    people = new PeopleActions(organisation);
    webhooks = new WebhookActions(organisation);
    receiver = new Receiver();
    url = await receiver.start();
  });
  afterEach(async () => {
    await receiver.stop();
    expect(delivering.errors).toEqual([]);
  });

  const endpoint = (fields: object = {}): Promise<Webhook & { readonly signing_secret: string }> =>
    webhooks.create({ url: `${url}/in`, subscribed_events: ALL, ...fields });
  const deliveries = (id: string): Promise<readonly Delivery[]> => people.all<Delivery>(`/webhooks/${id}/deliveries`);
  const query = (text: string, ...values: readonly unknown[]) => delivering.api.database.pool.query(text, [...values]);
  const changeUnit = (): Promise<unknown> =>
    organisation.client.patch(`/org-units/${organisation.references.department_id}`, {
      code: Math.random().toString(36).slice(2, 8),
    });

  describe('every write of the API', () => {
    it('is told to its subscribers within moments, signed, with ids and types alone', async () => {
      const { id, signing_secret: secret } = await endpoint();
      const person = await people.create({ first_name: 'Zarathustra', start_date: '2024-01-01' });
      await receiver.until((requests) => requests.length === 1);
      const [request] = receiver.requests;
      const body = JSON.parse(request!.body) as Record<string, unknown>;
      expect(body).toEqual({
        id: request!.headers['service-webhook-id'],
        type: 'person.created',
        api_version: 'v1',
        occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        data: { id: person.id, resource_type: 'person' },
      });
      expect(isSignedWith(secret, request!)).toBe(true);
      expect(isSignedWith(`${secret}x`, request!)).toBe(false);
      await eventually(async () => (await deliveries(id))[0]?.status === 'delivered');
      expect(await deliveries(id)).toMatchObject([
        {
          id: request!.headers['service-webhook-delivery-id'],
          attempt_count: 1,
          last_http_status: 200,
          resource: { id: person.id, resource_type: 'person' },
        },
      ]);
    });
  });

  describe('a delivery', () => {
    it('that is not taken is tried again, keeps its ids, and shows every attempt', async () => {
      const { id } = await endpoint();
      receiver.behaviour = (_, response, count) =>
        response.writeHead(count === 1 ? 503 : 204, count === 1 ? { 'retry-after': '7200' } : {}).end();
      await people.create();
      await eventually(async () => (await deliveries(id))[0]?.status === 'retry_scheduled');
      const [waiting] = await deliveries(id);
      expect(waiting).toMatchObject({ attempt_count: 1, last_http_status: 503, failure_class: 'http_retryable' });
      expect(Date.parse(waiting!.next_attempt_at!) - Date.now()).toBeGreaterThan(7_100_000);
      expect(dataOf(200, await organisation.client.get(`/webhooks/${id}/health`))).toMatchObject({
        health: 'recovering',
      });
      expect(dataOf(200, await webhooks.redeliver(id, waiting!.id))).toMatchObject({
        status: 'pending',
        attempt_count: 1,
      });
      await receiver.until((requests) => requests.length === 2);
      const [first, second] = receiver.requests;
      expect(['service-webhook-id', 'service-webhook-delivery-id'].map((name) => first!.headers[name])).toEqual(
        ['service-webhook-id', 'service-webhook-delivery-id'].map((name) => second!.headers[name]),
      );
      expect(first!.body).toBe(second!.body);
      await eventually(async () => (await deliveries(id))[0]?.status === 'delivered');
      const { attempts } = dataOf(
        200,
        await organisation.client.get<{ attempts: readonly object[] }>(`/webhooks/${id}/deliveries/${waiting!.id}`),
      );
      expect(attempts).toMatchObject([
        { number: 1, http_status: 503, failure_class: 'http_retryable' },
        { number: 2, http_status: 204, failure_class: null },
      ]);
    });
  });

  describe('ten deliveries that fail for good', () => {
    it('disable the endpoint at the tenth, tell the admins, and what it missed can be sent when it is back', async () => {
      const { id } = await endpoint();
      receiver.behaviour = (_, response) => response.writeHead(404).end();
      for (let count = 0; count < 9; count += 1) await changeUnit();
      await eventually(async () => (await deliveries(id)).filter(({ status }) => status === 'failed').length === 9);
      expect((await webhooks.read(id)).status).toBe('active');
      // A worker that has been started again goes on counting where the one before it ended.
      const second = await delivering.worker();
      await changeUnit();
      await eventually(async () => (await webhooks.read(id)).status === 'disabled');
      await second();
      expect(await webhooks.read(id)).toMatchObject({ disabled_reason: 'delivery_failures' });
      await eventually(async () => delivering.notices.some(({ subjectId }) => subjectId === id));
      expect(delivering.notices.filter(({ subjectId }) => subjectId === id)).toMatchObject([
        {
          organisationId: organisation.row.id,
          kind: 'webhook_disabled',
          text: expect.stringContaining('ten') as string,
        },
      ]);
      const stream = await delivering.api.services.store.readStream(`webhook-${organisation.row.id}.${id}`);
      expect(stream.at(-1)).toMatchObject({
        type: 'WebhookDisabled',
        data: { reason: 'delivery_failures' },
        metadata: { actor: { type: 'system', id: 'webhooks' } },
      });
      await changeUnit();
      expectError(await webhooks.tryTest(id), 409, 'conflict');
      expectError(
        await organisation.client.post(`/webhooks/${id}/resend`, { since: '2000-01-01T00:00:00Z' }),
        409,
        'conflict',
        'webhook',
      );
      receiver.behaviour = (_, response) => response.writeHead(200).end();
      await webhooks.change(id, { status: 'active' });
      await changeUnit();
      await eventually(async () => (await deliveries(id)).some(({ status }) => status === 'delivered'));
      const resent = await organisation.client.post(`/webhooks/${id}/resend`, { since: '2000-01-01T00:00:00Z' });
      expect(dataOf(200, resent)).toEqual({ failed: 10, scheduled: 0, missed: 1, left: 0 });
      await eventually(async () => (await deliveries(id)).filter(({ status }) => status === 'delivered').length === 12);
      expect(new Set((await deliveries(id)).map(({ event_id }) => event_id)).size).toBe(12);
    });
  });

  describe('a rotation', () => {
    it('leaves no delivery of the next 24 hours that the secret before does not verify, and none after them that it does', async () => {
      const { id, signing_secret: before } = await endpoint();
      let isTraffic = true;
      const traffic = (async () => {
        while (isTraffic) await changeUnit();
      })();
      await receiver.until((requests) => requests.length >= 5);
      const { signing_secret: after } = dataOf(
        200,
        await organisation.client.send<{ signing_secret: string }>('POST', `/webhooks/${id}/rotate-secret`),
      );
      const rotatedAt = receiver.requests.length;
      await receiver.until((requests) => requests.length >= rotatedAt + 20);
      isTraffic = false;
      await traffic;
      expect(receiver.requests.filter((request) => !isSignedWith(before, request))).toEqual([]);
      expect(receiver.requests.slice(0, 5).some((request) => isSignedWith(after, request))).toBe(false);
      expect(isSignedWith(after, receiver.requests.at(-1)!)).toBe(true);
      await query(`update webhooks set rotated_at = rotated_at - interval '24 hours' where id = $1`, id);
      await eventually(async () => (await deliveries(id)).every(({ status }) => status === 'delivered'));
      const settled = receiver.requests.length;
      await changeUnit();
      await receiver.until((requests) => requests.length > settled);
      const last = receiver.requests.at(-1)!;
      expect([isSignedWith(after, last), isSignedWith(before, last)]).toEqual([true, false]);
    });
  });
});
