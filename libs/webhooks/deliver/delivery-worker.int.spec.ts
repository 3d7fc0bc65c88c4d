import type { ServerResponse } from 'node:http';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { insertDeliveries } from '../../../test/support/webhooks/delivery-rows.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { Receiver } from '../../../test/support/webhooks/receiver.js';
import { openWakeSignalQueue } from '../queue/open-wake-signal-queue.js';
import { type WakeSignal, type WakeSignalQueue, wakeSignalsOf } from '../queue/wake-signal-queue.js';
import { Sender } from '../send/sender.js';
import { WebhookSecrets } from '../send/webhook-secrets.js';
import { UrlGuard } from '../url-guard/url-guard.js';
import { DeliveryWorker } from './delivery-worker.js';

const ORGANISATION = 'acme';

let database: TestDatabase;
let queue: WakeSignalQueue;
let secrets: WebhookSecrets;
let receiver: Receiver;
let url: string;
/** What went through the queue. */
let sent: WakeSignal[];
let workers: DeliveryWorker[];
const errors: unknown[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  const real = await openWakeSignalQueue({ redisUrl: null, databaseUrl: database.url, logger: { warn: () => undefined } });
  sent = [];
  queue = {
    send: (wakeSignals) => (sent.push(...wakeSignals), real.send(wakeSignals)),
    receive: (handler) => real.receive(handler),
    close: () => real.close(),
  };
  secrets = new WebhookSecrets((await loadInstallationKeys(database.pool)).webhookSecrets);
  receiver = new Receiver();
  url = await receiver.start();
  workers = [];
  errors.length = 0;
});
afterEach(async () => {
  await Promise.all([receiver.stop(), ...workers.map((worker) => worker.stop())]);
  await queue.close();
  await database.drop();
  expect(errors).toEqual([]);
});

/** A worker, and how many results it has recorded. */
interface Started {
  readonly worker: DeliveryWorker;
  readonly recorded: () => number;
}

/** Starts a worker, which takes wake signals from the queue unless it is deaf. */
async function startWorker({ isDeaf = false } = {}): Promise<Started> {
  let recorded = 0;
  const worker = new DeliveryWorker({
    pool: database.pool,
    queue,
    sender: new Sender({ guard: new UrlGuard({ allowedCidrs: ['127.0.0.0/8'] }), attemptMs: 5_000 }),
    secrets,
    onRecorded: () => void (recorded += 1),
    onStopped: () => undefined,
    onError: (error) => void errors.push(error),
  });
  workers.push(worker);
  if (!isDeaf) await worker.start();
  return { worker, recorded: () => recorded };
}

/** An endpoint with due deliveries, and the wake signals that name them. */
async function endpoint(webhookId: string, count: number): Promise<readonly WakeSignal[]> {
  const sealed = await secrets.seal(secrets.create(), webhookId);
  await insertEndpoint(database.pool, { organisationId: ORGANISATION, id: webhookId, url, secret: sealed });
  await insertDeliveries(database.pool, {
    organisationId: ORGANISATION,
    webhookId,
    prefix: `${webhookId} `,
    count,
    status: 'pending',
    ageSeconds: 10,
  });
  return wakeSignalsOf(
    ORGANISATION,
    webhookId,
    Array.from({ length: count }, (_, index) => `${webhookId} ${index + 1}`),
  );
}

async function delivered(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::integer as count from webhook_deliveries where status = 'delivered' and attempt_count = 1`,
  );
  return rows[0]!.count;
}

/** Answers after some milliseconds. */
const after =
  (milliseconds: number): Receiver['behaviour'] =>
  (_, response) =>
    void setTimeout(() => response.writeHead(200).end(), milliseconds);

describe('deliveries that a process has just made', () => {
  it('are sent by it without the queue, those of several endpoints', async () => {
    const { worker } = await startWorker();
    await worker.take([...(await endpoint('one', 2)), ...(await endpoint('two', 2))]);
    await eventually(async () => (await delivered()) === 4);
    expect(sent).toEqual([]);
  });

  it('that are many are told to another process once, which helps with those that no signal names; each is sent once', async () => {
    const held: ServerResponse[] = [];
    receiver.behaviour = (_, response) => void held.push(response);
    const { worker } = await startWorker({ isDeaf: true });
    const helper = await startWorker();
    const wakeSignals = await endpoint('one', 400);
    await worker.take(wakeSignals);
    await worker.take(wakeSignals);
    expect(sent).toEqual([{ ...wakeSignals[0], hasMore: true }]);
    // Each of them attempts two until the receiver has answered.
    await receiver.until((requests) => requests.length === 4);
    receiver.behaviour = after(20);
    for (const response of held) response.end();
    await eventually(async () => (await delivered()) === 400);
    expect(helper.recorded()).toBeGreaterThan(0);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(400);
    expect(receiver.requests).toHaveLength(400);
  });

  it('are not looked for where the queue brings the signal back to the process that sent it', async () => {
    const query = jest.spyOn(database.pool, 'query');
    const looks = (): readonly unknown[] =>
      query.mock.calls.filter(([statement]) => (statement as unknown as { readonly name?: string }).name === 'due-of-lane');
    const { worker } = await startWorker();
    await worker.take(await endpoint('one', 100));
    await eventually(async () => (await delivered()) === 100);
    expect([sent.length, looks()]).toEqual([1, []]);
  });

  it('and that wait when it stops go to another process', async () => {
    receiver.behaviour = after(300);
    const { worker } = await startWorker({ isDeaf: true });
    await worker.take(await endpoint('one', 20));
    await receiver.until((requests) => requests.length > 0);
    sent.length = 0;
    await worker.stop();
    expect(sent.flatMap(({ deliveryIds }) => deliveryIds)).toHaveLength(20 - (await delivered()));
    await startWorker();
    await eventually(async () => (await delivered()) === 20);
  });
});
