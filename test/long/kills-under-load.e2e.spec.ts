import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type JobEngine, openJobEngine } from '#jobs/job-engine.js';
import { DeliveryQueues } from '#webhooks/deliver/delivery-queues.js';
import { AnswerCheck, type OpenApiDocument } from '../support/api/answer-check.js';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { hurryDeliveries } from '../support/faults/hurry.js';
import { Installation } from '../support/faults/installation.js';
import { expectKept, expectTablesAsRebuilt } from '../support/faults/oracle.js';
import { type Told, Writers } from '../support/faults/writers.js';
import { testSize } from '../support/test-size.js';
import { Receiver } from '../support/webhooks/receiver.js';

jest.setTimeout(3_600_000);

/** The whole is the run of `docs/reference/tests.md`; every run has a smaller one. */
const KILLS = testSize('FAULTS_KILLS', { usual: 4, long: 20 });
const RESTARTS = testSize('FAULTS_RESTARTS', { usual: 1, long: 3 });
const WRITERS = 16;
/** Between two faults, so that each meets writes. */
const WRITES_BETWEEN = 24;
const MAX_PAUSE_MILLISECONDS = 600;
/** What deliveries may take once callers are done. */
const DELIVERY_MILLISECONDS = 600_000;

let installation: Installation;
let jobs: JobEngine;
let receiver: Receiver;
let writers: Writers;

beforeAll(async () => {
  installation = await Installation.start();
  jobs = openJobEngine({ redisUrl: null, databaseUrl: installation.url }, { warn: () => undefined });
  const names = ['api 1', 'api 2', 'worker 1', 'worker 2'];
  const services = await servicesOf({ url: installation.url, pool: installation.pool, drop: () => Promise.resolve() });
  const { apiKey } = await newKey(services, await newOrganisation(services));
  await Promise.all(names.map((name) => installation.launch(name)));
  installation.superviseFromNowOn();
  await Promise.all(names.map((name) => installation.untilReady(name)));
  const document = (await (
    await fetch(`${installation.addressOf('api 1')}/api/v1/openapi.json`)
  ).json()) as OpenApiDocument;
  const addresses = installation.apis.map((name) => installation.addressOf(name));
  writers = new Writers({ addresses: () => addresses, apiKey, check: new AnswerCheck(document), count: WRITERS });
  receiver = new Receiver();
  const endpoint = {
    name: 'Receiver',
    url: `${await receiver.start()}/in`,
    subscribed_events: ['person.created', 'person.updated'],
  };
  await writers.ask('POST', '/webhooks', { body: endpoint });
});

afterAll(async () => {
  writers.close();
  await jobs.close();
  await receiver.stop();
  await installation.stop();
});

/**
 * Each fault comes at a moment of chance, amid writes; gives how long it was until the next write was
 * acknowledged, in milliseconds.
 */
async function amidWrites(count: number, fault: (done: number) => Promise<number>): Promise<readonly number[]> {
  const recoveries: number[] = [];
  writers.begin();
  for (let done = 0; done < count; done += 1) {
    await writers.untilAcknowledged(WRITES_BETWEEN);
    await wait(randomInt(MAX_PAUSE_MILLISECONDS));
    const mended = await fault(done);
    await writers.untilAcknowledged(1);
    recoveries.push(writers.told.writes.find(({ at }) => at > mended)!.at - mended);
  }
  await writers.finish();
  return recoveries.sort((one, other) => one - other);
}

function print(what: string, sorted: readonly number[], told: Told): void {
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!);
  process.stdout.write(
    `${what}: the next write was acknowledged after ${at(0.5)} ms (median), ${at(1)} ms (longest); ${told.writes.length} writes so far, ` +
      `${told.unanswered} attempts unanswered, ${told.unavailable} answered 503, ${told.stillRunning} told that the first attempt still ran, ${told.stale} reads of a row not yet mended\n`,
  );
}

/** One delivery for each change that a caller was told of, and each of them came. */
async function expectDelivered(pool: Pool, { writes, people }: Told): Promise<void> {
  const deliveries = async (status: string): Promise<number> =>
    (
      await pool.query<{ count: number }>(
        'select count(*)::int as count from webhook_deliveries where status like $1',
        [status],
      )
    ).rows[0]!.count;
  const deadline = performance.now() + DELIVERY_MILLISECONDS;
  await hurryDeliveries(
    pool,
    new DeliveryQueues(jobs),
    async () => performance.now() < deadline && (await deliveries('delivered')) < writes.length,
  );
  expect(await deliveries('%')).toBe(writes.length);
  const events = new Map(
    receiver.requests
      .map(({ body }) => JSON.parse(body) as { id: string; type: string; data: { id: string } })
      .map((event) => [event.id, event]),
  );
  const came = new Map<string, number>();
  for (const { type, data } of events.values())
    came.set(`${type} ${data.id}`, (came.get(`${type} ${data.id}`) ?? 0) + 1);
  const expected = people.flatMap(({ id, titles }): [string, number][] => [
    [`person.created ${id}`, 1],
    ...(titles.length > 1 ? ([[`person.updated ${id}`, titles.length - 1]] as [string, number][]) : []),
  ]);
  expect([...came].sort()).toEqual(expected.sort());
}

describe(`${WRITERS} callers who write at once and ask again under the same key`, () => {
  it(`lose and double nothing over ${KILLS} kills of APIs and workers at random moments`, async () => {
    const recoveries = await amidWrites(KILLS, async (done) => {
      // Every other one is an API's: that is where callers are.
      const victims = done % 2 === 0 ? installation.apis : installation.names;
      await installation.kill(victims[randomInt(victims.length)]!);
      return performance.now();
    });
    print(`${KILLS} kills of APIs and workers`, recoveries, writers.told);
    await expectKept(installation.pool, writers);
    await expectTablesAsRebuilt(installation.pool);
    await expectDelivered(installation.pool, writers.told);
    expect(writers.told.unanswered).toBeGreaterThan(0);
    expect(writers.told.stale).toBe(0);
  });

  it(`lose and double nothing while PostgreSQL is killed ${RESTARTS} times, and no process needs a new start`, async () => {
    await Promise.all(installation.names.map((name) => installation.untilReady(name)));
    const processes = installation.names.map((name) => installation.processOf(name).pid);
    const outages: number[] = [];
    const recoveries = await amidWrites(RESTARTS, async () => {
      const began = performance.now();
      await installation.restartPostgres();
      outages.push(performance.now() - began);
      return performance.now();
    });
    outages.sort((one, other) => one - other);
    print(
      `${RESTARTS} kills of PostgreSQL (away for up to ${Math.round(outages.at(-1)!)} ms)`,
      recoveries,
      writers.told,
    );
    await expectKept(installation.pool, writers);
    await expectTablesAsRebuilt(installation.pool);
    await expectDelivered(installation.pool, writers.told);
    expect(installation.names.map((name) => installation.processOf(name).pid)).toEqual(processes);
    expect(writers.told.unavailable).toBeGreaterThan(0);
  });
});
