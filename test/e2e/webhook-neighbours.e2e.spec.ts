import { eventually } from '../contract/event-store.support.js';
import { PeopleActions } from '../support/api/people.js';
import type { TestOrganisation } from '../support/api/test-api.js';
import { WebhookActions } from '../support/api/webhooks.js';
import { Delivering } from '../support/webhooks/delivering.js';
import { Receiver } from '../support/webhooks/receiver.js';
import type { Delivery } from '../support/api/shapes.js';

/** An attempt that hangs does not end within the test: whatever is delivered was not held up by one. */
const ENDLESS = { attemptMilliseconds: 86_400_000 };
const HANGING_ORGANISATIONS = 4;
const HANGING_ENDPOINTS = 9;
const WRITES = 5;

let delivering: Delivering;
let hanging: Receiver;
let well: Receiver;
beforeAll(async () => {
  delivering = await Delivering.start('PostgreSQL');
  [hanging, well] = [new Receiver(() => undefined), new Receiver()];
  await delivering.worker(undefined, ENDLESS);
});
afterAll(async () => {
  // Attempts that hang end when their connections are cut.
  await Promise.all([hanging.stop(), well.stop(), delivering.stop()]);
  expect(delivering.errors).toEqual([]);
});

const write = async ({ client, references }: TestOrganisation): Promise<void> => {
  for (let time = 0; time < WRITES; time += 1)
    await client.patch(`/org-units/${references.department_id}`, { code: `code ${time}` });
};
const endpoint = ({ client }: TestOrganisation, url: string): Promise<{ readonly id: string }> =>
  new WebhookActions({ client }).create({ url, subscribed_events: ['org_unit.updated'] });
const deliveries = ({ client }: TestOrganisation, id: string): Promise<readonly Delivery[]> =>
  new PeopleActions({ client }).all<Delivery>(`/webhooks/${id}/deliveries`);

it('receivers of four organisations that hang from the beginning keep no other delivery waiting, in one of these organisations or beyond', async () => {
  const [hangingUrl, wellUrl] = [await hanging.start(), await well.start()];
  const troubled = await Promise.all(
    Array.from({ length: HANGING_ORGANISATIONS }, () => delivering.api.organisation()),
  );
  const stranger = await delivering.api.organisation();
  for (const organisation of troubled)
    for (let index = 0; index < HANGING_ENDPOINTS; index += 1) await endpoint(organisation, `${hangingUrl}/in`);
  const neighbour = troubled[0]!;
  const [beside, beyond] = [
    await endpoint(neighbour, `${wellUrl}/beside`),
    await endpoint(stranger, `${wellUrl}/beyond`),
  ];
  await Promise.all([...troubled, stranger].map(write));
  await hanging.until((requests) => requests.length >= HANGING_ORGANISATIONS * HANGING_ENDPOINTS);
  await Promise.all([...troubled, stranger].map(write));
  for (const [organisation, { id }] of [
    [neighbour, beside],
    [stranger, beyond],
  ] as const) {
    await eventually(async () => {
      const all = await deliveries(organisation, id);
      return all.length === 2 * WRITES && all.every(({ status }) => status === 'delivered');
    });
  }
  const { rows } = await delivering.api.database.pool.query<{ webhook_id: string }>(
    'select distinct d.webhook_id from webhook_attempts a join webhook_deliveries d on d.organisation_id = a.organisation_id and d.id = a.delivery_id',
  );
  // No attempt that hangs has ended.
  expect(rows.map((row) => row.webhook_id).sort()).toEqual([beside.id, beyond.id].sort());
});

it('ten redeliveries of one delivery at once send it once, and refuse the others', async () => {
  const organisation = await delivering.api.organisation();
  const failing = new Receiver((_, response, count) => response.writeHead(count === 1 ? 404 : 200).end());
  try {
    const { id } = await endpoint(organisation, `${await failing.start()}/in`);
    await organisation.client.patch(`/org-units/${organisation.references.department_id}`, { code: 'once' });
    await eventually(async () => (await deliveries(organisation, id))[0]?.status === 'failed');
    const [failed] = await deliveries(organisation, id);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => new WebhookActions(organisation).redeliver(id, failed!.id)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    await eventually(async () => (await deliveries(organisation, id))[0]?.status === 'delivered');
    expect(failing.requests).toHaveLength(2);
  } finally {
    await failing.stop();
  }
});
