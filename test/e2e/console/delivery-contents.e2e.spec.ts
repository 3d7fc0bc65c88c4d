import { pruneDeliveries } from '#webhooks/deliver/retention.js';
import { eventually } from '../../contract/event-store.support.js';
import { Browser, signedIn } from '../../support/api/browser-session.js';
import { PeopleActions } from '../../support/api/people.js';
import type { Delivery, Webhook } from '../../support/api/shapes.js';
import type { TestOrganisation } from '../../support/api/test-api.js';
import { testContext } from '../../support/command-services.js';
import { erasePerson } from '../../support/people/erase-person.js';
import { WebhookActions } from '../../support/api/webhooks.js';
import { Delivering } from '../../support/webhooks/delivering.js';
import { Receiver } from '../../support/webhooks/receiver.js';

const SECRET_ANSWER = 'the-answer-of-a-receiver';

interface Exchanges {
  readonly method: string;
  readonly body: string;
  readonly attempts: readonly {
    readonly number: number;
    readonly url: string;
    readonly request_headers: readonly (readonly [string, string])[];
    readonly answer: { readonly status: number; readonly headers: readonly string[][]; readonly body: string };
  }[];
}

let delivering: Delivering;
let own: TestOrganisation;
let webhooks: WebhookActions;
let receiver: Receiver;
let webhook: Webhook;
let browser: Browser;

beforeAll(async () => {
  delivering = await Delivering.start('PostgreSQL');
  await delivering.worker();
});
afterAll(() => delivering.stop());
beforeEach(async () => {
  own = await delivering.api.organisation();
  webhooks = new WebhookActions(own);
  receiver = new Receiver((_, response) => response.writeHead(200, { 'X-Trace': 'abc' }).end(SECRET_ANSWER));
  webhook = await webhooks.create({
    url: `${await receiver.start()}/in`,
    subscribed_events: ['person.created', 'time_off.created'],
  });
  ({ browser } = await signedIn(delivering.api, own.row.id, 'administrator'));
});
afterEach(async () => {
  await receiver.stop();
  expect(delivering.errors).toEqual([]);
});

async function dataOf<Data>(path: string, method = 'GET'): Promise<Data> {
  const { status, json } = await browser.send(method, `/console/webhooks${path}`);
  expect(status).toBe(200);
  return json.data as Data;
}

const place = ({ id }: Delivery): string => `/${webhook.id}/deliveries/${id}`;

/** Delivers the creation of a person; the delivery, after its attempt was recorded. */
async function delivered(): Promise<Delivery> {
  await new PeopleActions(own).create();
  let found: readonly Delivery[] = [];
  await eventually(async () => {
    found = (await own.client.get<readonly Delivery[]>(`/webhooks/${webhook.id}/deliveries`)).json.data;
    return found[0]?.status === 'delivered';
  });
  return found[0]!;
}

it('a user sees what was sent and received, for a day, and a copy of the database does not', async () => {
  const delivery = await delivered();
  const { method, body, attempts } = await dataOf<Exchanges>(`${place(delivery)}/exchanges`);
  const [request] = receiver.requests;
  expect([method, body]).toEqual(['POST', request!.body]);
  expect(attempts).toMatchObject([{ number: 1, url: webhook.url, answer: { status: 200, body: SECRET_ANSWER } }]);
  const sent = Object.fromEntries(attempts[0]!.request_headers.map(([name, value]) => [name.toLowerCase(), value]));
  expect(request!.headers).toMatchObject(sent);
  expect(sent['service-webhook-signature']).toMatch(/^v1=[0-9a-f]{64}$/);
  expect(attempts[0]!.answer.headers).toContainEqual(['X-Trace', 'abc']);
  const { pool } = delivering.api.database;
  const { rows } = await pool.query('select exchange from webhook_exchanges');
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(SECRET_ANSWER).toString('base64'));
  await pool.query(`update webhook_exchanges set recorded_at = recorded_at - interval '1 day'`);
  expect(await dataOf<Exchanges>(`${place(delivery)}/exchanges`)).toMatchObject({ body, attempts: [] });
  await pruneDeliveries(pool);
  expect((await pool.query('select from webhook_exchanges')).rowCount).toBe(0);
});

