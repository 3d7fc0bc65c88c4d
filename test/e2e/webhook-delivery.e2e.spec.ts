import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addDays, dateIn } from '#kernel/dates.js';
import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { stepTimeOff } from '#time-off/requests/request-time-off.js';
import { eventually } from '../contract/event-store.support.js';
import { expectError } from '../support/api/expect-error.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import type { TestOrganisation } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { type Delivery, type Webhook, WebhookActions } from '../support/api/webhooks.js';

import { Delivering, eventOf, isSignedWith } from '../support/webhooks/delivering.js';
import { Receiver } from '../support/webhooks/receiver.js';

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
    people = new PeopleActions(organisation.client);
    webhooks = new WebhookActions(organisation.client);
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
  const came = (): readonly string[] => receiver.requests.map((request) => eventOf(request).type);
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

    it('is told as the event that contract part 6 names, and no other', async () => {
      await endpoint();
      const { id } = await people.create({ start_date: '2024-01-01', job_title: 'Engineer' });
      await people.identity(id, { first_name: 'Ada' });
      await people.change(id, { start_date: '2024-06-01', job_title: 'Manager' });
      await people.correct(id, { start_date: '2024-02-01', job_title: 'Architect' });
      await people.end(id, '2024-12-31');
      await people.reactivate(id, { start_date: '2025-02-01' });
      const unit = dataOf(201, await organisation.client.post<{ id: string }>('/org-units', { name: 'Research' })).id;
      await organisation.client.patch(`/org-units/${unit}`, { code: 'R' });
      for (const step of ['archive', 'reactivate'])
        await organisation.client.send('POST', `/org-units/${unit}/${step}`);
      await organisation.client.patch('/time-off/settings', { pending_counts: false });
      const EXPECTED = [
        'person.created',
        'person.updated',
        'person.updated',
        'person.updated',
        'person.ended',
        'person.reactivated',
        'org_unit.created',
        'org_unit.updated',
        'org_unit.archived',
        'org_unit.reactivated',
        'time_off_settings.updated',
      ];
      await receiver.until((requests) => requests.length >= EXPECTED.length);
      expect([...came()].sort()).toEqual([...EXPECTED].sort());
    });

    it('on time off is told with its steps, whoever takes them: approval and refusal are updates too', async () => {
      const timeOff = new TimeOffActions(delivering.api, organisation);
      const [category, personId] = [await timeOff.category({ requires_approval: true }), await timeOff.person()];
      await endpoint({ subscribed_events: ALL.filter((type) => type.startsWith('time_off.')) });
      const day = (start_date: string) =>
        timeOff.create({ person_id: personId, category_id: category, start_date, end_date: start_date });
      const [approved, rejected, cancelled] = [
        await day('2027-03-01'),
        await day('2027-03-02'),
        await day('2027-03-03'),
      ];
      await timeOff.step(approved.id, 'approve');
      const context = {
        organisationId: organisation.row.id,
        actor: { type: 'operator', id: 'tester' },
        requestId: null,
        idempotencyKey: null,
        fingerprint: null,
        seed: ['refusal'],
        today: '2026-01-01',
      } as const;
      await stepTimeOff(delivering.api.services, context, rejected.id, 'reject');
      await timeOff.step(cancelled.id, 'cancel');
      await receiver.until((requests) => requests.length === 8);
      const about = (id: string): readonly string[] =>
        receiver.requests
          .map(eventOf)
          .filter((event) => event.about === id)
          .map(({ type }) => type)
          .sort();
      expect([about(approved.id), about(rejected.id), about(cancelled.id)]).toEqual([
        ['time_off.approved', 'time_off.created', 'time_off.updated'],
        ['time_off.created', 'time_off.declined', 'time_off.updated'],
        ['time_off.cancelled', 'time_off.created'],
      ]);
    });

    it('that is dated ahead is told when it is recorded and again on its day', async () => {
      const { id } = await people.create({ start_date: '2024-01-01' });
      await endpoint();
      const day = addDays(dateIn('Europe/London', new Date()), 3);
      await people.change(id, { start_date: day, job_title: 'Later' });
      await people.identity(id, { first_name: 'Now' });
      await receiver.until((requests) => requests.length === 2);
      const stop = await delivering.worker({ now: () => new Date(Date.now() + 3 * 86_400_000) });
      await receiver.until((requests) => requests.length === 3);
      await stop();
      expect(receiver.requests.map(eventOf)).toMatchObject([
        { type: 'person.updated', about: id },
        { type: 'person.updated', about: id },
        { type: 'person.updated', about: id },
      ]);
    });

    it('is told to those who subscribe, and after they do', async () => {
      await changeUnit();
      const { id } = await endpoint({ subscribed_events: ['org_unit.updated'] });
      await people.create();
      await changeUnit();
      await receiver.until((requests) => requests.length === 1);
      await eventually(
        async () => (await query('select from webhook_cursors where webhook_id = $1', id)).rowCount === 1,
      );
      expect(came()).toEqual(['org_unit.updated']);
      expect(await deliveries(id)).toHaveLength(1);
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

    it('is not sent where a redirect leads', async () => {
      const elsewhere: Server = createServer(() => undefined);
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
      let connections = 0;
      elsewhere.on('connection', () => (connections += 1));
      const { id } = await endpoint();
      receiver.behaviour = (_, response) =>
        response.writeHead(307, { location: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/` }).end();
      await people.create();
      await eventually(async () => (await deliveries(id))[0]?.attempt_count === 1);
      expect(await deliveries(id)).toMatchObject([
        {
          status: 'retry_scheduled',
          last_http_status: 307,
          failure_class: 'http_retryable',
          next_attempt_at: expect.any(String),
        },
      ]);
      expect(connections).toBe(0);
      elsewhere.close();
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

    it('are recorded for the endpoint by a worker that finds what another process left', async () => {
      const { id } = await endpoint();
      await query(
        "insert into webhook_stops (organisation_id, webhook_id, activation, reason) values ($1, $2, 1, 'delivery_failures')",
        organisation.row.id,
        id,
      );
      const stream = `webhook-${organisation.row.id}.${id}`;
      await eventually(
        async () => (await delivering.api.services.store.readStream(stream)).at(-1)?.type === 'WebhookDisabled',
      );
    });

    it('are not waited for where the receiver is gone: one answer disables it', async () => {
      const { id } = await endpoint();
      receiver.behaviour = (_, response) => response.writeHead(410).end();
      await changeUnit();
      await eventually(async () => (await webhooks.read(id)).status === 'disabled');
      expect(await webhooks.read(id)).toMatchObject({ disabled_reason: 'gone', disabled_at: expect.any(String) });
      expect(await deliveries(id)).toMatchObject([{ status: 'failed', attempt_count: 1, last_http_status: 410 }]);
      await eventually(async () => {
        const { rows } = await query('select text from organisation_notices where subject_id = $1', id);
        return rows.length === 1 && (rows[0] as { text: string }).text.includes('410 Gone');
      });
      receiver.behaviour = (_, response) => response.writeHead(200).end();
      await webhooks.change(id, { status: 'active' });
      await changeUnit();
      await eventually(async () => (await deliveries(id)).some(({ status }) => status === 'delivered'));
      expect((await webhooks.read(id)).status).toBe('active');
    });

    it('count anew once it is enabled again', async () => {
      const { id } = await endpoint();
      receiver.behaviour = (_, response) => response.writeHead(404).end();
      const failed = async (count: number) =>
        eventually(async () => (await deliveries(id)).filter(({ status }) => status === 'failed').length === count);
      for (let count = 0; count < 10; count += 1) await changeUnit();
      await eventually(async () => (await webhooks.read(id)).status === 'disabled');
      await webhooks.change(id, { status: 'active' });
      for (let count = 0; count < 9; count += 1) await changeUnit();
      await failed(19);
      expect((await webhooks.read(id)).status).toBe('active');
      await changeUnit();
      await eventually(async () => (await webhooks.read(id)).status === 'disabled');
      await failed(20);
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

  describe('an overload', () => {
    it('disables the endpoint and says so, with the delivery over the cap kept and everything waiting kept', async () => {
      const { id } = await endpoint();
      receiver.behaviour = () => undefined;
      await query(
        `insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type, occurred_at, created_at, status, next_attempt_at)
         select $1, 'filler ' || n, $2, 'filler ' || n, 'person.updated', '', 'person', now(), now() - interval '1 minute', 'retry_scheduled', now() + interval '1 hour' from generate_series(1, 500) n`,
        organisation.row.id,
        id,
      );
      await changeUnit();
      await eventually(async () => (await webhooks.read(id)).status === 'disabled');
      expect(await webhooks.read(id)).toMatchObject({ disabled_reason: 'delivery_overflow' });
      await changeUnit();
      expect(
        (await query('select count(*)::integer as count from webhook_deliveries where webhook_id = $1', id)).rows,
      ).toEqual([{ count: 501 }]);
      expect(receiver.requests).toEqual([]);
    });
  });
});
