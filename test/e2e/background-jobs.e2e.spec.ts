import type { Job, Queue } from 'bullmq';
import { createPool } from '#database/pool.js';
import type { JobEngine } from '#jobs/job-engine.js';
import { backgroundQueue, longRunningQueue, rebuildJob, WorkRequests } from '#jobs/requested-work.js';
import { requestRebuild, listRequestedRebuilds } from '#projections/rebuild/requested-rebuilds.js';
import { SCHEDULED_JOBS } from '#worker/background/scheduled-jobs.js';
import { eventually } from '../contract/event-store.support.js';
import { newImport } from '../support/api/imports.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { startWorkforce } from '../support/processes.js';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { startTestWorker, testJobs } from '../support/worker.js';

describe.each(['PostgreSQL', 'Redis'])('background jobs on %s', (backend) => {
  let database: TestDatabase;
  let redis: TestRedis | null;
  let api: TestApi;
  let jobs: JobEngine;
  let organisation: TestOrganisation;
  let background: Queue;
  let longRunning: Queue;
  let stops: (() => Promise<void>)[];

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: true });
    redis = backend === 'Redis' ? await startTestRedis() : null;
    jobs = testJobs(database, redis?.url ?? null);
    api = await TestApi.start({ database, work: new WorkRequests(() => longRunningQueue(jobs)) });
    organisation = await api.organisation();
    background = await backgroundQueue(jobs).whenReady();
    longRunning = await longRunningQueue(jobs).whenReady();
  });
  beforeEach(() => {
    stops = [];
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
  });
  afterAll(async () => {
    await jobs.close();
    await api.stop();
    await redis?.stop();
  });

  /** A worker with its own connections. */
  const start = async (settings: Parameters<typeof startTestWorker>[1] = {}): Promise<() => Promise<void>> => {
    const pool = createPool(database.url, { applicationName: 'test worker', maximum: 10 });
    const worker = await startTestWorker(
      { ...database, pool },
      { ...settings, jobs: testJobs(database, redis?.url ?? null) },
    );
    const stop = async (): Promise<void> => {
      if (!stops.includes(stop)) return;
      stops = stops.filter((other) => other !== stop);
      await worker.stop();
      await pool.end();
    };
    stops.push(stop);
    return stop;
  };
  const stateOf = async (id: string): Promise<string> =>
    (await organisation.client.get<{ state: string }>(`/imports/${id}`)).json.data.state;
  const jobsOf = async (id: string): Promise<readonly Job[]> =>
    (await longRunning.getJobs()).filter(({ data }) => (data as { import_id?: string }).import_id === id);
  const empty = async (): Promise<void> => {
    for (const queue of [background, longRunning]) await queue.obliterate({ force: true });
  };

  it('run on their schedules, and each scheduled kind has run where it was due', async () => {
    await start();
    const requested = SCHEDULED_JOBS.map(({ name }) => name).sort();
    await eventually(async () => (await background.getCompletedCount()) >= requested.length);
    expect((await background.getJobSchedulers()).map(({ key }) => key).sort()).toEqual(requested);
    const done = await background.getCompleted();
    expect([...new Set(done.map(({ name }) => name))].sort()).toEqual(requested);
  });

  it('are added again for open work after all jobs were lost, and schedules with them', async () => {
    const id = await newImport(organisation.client, ['lost@example.com']);
    expect(await requestRebuild(database.pool, 'organisations')).toMatchObject({ state: 'queued' });
    await empty();
    expect(await jobsOf(id)).toEqual([]);
    await start();
    await eventually(async () => (await stateOf(id)) === 'checked');
    await eventually(async () => (await listRequestedRebuilds(database.pool, 1))[0]!.state === 'done');
    expect(await background.getJobSchedulersCount()).toBe(SCHEDULED_JOBS.length);
  });

  it('are taken up by another process where one was killed', async () => {
    const id = await newImport(
      organisation.client,
      Array.from({ length: 3_000 }, (_, row) => `person-${row}@example.com`),
    );
    const killed = startWorkforce(['worker'], {
      DATABASE_URL: database.url,
      OPS_PORT: '0',
      LOG_LEVEL: 'error',
      ...(redis === null ? {} : { REDIS_URL: redis.url }),
    });
    await eventually(async () => (await stateOf(id)) === 'checking');
    await killed.end('SIGKILL');
    await start();
    await eventually(async () => (await stateOf(id)) === 'checked');
    expect((await jobsOf(id)).length).toBe(1);
  });

  it('that fail are among the failed ones with the reason, without the values that PostgreSQL quotes', async () => {
    const secret = 'marker-of-a-person';
    const eventStore = new Proxy(api.services.store, {
      get: (store, name) =>
        name === 'head'
          ? () => Promise.reject(Object.assign(new Error(`invalid: ${secret}`), { code: '22P02' }))
          : Reflect.get(store, name, store),
    });
    const { id } = (await requestRebuild(database.pool, 'locations'))!;
    await longRunningQueue(jobs).add([rebuildJob(id)]);
    const errors: object[] = [];
    await start({
      logger: { error: (fields) => errors.push(fields) },
      long: { databaseUrl: database.url, openEventStore: async () => eventStore },
    });
    const failed = async (): Promise<Job | undefined> =>
      (await longRunning.getFailed()).find(({ data }) => (data as { rebuild_id?: string }).rebuild_id === id);
    await eventually(async () => (await failed()) !== undefined);
    const { failedReason, stacktrace, name } = (await failed())!;
    expect([name, failedReason]).toEqual(['rebuild', 'Error 22P02']);
    expect(JSON.stringify(stacktrace)).not.toContain(secret);
    expect((await listRequestedRebuilds(database.pool, 1))[0]).toMatchObject({ id, state: 'failed' });
    expect(errors).toContainEqual(expect.objectContaining({ work: 'rebuild' }));
  });
});

describe('background jobs whose Redis is away', () => {
  it('hold up neither a request nor a stop, and begin when it is back', async () => {
    const database = await createTestDatabase({ migrated: true });
    const redis = await startTestRedis();
    const jobs = testJobs(database, redis.url);
    const api = await TestApi.start({ database, work: new WorkRequests(() => longRunningQueue(jobs)) });
    const { client } = await api.organisation();
    const background = await backgroundQueue(jobs).whenReady();
    const worker = await startTestWorker(database, { jobs: testJobs(database, redis.url) });
    await eventually(async () => (await background.getCompletedCount()) >= SCHEDULED_JOBS.length);
    await redis.kill();
    const id = await newImport(client);
    await worker.stop();
    await redis.start();
    const next = await startTestWorker(database, { jobs: testJobs(database, redis.url) });
    await eventually(async () => (await client.get<{ state: string }>(`/imports/${id}`)).json.data.state === 'checked');
    await next.stop();
    await jobs.close();
    await api.stop();
    await redis.stop();
  });
});
