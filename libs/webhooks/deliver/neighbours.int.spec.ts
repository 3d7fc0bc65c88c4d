import { loadInstallationKeys } from '#database/installation-keys.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { untilAccepted } from '../../../test/support/jobs.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { Receiver } from '../../../test/support/webhooks/receiver.js';
import { DeliveryWorker } from './delivery-worker.js';
import { measureLateness } from './lateness.js';
import { type JobEngine, openJobEngine } from '#jobs/job-engine.js';
import { Sender } from '../send/sender.js';
import { UrlGuard } from '../url-guard/url-guard.js';
import { WebhookSecrets } from '../send/webhook-secrets.js';

/** A hanging attempt never ends in these tests, so it did not delay a delivery that arrives. */
const ENDLESS = 86_400_000;
const HANGING = 9;

let database: TestDatabase;
let jobs: JobEngine;
let worker: DeliveryWorker;
let secrets: WebhookSecrets;
let hanging: Receiver;
let well: Receiver;
let urls: { readonly hanging: string; readonly well: string };
const errors: unknown[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  jobs = openJobEngine({ redisUrl: null, databaseUrl: database.url }, { warn: () => undefined });
  secrets = new WebhookSecrets((await loadInstallationKeys(database.pool)).webhookSecrets);
  [hanging, well] = [new Receiver(() => undefined), new Receiver()];
  urls = { hanging: await hanging.start(), well: await well.start() };
  const sender = new Sender({ guard: new UrlGuard({ allowedCidrs: ['127.0.0.0/8'] }), attemptMs: ENDLESS });
  errors.length = 0;
  const onError = (error: unknown): void => void errors.push(error);
  worker = new DeliveryWorker({
    pool: database.pool,
    engine: jobs,
    sender,
    secrets,
    onRecorded: () => undefined,
    retry: () => Promise.resolve(null),
    onStopped: () => undefined,
    onError,
  });
  worker.start();
});
afterEach(async () => {
  // Attempts that hang end when their connections are cut.
  await Promise.all([worker.stop(), hanging.stop(), well.stop()]);
  await jobs.close();
  await database.drop();
  expect(errors).toEqual([]);
});

interface Batch {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly count: number;
  /** Due for this number of minutes; later attempts if `step` is above 0. */
  readonly minutes?: number;
  readonly step?: number;
}

/** An endpoint, with deliveries that are due. */
async function endpoint(
  { organisationId, webhookId, count, minutes = 0, step = 0 }: Batch,
  url: string,
): Promise<void> {
  await insertEndpoint(database.pool, {
    organisationId,
    id: webhookId,
    url,
    secret: await secrets.seal(secrets.create(), webhookId),
  });
  await deliveries({ organisationId, webhookId, count, minutes, step });
}

async function deliveries({ organisationId, webhookId, count, minutes = 0, step = 0 }: Batch): Promise<void> {
  await database.pool.query(
    `insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type, occurred_at, status, step, attempt_count, next_attempt_at)
     select $1, $2 || ' ' || n, $2, $2 || ' event ' || n, 'person.updated', 'person ' || n, 'person', clock_timestamp(),
            case when $5 > 0 then 'retry_scheduled' else 'pending' end, $5, $5, date_trunc('milliseconds', clock_timestamp() - $4 * interval '1 minute') from generate_series(1, $3) n`,
    [organisationId, webhookId, count, minutes, step],
  );
}

/** Adds the jobs of first attempts, as the fan-out does. */
async function tell(...batches: readonly Batch[]): Promise<void> {
  const due = batches.flatMap(({ organisationId, webhookId, count }) =>
    Array.from({ length: count }, (_, place) => {
      const deliveryId = `${webhookId} ${place + 1}`;
      return { organisationId, webhookId, deliveryId, eventType: 'person.updated', attempt: 1, isRetry: false, place };
    }),
  );
  await untilAccepted(() => worker.queues.add(due));
}

