import { setTimeout as wait } from 'node:timers/promises';
import type { Configuration } from '#configuration/configuration.js';
import { createLogger, type Logger } from '#configuration/logger.js';
import { IdMint } from '#identifiers/id-mint.js';
import { DatabaseClock } from '#database/sessions/database-clock.js';
import { StateWatch } from '#database/sessions/state-watch.js';
import type { EventStore } from '#event-store/event-store.js';
import { traceAppends } from '#event-store/trace-appends.js';
import type { NoticeChannel } from '#webhooks/publish/notices.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { type Receiver, UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { openJobEngine } from '#jobs/job-engine.js';
import { backgroundQueue, longRunningQueue, WorkRequests } from '#jobs/requested-work.js';
import { DeliveryQueues, QUEUES } from '#webhooks/deliver/delivery-queues.js';
import { ensureUnused } from '../database.js';
import { openEventStore } from '../event-store.js';
import { openInstallation, type Installation, whenReachable, withUnlimitedStatements } from '../installation.js';
import type { DemoReceiver } from '../sample-data/demo-receiver.js';
import type { SeededDemo } from '../sample-data/seed-demo.js';
import { openTracing } from './open-tracing.js';
import { ensureFree, operationsPortOf, portsOf } from './ports.js';
import { stopInOrder, type Part } from './stop-in-order.js';
import { listenForStop, type StopSignal } from './stop-signal.js';

/** The parts that a process runs. */
export interface ServeSettings {
  readonly configuration: Configuration;
  readonly api: boolean;
  readonly worker: boolean;
  /** Whether an installation without any event gets demo data first. */
  readonly demo: boolean;
  /** Whether no other process may use the PostgreSQL that this process runs. */
  readonly database: 'own' | 'shared';
}

/** The addresses of a process that has started. */
export interface Started {
  readonly api: string | null;
  readonly sandbox: string | null;
  readonly operations: string;
  /** The demo data that were created; null if the installation had been used before, or without a demo. */
  readonly demo: SeededDemo | null;
}

/** Runs until a signal arrives or a necessary part fails; returns the exit code. */
export async function serve(settings: ServeSettings, present: (started: Started) => void): Promise<number> {
  const { configuration } = settings;
  const logger = createLogger(configuration.logLevel);
  const stop = listenForStop();
  const parts: Part[][] = [[], [], [], []];
  const stopAll = (): Promise<boolean> =>
    stopInOrder(parts, configuration.shutdownSeconds * 1_000 - SPARE_MILLISECONDS, logger);
  const starting = start(settings, { logger, stop, parts });
  try {
    // A start may wait for a long time: for a database, for another process that migrates it. A stop does not
    // wait for it.
    const started = await Promise.race([starting, stop.requested.then(() => null)]);
    if (started !== null) present(started);
  } catch (error) {
    await stopAll();
    throw error;
  }
  starting.catch(() => undefined);
  const { reason, exitCode } = await stop.requested;
  logger.info({ reason }, 'stopping');
  if (exitCode === 0 && settings.api) await drain(parts, configuration.drainSeconds);
  return (await stopAll()) ? exitCode : 1;
}

