import type { Configuration } from '#configuration/configuration.js';
import { createLogger, type Logger } from '#configuration/logger.js';
import { ensureUnused } from '../database.js';
import { openInstallation, type Installation } from '../installation.js';
import { ensureFree, type NamedPort } from './ports.js';
import { stopInOrder, type Part } from './stop-in-order.js';
import { listenForStop, type StopSignal } from './stop-signal.js';

/** Which parts a process runs. */
export interface ServeSettings {
  readonly configuration: Configuration;
  readonly api: boolean;
  readonly worker: boolean;
  /** Whether an installation without any event gets demo data first. */
  readonly demo: boolean;
  /** Whether PostgreSQL, where this process runs it, is this process's alone from the start. */
  readonly database: 'own' | 'shared';
}

/** Where a process answers, once it does. */
export interface Started {
  readonly api: string | null;
  readonly sandbox: string | null;
  readonly operations: string;
  readonly demo: { readonly organisationId: string; readonly apiKey: string } | null;
}

/** Runs until a signal comes or something fails that it cannot go on without; returns the exit code. */
export async function serve(settings: ServeSettings, present: (started: Started) => void): Promise<number> {
  const { configuration } = settings;
  const logger = createLogger(configuration.logLevel);
  const stop = listenForStop();
  // First, because a second start would also find all its ports in use, which says less.
  if (settings.database === 'own') await ensureUnused(configuration);
  await ensureFree(portsOf(settings));
  // Loading the API's modules takes longer than PostgreSQL's start; both go on at the same time.
  const modules = loadModules(settings);
  modules.catch(() => undefined);
  const installation = await openInstallation({
    configuration,
    use: settings.database,
    kind: 'server',
    connections: 24,
    report: (message) => logger.warn(message),
  });
  watchDatabase(installation, stop);
  const parts: Part[][] = [[], [], [], [{ name: 'database', stop: () => installation.close() }]];
  const stopAll = (): Promise<boolean> =>
    stopInOrder(parts, configuration.shutdownSeconds * 1_000 - SPARE_MILLISECONDS, logger);
  try {
    const demo = settings.demo ? await seedOnce(installation) : null;
    const readiness = (): readonly string[] => (stop.isRequested() ? ['The process is stopping.'] : []);
    present({ ...(await startParts(settings, installation, { logger, readiness }, await modules, parts)), demo });
  } catch (error) {
    await stopAll();
    throw error;
  }
  const { reason, exitCode } = await stop.requested;
  logger.info({ reason }, 'stopping');
  return (await stopAll()) ? exitCode : 1;
}

/** So that the process is gone, not just asked to go, when the time is up. */
const SPARE_MILLISECONDS = 500;

function portsOf({ configuration, api }: ServeSettings): readonly NamedPort[] {
  const { host, port, sandboxPort, operationsPort, operationsToken } = configuration;
  const operations = { variable: 'OPS_PORT', host: operationsToken === null ? '127.0.0.1' : host, port: operationsPort };
  if (!api) return [operations];
  return [{ variable: 'PORT', host, port }, { variable: 'SANDBOX_PORT', host, port: sandboxPort }, operations];
}

interface Modules {
  readonly startApi: typeof import('#api/start-api.js').startApi | null;
  readonly startWorker: typeof import('#worker/start-worker.js').startWorker | null;
  readonly startOperations: typeof import('#worker/operations/operations.js').startOperations;
}

async function loadModules({ api, worker }: ServeSettings): Promise<Modules> {
  const [apiModule, workerModule, operationsModule] = await Promise.all([
    api ? import('#api/start-api.js') : null,
    worker ? import('#worker/start-worker.js') : null,
    import('#worker/operations/operations.js'),
  ]);
  return {
    startApi: apiModule?.startApi ?? null,
    startWorker: workerModule?.startWorker ?? null,
    startOperations: operationsModule.startOperations,
  };
}

async function seedOnce({ pool, eventStore, ...rest }: Installation): Promise<Started['demo']> {
  const { once } = await import('#database/once.js');
  const empty = async (): Promise<boolean> => (await eventStore.head()) === null;
  return once(pool, 'demo', empty, async () => {
    const { seedDemo } = await import('../demo/seed-demo.js');
    return seedDemo({ pool, eventStore, ...rest });
  });
}

async function startParts(
  { configuration }: ServeSettings,
  { pool, eventStore, keys }: Installation,
  { logger, readiness }: { logger: Logger; readiness: () => readonly string[] },
  { startApi, startWorker, startOperations }: Modules,
  [listeners, workers, operators]: Part[][],
): Promise<Omit<Started, 'demo'>> {
  const shared = { pool, eventStore, keys, configuration, logger };
  const keep = <T extends { stop(): Promise<void> }>(stage: Part[] | undefined, name: string, part: T): T => {
    stage?.push({ name, stop: () => part.stop() });
    return part;
  };
  const api = (environment: 'live' | 'sandbox', port: number): Promise<{ url: string } | null> =>
    startApi === null
      ? Promise.resolve(null)
      : startApi({ ...shared, environment, port }).then((started) => keep(listeners, environment, started));
  const [live, sandbox, operations] = await Promise.all([
    api('live', configuration.port),
    api('sandbox', configuration.sandboxPort),
    startOperations({ ...shared, port: configuration.operationsPort, readiness }).then((started) =>
      keep(operators, 'operations', started),
    ),
    startWorker === null ? null : startWorker(shared).then((started) => keep(workers, 'worker', started)),
  ]);
  return { api: live?.url ?? null, sandbox: sandbox?.url ?? null, operations: operations.url };
}

function watchDatabase({ database }: Installation, stop: StopSignal): void {
  void database.server?.failed.then((reason) => {
    process.stderr.write(`PostgreSQL ended and could not be started again: ${reason}\n`);
    stop.request({ reason: 'database', exitCode: 1 });
  });
}