async function delivered(webhookId: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::integer as count from webhook_deliveries where webhook_id = $1 and status = 'delivered'`,
    [webhookId],
  );
  return rows[0]!.count;
}

async function untilDelivered(webhookId: string, count: number): Promise<void> {
  await eventually(async () => (await delivered(webhookId)) >= count);
}

/** Endpoints of an organisation whose receiver never answers. */
function ofHanging(organisationId: string, count: number, more: Partial<Batch> = {}): readonly Batch[] {
  return Array.from({ length: HANGING }, (_, index) => ({
    organisationId,
    webhookId: `${organisationId} ${index}`,
    count,
    ...more,
  }));
}

describe('receivers that hang', () => {
  it('do not delay first attempts of others, in their own organisation or another, before their behaviour is known', async () => {
    const hung = ['one', 'two', 'three', 'four'].flatMap((organisation) => ofHanging(organisation, 30));
    for (const batch of hung) await endpoint(batch, urls.hanging);
    const neighbour: Batch = { organisationId: 'one', webhookId: 'neighbour', count: 30 };
    const stranger: Batch = { organisationId: 'five', webhookId: 'stranger', count: 30 };
    for (const batch of [neighbour, stranger]) await endpoint(batch, urls.well);
    await tell(...hung);
    await hanging.until((requests) => requests.length >= hung.length);
    await tell(neighbour, stranger);
    await Promise.all([neighbour, stranger].map(({ webhookId, count }) => untilDelivered(webhookId, count)));
    expect(await attemptsThatEnded()).toEqual(['neighbour', 'stranger']);
  });

  it('do not delay them if they have answered until now', async () => {
    const turning = ['one', 'two', 'three', 'four'].flatMap((organisation) => ofHanging(organisation, 4));
    hanging.behaviour = (_, response) => response.writeHead(204).end();
    for (const batch of turning) await endpoint(batch, urls.hanging);
    await tell(...turning);
    for (const { webhookId, count } of turning) await untilDelivered(webhookId, count);
    hanging.behaviour = () => undefined;
    const again = turning.map((batch) => ({ ...batch, webhookId: batch.webhookId, count: 60 }));
    await database.pool.query('delete from webhook_deliveries');
    for (const batch of again) await deliveries(batch);
    const neighbour: Batch = { organisationId: 'one', webhookId: 'neighbour', count: 30 };
    const stranger: Batch = { organisationId: 'five', webhookId: 'stranger', count: 30 };
    for (const batch of [neighbour, stranger]) await endpoint(batch, urls.well);
    const before = hanging.requests.length;
    await tell(...again);
    await hanging.until((requests) => requests.length >= before + again.length);
    await tell(neighbour, stranger);
    await Promise.all([neighbour, stranger].map(({ webhookId, count }) => untilDelivered(webhookId, count)));
    expect(await attemptsThatEnded()).toEqual(['neighbour', 'stranger']);
  });

  it('do not delay later attempts of others, however many of their own have been due for longer; one sweep leads to all', async () => {
    const hung = ['one', 'two', 'three'].flatMap((organisation) =>
      ofHanging(organisation, 400, { minutes: 60, step: 1 }),
    );
    for (const batch of hung) await endpoint(batch, urls.hanging);
    const back: Batch = { organisationId: 'four', webhookId: 'back', count: 500, minutes: 1, step: 2 };
    await endpoint(back, urls.well);
    await untilAccepted(() => worker.requestSweep());
    await untilDelivered('back', back.count);
    expect(await attemptsThatEnded()).toEqual(['back']);
  });
});

/** Endpoints with an ended attempt since their deliveries were created. */
async function attemptsThatEnded(): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ webhook_id: string }>(
    'select distinct d.webhook_id from webhook_attempts a join webhook_deliveries d on d.organisation_id = a.organisation_id and d.id = a.delivery_id order by 1',
  );
  return rows.map((row) => row.webhook_id);
}

it('a delivery that cannot be signed is late because of this installation, and its receiver is not blamed', async () => {
  await insertEndpoint(database.pool, { organisationId: 'acme', id: 'spoiled', url: urls.well, secret: 'k1.spoiled' });
  await deliveries({ organisationId: 'acme', webhookId: 'spoiled', count: 1, minutes: 10 });
  await untilAccepted(() => worker.requestSweep());
  await eventually(() => errors.length > 0);
  const { sendingSeconds, receiverSeconds } = await measureLateness(database.pool);
  expect([Math.round(sendingSeconds / 60), Math.round(receiverSeconds / 60)]).toEqual([10, 0]);
  expect(well.requests).toEqual([]);
  expect(errors.splice(0).map(String)).toEqual([
    expect.stringContaining('the signing secret of spoiled cannot be decrypted'),
  ]);
});