it('an erasure deletes what receivers have answered, because it may be about the person', async () => {
  const delivery = await delivered();
  expect((await dataOf<Exchanges>(`${place(delivery)}/exchanges`)).attempts).toHaveLength(1);
  const { services } = delivering.api;
  await erasePerson(services, testContext(own.row.id), { person_id: delivery.resource!.id, reason: 'A request.' });
  expect((await dataOf<Exchanges>(`${place(delivery)}/exchanges`)).attempts).toEqual([]);
});

it('a delivery that was accepted is sent again with the same ids, and not twice at once', async () => {
  const delivery = await delivered();
  const refused = await webhooks.redeliver(webhook.id, delivery.id);
  expect(refused.status).toBe(409);
  expect(await dataOf<Delivery>(`${place(delivery)}/redeliver`, 'POST')).toMatchObject({ status: 'pending' });
  await receiver.until((requests) => requests.length === 2);
  const [first, second] = receiver.requests;
  expect(second!.body).toBe(first!.body);
  expect(second!.headers['service-webhook-delivery-id']).toBe(delivery.id);
  await eventually(async () => (await dataOf<Exchanges>(`${place(delivery)}/exchanges`)).attempts.length === 2);
});

it('deliveries of all endpoints are one list, with filters, and attempts are counted', async () => {
  const other = await webhooks.create({ name: 'Wiki', url: webhook.url });
  const delivery = await delivered();
  await eventually(async () => (await dataOf<readonly Delivery[]>('/deliveries?status=delivered')).length === 2);
  const list = await dataOf<readonly (Delivery & { readonly webhook_name: string })[]>('/deliveries');
  expect(list.map((one) => [one.webhook_id, one.webhook_name]).sort()).toEqual(
    [
      [webhook.id, webhook.name],
      [other.id, 'Wiki'],
    ].sort(),
  );
  const { attempts: _, ...plain } = (
    await own.client.get<Delivery & { attempts: unknown }>(`/webhooks${place(delivery)}`)
  ).json.data;
  expect(list.find(({ id }) => id === delivery.id)).toEqual({ ...plain, webhook_name: webhook.name });
  const first = await browser.send('GET', '/console/webhooks/deliveries?limit=1');
  const { pagination } = JSON.parse(first.text) as { pagination: { next_cursor: string } };
  const second = await dataOf<readonly Delivery[]>(`/deliveries?limit=1&cursor=${pagination.next_cursor}`);
  expect(second.map(({ id }) => id)).toEqual([list[1]!.id]);
  expect(await dataOf('/deliveries?event_type=time_off.created')).toEqual([]);
  receiver.behaviour = (_, response) => response.writeHead(404).end();
  await webhooks.test(webhook.id);
  const total = async (query = ''): Promise<readonly number[]> => {
    const { parts } = await dataOf<{ parts: readonly { attempts: number; failed: number }[] }>(`/statistics${query}`);
    return (['attempts', 'failed'] as const).map((name) => parts.reduce((sum, part) => sum + part[name], 0));
  };
  await eventually(async () => (await total()).join() === '3,1');
  expect(await total(`?period=hour&webhook_id=${other.id}`)).toEqual([1, 0]);
  for (const period of ['hour', 'day', 'week', 'month']) expect(await total(`?period=${period}`)).toEqual([3, 1]);
});

it('API keys, other roles and other organisations do not reach these routes', async () => {
  const delivery = await delivered();
  const routes = [
    ['GET', '/deliveries'],
    ['GET', '/statistics'],
    ['GET', `${place(delivery)}/exchanges`],
    ['POST', `${place(delivery)}/redeliver`],
  ] as const;
  const { browser: viewer } = await signedIn(delivering.api, own.row.id, 'viewer');
  const elsewhere = await delivering.api.organisation();
  const { browser: stranger } = await signedIn(delivering.api, elsewhere.row.id, 'administrator', {
    email: 'stranger@example.com',
  });
  const { browser: integrator } = await signedIn(delivering.api, own.row.id, 'integrator');
  for (const [method, path] of routes) {
    const url = `/console/webhooks${path}`;
    const key = { authorization: `Bearer ${own.apiKey}` };
    expect((await new Browser(browser.url).send(method, url, { headers: key })).status).toBe(401);
    expect((await viewer.send(method, url)).status).toBe(403);
    expect((await integrator.send(method, url)).status).toBe(200);
    const answer = await stranger.send(method, url);
    if (path.includes(delivery.id)) expect(answer.status).toBe(404);
    else expect(answer.text).not.toContain(delivery.id);
  }
});