/** Starts everything, and adds what has started to the stages of `parts`. */
async function start(
  settings: ServeSettings,
  { logger, stop, parts }: { readonly logger: Logger; readonly stop: StopSignal; readonly parts: Part[][] },
): Promise<Started> {
  const { configuration } = settings;
  // First, because a second start would otherwise report that its ports are in use, which explains less.
  if (settings.database === 'own') await ensureUnused(configuration);
  await ensureFree(settings.api ? portsOf(configuration) : [operationsPortOf(configuration)]);
  // Loading the API's modules takes longer than starting the embedded PostgreSQL; both happen at the same
  // time.
  const modules = loadModules(settings);
  modules.catch(() => undefined);
  // One that runs already would time connections out while the loading of modules keeps this process from
  // answering it.
  if (configuration.databaseUrl !== null) await modules;
  const opening = openInstallation({
    configuration,
    use: settings.database,
    kind: 'server',
    connections: configuration.databaseConnections,
    answersRequests: settings.api,
    lockTimeout: LOCK_MILLISECONDS,
    reachableWithinMilliseconds: REACHABLE_MILLISECONDS,
    report: (message) => logger.warn(message),
  });
  let isOpen = false;
  parts[3]!.push({
    name: 'database',
    stop: async () => {
      // Only a PostgreSQL of this process has to end in order while it is being opened.
      if (isOpen || configuration.databaseUrl === null) await (await opening.catch(() => null))?.close();
    },
  });
  const installation = await opening;
  isOpen = true;
  void installation.database.server?.failed.then((reason) => {
    process.stderr.write(`PostgreSQL ended and could not be started again: ${reason}\n`);
    stop.request({ reason: 'database', exitCode: 1 });
  });
  // Statements would time out while the loading of modules keeps this process from reading their answers.
  const loaded = await modules;
  const tracing = await openTracing(configuration, logger);
  if (tracing !== null) parts[2]!.push({ name: 'traces', stop: () => tracing.stop() });
  const { seeded, receiver } = settings.demo ? await openDemo(installation) : NO_DEMO;
  if (receiver !== null) parts[2]!.push({ name: 'demo receiver', stop: () => receiver.stop() });
  let isStarted = false;
  const readiness = (): readonly string[] =>
    stop.isRequested() ? ['The process is stopping.'] : isStarted ? [] : ['The process is starting.'];
  const eventStore = await watched(installation.eventStore, configuration, tracing !== null);
  const started = await startParts(
    settings,
    { ...installation, eventStore },
    { logger, stop, readiness, receiver },
    loaded,
    parts,
  );
  isStarted = true;
  if (!stop.isRequested()) {
    const endWatch = logAbsence(installation.pool, logger);
    parts[2]!.push({ name: 'watch of the database', stop: async () => endWatch() });
  }
  return { ...started, demo: seeded };
}

/** Returns the store with measured calls, and with traced appends if tracing is on. */
async function watched(store: EventStore, configuration: Configuration, isTraced: boolean): Promise<EventStore> {
  const [{ StoreMeasurements }, { register }] = await Promise.all([
    import('#event-store/measure-store.js'),
    import('prom-client'),
  ]);
  const measured = new StoreMeasurements(register).of(store);
  return isTraced
    ? traceAppends(measured, configuration.eventStoreUrl === null ? 'postgresql' : 'eventstoredb')
    : measured;
}

/** Reports to proxies that they should send requests elsewhere, while the API still answers requests. */
async function drain(parts: readonly (readonly Part[])[], seconds: number): Promise<void> {
  for (const part of parts.flat()) part.drain?.();
  await wait(seconds * 1_000);
}

/**
 * The time for which a request waits for a lock of another session before it gets 503: less than the limit of
 * its statement.
 */
const LOCK_MILLISECONDS = 3_000;

/** The time to wait for a PostgreSQL that is starting or recovering. */
const REACHABLE_MILLISECONDS = 20_000;

/** The time for which a first start waits for its event store. */
const DEMO_MILLISECONDS = 120_000;

/** Reserved for the end of the process itself, so that it is gone when the time is up. */
const SPARE_MILLISECONDS = 500;

type Modules = Awaited<ReturnType<typeof loadModules>>;

/** Loads the modules that the first response needs; the worker is loaded after it. */
async function loadModules({ api }: ServeSettings) {
  const [startApi, processSession, { startOperations }, { createProjector }] = await Promise.all([
    api ? import('#api/start-api.js') : null,
    api ? import('#api/process-session.js') : null,
    import('#worker/operations/operations.js'),
    import('#composition/registry.js'),
  ]);
  return { api: startApi && processSession && { ...startApi, ...processSession }, startOperations, createProjector };
}

interface OpenDemo {
  /** The demo that this start created; null if it created none. */
  readonly seeded: SeededDemo | null;
  /** The receiver of the installation's demo, whenever that was created; null without a demo. */
  readonly receiver: DemoReceiver | null;
}

const NO_DEMO: OpenDemo = { seeded: null, receiver: null };

async function openDemo(installation: Installation): Promise<OpenDemo> {
  const { runOnce } = await import('#database/run-once.js');
  const { resumeDemoReceiver, startDemoReceiver } = await import('../sample-data/demo-receiver.js');
  let receiver = await resumeDemoReceiver(installation);
  const empty = async (): Promise<boolean> => (await installation.eventStore.head()) === null;
  const seed = async (): Promise<SeededDemo> => {
    // Creating made-up people needs a large library, which later starts do not load.
    const { seedDemo } = await import('../sample-data/seed-demo.js');
    // No request waits for the demo yet, so that its statements have no time limit, which a busy machine
    // would exceed.
    return withUnlimitedStatements(installation, async (unlimited) =>
      seedDemo(unlimited, (receiver ??= await startDemoReceiver(0))),
    );
  };
  // Waits for an event store that is busy or starting. An interrupted demo continues where it stopped.
  const seeded = await whenReachable(() => runOnce(installation.pool, 'demo', empty, seed), DEMO_MILLISECONDS);
  return { seeded, receiver };
}

