import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { QUEUES } from '#webhooks/deliver/delivery-queues.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import type { TestOrganisation } from '../../../test/support/api/test-api.js';
import type { Delivery } from '../../../test/support/api/shapes.js';
import { WebhookActions } from '../../../test/support/api/webhooks.js';
import { PeopleActions } from '../../../test/support/api/people.js';
import { Delivering } from '../../../test/support/webhooks/delivering.js';
import { Receiver } from '../../../test/support/webhooks/receiver.js';
import { startOperations } from './operations.js';

const logged: string[] = [];
const logger = createLogger('info', { write: (line: string) => void logged.push(line) });
const TOKEN = 'a-token-of-an-operator';

const basic = (password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}`,
});

interface DisplayedQueue {
  readonly name: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly jobs: readonly {
    readonly id: string;
    readonly name: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly failedReason: string;
  }[];
}

describe.each(['Redis', 'PostgreSQL'] as const)('the dashboard of jobs on %s', (engine) => {
  let delivering: Delivering;
  let organisation: TestOrganisation;
  let webhooks: WebhookActions;
  let receiver: Receiver;
  let url: string;
  let webhookId: string;
  let operations: Awaited<ReturnType<typeof startOperations>>;

  beforeAll(async () => {
    delivering = await Delivering.start(engine);
    await delivering.worker();
  });

  beforeEach(async () => {
    logged.length = 0;
    organisation = await delivering.api.organisation();
    webhooks = new WebhookActions(organisation);
    receiver = new Receiver();
    url = await receiver.start();
    webhookId = (await webhooks.create({ url: `${url}/secret-path`, subscribed_events: ['org_unit.updated'] })).id;
  });

  afterEach(() => Promise.all([operations.stop(), receiver.stop()]));

  afterAll(async () => {
    await delivering.stop();
    expect(delivering.errors).toEqual([]);
  });

  const start = async (environment: NodeJS.ProcessEnv = {}, isThere = true): Promise<void> => {
    const { jobs, api } = delivering;
    operations = await startOperations({
      pool: api.database.pool,
      eventStore: new PostgresEventStore(api.database.pool),
      configuration: readConfiguration(environment),
      port: 0,
      logger,
      readiness: () => [],
      ...(isThere ? { queues: Object.values(QUEUES).map((name) => jobs.queue(name)) } : {}),
    });
    if (isThere) await Promise.all(Object.values(QUEUES).map((name) => jobs.queue(name).whenReady()));
  };

  const request = async (
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; headers: Headers; body: string }> => {
    const response = await fetch(`${operations.url}${path}`, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  };

  const shown = async (name: string, status: string): Promise<DisplayedQueue> => {
    const { body } = await request(`/queues/api/queues?activeQueue=${name}&status=${status}&page=1&jobsPerPage=100`);
    return (JSON.parse(body) as { queues: DisplayedQueue[] }).queues.find((queue) => queue.name === name)!;
  };

  const write = async (count = 1): Promise<void> => {
    const { client, references } = organisation;
    for (let time = 0; time < count; time += 1)
      await client.patch(`/org-units/${references.department_id}`, { code: `code ${Math.random()}` });
  };

  const deliveries = (): Promise<readonly Delivery[]> =>
    new PeopleActions(organisation).all<Delivery>(`/webhooks/${webhookId}/deliveries`);
  const untilAll = (count: number, status: string): Promise<unknown> =>
    eventually(async () => {
      const all = await deliveries();
      return all.length === count && all.every((one) => one.status === status);
    });
  const jobsOf = async (status: string): Promise<DisplayedQueue['jobs']> =>
    (await shown(QUEUES.deliveries, status)).jobs.filter(({ data }) => data['webhookId'] === webhookId);

  const expectRetriesInActivity = async (count: number): Promise<void> => {
    const retries = (): Promise<readonly { readonly actor: { readonly type: string } }[]> =>
      new PeopleActions(organisation).all('/activity?type=WebhookDeliveryRetried');
    await eventually(async () => (await retries()).length === count);
    for (const { actor } of await retries()) expect(actor.type).toBe('operator');
  };

  it('shows a job for every attempt, with ids alone, and loads nothing of another site', async () => {
    await start();
    const page = await request('/queues');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    const before = (await shown(QUEUES.deliveries, 'completed')).counts;
    await write(20);
    await untilAll(20, 'delivered');
    await eventually(
      async () => (await shown(QUEUES.deliveries, 'completed')).counts['completed'] === before['completed']! + 20,
    );
    const jobs = await jobsOf('completed');
    expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set((await deliveries()).map(({ id }) => `${id}-1`)));
    const keys = ['organisationId', 'webhookId', 'deliveryId', 'attempt'];
    for (const { name, data } of jobs)
      expect([name, Object.keys(data).sort()]).toEqual([`${webhookId} org_unit.updated`, keys.sort()]);
  });

  it('has what failed for good in Failed with its reason; a retry delivers it again with the same ids, and its attempts are kept', async () => {
    receiver.behaviour = (_, response) => response.writeHead(404).end();
    await start();
    await write();
    await untilAll(1, 'failed');
    const [delivery] = await deliveries();
    await eventually(async () => (await jobsOf('failed')).length === 1);
    const [failed] = await jobsOf('failed');
    expect(failed).toMatchObject({
      id: `${delivery!.id}-1`,
      failedReason: expect.stringMatching(/^http_non_retryable: .*404/) as string,
    });
    expect(JSON.stringify(failed)).not.toContain('secret-path');
    receiver.behaviour = (_, response) => response.writeHead(200).end();
    expect(
      (await request(`/queues/api/queues/${QUEUES.deliveries}/${failed!.id}/retry`, { method: 'PUT' })).status,
    ).toBe(204);
    await untilAll(1, 'delivered');
    expect(await deliveries()).toMatchObject([{ id: delivery!.id, attempt_count: 2 }]);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    await eventually(async () => (await jobsOf('failed')).length === 0);
    expect(logged.filter((line) => line.includes('"actor":"operator"'))).toHaveLength(1);
    await expectRetriesInActivity(1);
  });

  it('has a retry of what cannot be delivered back in Failed, with the rule that forbids it', async () => {
    receiver.behaviour = (_, response) => response.writeHead(404).end();
    await start();
    await write();
    await untilAll(1, 'failed');
    await eventually(async () => (await jobsOf('failed')).length === 1);
    await webhooks.change(webhookId, { status: 'disabled' });
    expect((await request(`/queues/api/queues/${QUEUES.deliveries}/retry/failed`, { method: 'PUT' })).status).toBe(200);
    await eventually(async () => (await jobsOf('failed'))[0]?.failedReason.startsWith('webhook: is disabled') === true);
    expect(receiver.requests).toHaveLength(1);
    await expectRetriesInActivity(0);
  });

  it('has what is tried again later as a delayed job of the retries', async () => {
    receiver.behaviour = (_, response) => response.writeHead(503).end();
    await start();
    await write();
    await untilAll(1, 'retry_scheduled');
    const [{ id }] = (await deliveries()) as [Delivery];
    await eventually(async () => (await shown(QUEUES.retries, 'delayed')).jobs.some((job) => job.id === `${id}-2`));
  });

  it.each(['one', 'all'])('sends what is scheduled immediately when a retry is promoted (%s)', async (which) => {
    receiver.behaviour = (_, response) => response.writeHead(503).end();
    await start();
    await write();
    await untilAll(1, 'retry_scheduled');
    const [{ id }] = (await deliveries()) as [Delivery];
    await eventually(async () => (await shown(QUEUES.retries, 'delayed')).jobs.some((job) => job.id === `${id}-2`));
    receiver.behaviour = (_, response) => response.writeHead(200).end();
    const path = which === 'one' ? `${id}-2/promote` : 'promote';
    expect((await request(`/queues/api/queues/${QUEUES.retries}/${path}`, { method: 'PUT' })).status).toBeLessThan(300);
    await untilAll(1, 'delivered');
    expect(await deliveries()).toMatchObject([{ id, attempt_count: 2 }]);
    await expectRetriesInActivity(1);
  });

  it('clears the board of what failed, and the delivery stays', async () => {
    receiver.behaviour = (_, response) => response.writeHead(404).end();
    await start();
    await write();
    await untilAll(1, 'failed');
    await eventually(async () => (await jobsOf('failed')).length === 1);
    // The board removes jobs that ended at least five seconds ago.
    const clean = `/queues/api/queues/${QUEUES.deliveries}/clean/failed`;
    await eventually(
      async () => (await request(clean, { method: 'PUT' })).status === 200 && (await jobsOf('failed')).length === 0,
    );
    expect(await deliveries()).toMatchObject([{ status: 'failed' }]);
  });

  it('accepts changes only with the token', async () => {
    await start({ OPS_TOKEN: TOKEN });
    expect((await request(`/queues/api/queues/${QUEUES.deliveries}/one/retry`, { method: 'PUT' })).status).toBe(401);
  });

  it('accepts the token as a bearer token and as a password', async () => {
    await start({ OPS_TOKEN: TOKEN });
    for (const path of ['/queues', '/queues/api/queues', '/queues/static/images/logo.svg']) {
      for (const headers of [{}, basic(`${TOKEN}x`), basic(''), { authorization: `Bearer ${TOKEN}x` }]) {
        const { status, headers: answered } = await request(path, { headers });
        expect(status).toBe(401);
        expect(answered.get('www-authenticate')).toContain('Basic realm=');
      }
      for (const headers of [basic(TOKEN), { authorization: `Bearer ${TOKEN}` }])
        expect((await request(path, { headers })).status).toBe(200);
    }
  });

  it('does not exist without queues', async () => {
    await start({}, false);
    expect((await request('/queues')).status).toBe(404);
  });
});