async function startParts(
  { configuration, worker }: ServeSettings,
  { pool, eventStore, keys, database }: Installation,
  {
    logger,
    stop,
    readiness,
    receiver,
  }: { logger: Logger; stop: StopSignal; readiness: () => readonly string[]; receiver: Receiver | null },
  modules: Modules,
  [listeners, workers, operators]: Part[][],
): Promise<Omit<Started, 'demo'>> {
  const clock = await DatabaseClock.start(pool);
  operators?.push({ name: 'clock', stop: async () => clock.stop() });
  const shared = { pool, eventStore, keys, configuration, logger, clock, projector: modules.createProjector(clock) };
  const keep = <T extends { stop(): Promise<void>; drain?(): void }>(
    stage: Part[] | undefined,
    name: string,
    part: T,
  ): T => {
    stage?.push({ name, stop: () => part.stop(), drain: () => part.drain?.() });
    return part;
  };
  const jobs = openJobEngine({ redisUrl: configuration.redisUrl, databaseUrl: database.url }, logger);
  operators?.push({ name: 'jobs', stop: () => jobs.close() });
  const deliveries = new DeliveryQueues(jobs);
  const work = new WorkRequests(() => longRunningQueue(jobs), logger);
  const urls = new UrlGuard({
    allowedCidrs: configuration.webhookAllowedCidrs,
    ownReceivers: receiver === null ? [] : [receiver],
  });
  const notices: NoticeChannel = {
    deliver: async ({ organisationId, text }) => logger.warn({ organisation: organisationId }, text),
  };
  const session = await modules.api?.ProcessSession.open(pool);
  if (session !== undefined) operators?.push({ name: 'session', stop: () => session.close() });
  const api = (environment: 'live' | 'sandbox', port: number): Promise<{ url: string } | null> =>
    modules.api === null || session === undefined
      ? Promise.resolve(null)
      : modules.api
          .startApi({ ...shared, environment, port, session, work, webhooks: { deliveries, urls } })
          .then((started) => keep(listeners, environment, started));
  const [live, sandbox, operations] = await Promise.all([
    api('live', configuration.port),
    api('sandbox', configuration.sandboxPort),
    modules
      .startOperations({
        ...shared,
        port: configuration.operationsPort,
        readiness,
        work,
        queues: [
          ...Object.values(QUEUES).map((name) => jobs.queue(name)),
          longRunningQueue(jobs),
          backgroundQueue(jobs),
        ],
      })
      .then((started) => keep(operators, 'operations', started)),
  ]);
  // After the API, so that the first answer does not wait for the loading of the worker and of BullMQ.
  if (worker && !stop.isRequested()) {
    const [{ startWorker }, { openCommandBus }] = await Promise.all([
      import('#worker/start-worker.js'),
      import('#composition/command-bus.js'),
    ]);
    const services = { store: eventStore, executor: pool, projector: shared.projector, mint: new IdMint(keys.ids) };
    const running = await startWorker({
      ...shared,
      commands: await openCommandBus({
        ...services,
        clock,
        secrets: new WebhookSecrets(keys.webhookSecrets),
        urls,
        deliveries,
      }),
      jobs,
      long: {
        databaseUrl: database.url,
        openEventStore: (own) => openEventStore(configuration, own),
      },
      webhooks: { keys, jobs, guard: urls, notices },
    });
    keep(workers, 'worker', running);
  }
  return { api: live?.url ?? null, sandbox: sandbox?.url ?? null, operations: operations.url };
}

/** Logs when PostgreSQL stops answering, and when it answers again. Returns the function that ends this. */
function logAbsence(pool: Installation['pool'], logger: Logger): () => void {
  let isAway = false;
  return StateWatch.of(pool).add({ text: 'select true' }, (state) => {
    const wasAway = isAway;
    isAway = state === undefined;
    if (isAway && !wasAway) logger.error('PostgreSQL does not answer: requests get 503 until it does');
    else if (wasAway && !isAway) logger.warn('PostgreSQL answers again');
  });
}
