import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { readConfiguration, type Configuration } from '#configuration/configuration.js';
import { isUnavailable } from '#database/errors.js';
import { loadInstallationKeys, type InstallationKeys } from '#database/installation-keys.js';
import { masterKeysOf, useMasterKeys } from '#database/key-rings/master-keys.js';
import { migrate } from '#database/migrations.js';
import { createPool, type PoolSettings, REQUEST_LIMITS, SERVER_SESSION } from '#database/pool.js';
import { refuseUnfinishedRestore } from '#database/restore-mark.js';
import { AnotherEventLogError, type EventStore, StoreUnavailableError } from '#event-store/event-store.js';
import { openDatabase, type Database, type DatabaseSettings } from './database.js';
import { openAnyEventStore, openEventStore } from './event-store.js';

/** The dependencies of a command in an open installation, whose schema is migrated. */
export interface Installation {
  readonly configuration: Configuration;
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly keys: InstallationKeys;
  readonly database: Database;
  /** Closes the connections, and stops PostgreSQL if this process started it. */
  close(): Promise<void>;
}

/** An installation for work that does not close it. */
export type OpenInstallation = Omit<Installation, 'close'>;

/** Settings of servers, which differ from those of a command that runs and ends. */
export interface InstallationSettings extends Partial<DatabaseSettings> {
  readonly configuration?: Configuration;
  /** The maximum number of concurrent connections. */
  readonly connections?: number;
  /**
   * The time to wait for a database that is starting or not reachable, in milliseconds. Without it there is
   * one attempt.
   */
  readonly reachableWithinMilliseconds?: number;
  /** Whether requests wait for the statements ({@link REQUEST_LIMITS}). */
  readonly answersRequests?: boolean;
  /**
   * The event log that the command may use: `remembered`, the default, for the one that the database belongs
   * to; `any` for a command that moves events to another one.
   */
  readonly log?: 'remembered' | 'any';
  /**
   * The time that a statement may wait for a lock, in milliseconds. Without it, the limit of a statement
   * applies.
   */
  readonly lockTimeout?: number;
}

/**
 * Opens the installation: with `DATABASE_URL` if it is set, otherwise with the PostgreSQL of a running
 * server, otherwise with an embedded PostgreSQL that ends with it. Migrates first. Refuses a data directory
 * without an installation, unless the command creates one: servers do by default.
 */
export async function openInstallation(settings: InstallationSettings = {}): Promise<Installation> {
  const configuration = settings.configuration ?? readConfiguration(process.env);
  const database = await openDatabase(configuration, {
    use: settings.use ?? 'shared',
    kind: settings.kind ?? 'command',
    makes: settings.makes ?? settings.kind === 'server',
    report: settings.report ?? ((message) => process.stderr.write(`${message}\n`)),
  });
  const pool = createPool(database.url, {
    applicationName: applicationName(),
    maximum: settings.connections ?? 10,
    // The polling of an idle server sometimes needs two connections, and opening one costs more than many
    // statements.
    minimum: settings.kind === 'server' ? 2 : 0,
    sessionSettings: {
      ...(settings.lockTimeout === undefined ? {} : { lock_timeout: String(settings.lockTimeout) }),
      ...(settings.kind === 'server' ? SERVER_SESSION : {}),
    },
    ...(settings.answersRequests === true ? REQUEST_LIMITS : {}),
  });
  try {
    const { MIGRATIONS } = await import('#composition/migrations.js');
    useMasterKeys(masterKeysOf(configuration));
    const { keys, eventStore } = await whenReachable(
      async () => {
        await refuseUnfinishedRestore(pool);
        await migrate(pool, MIGRATIONS);
        return { keys: await loadInstallationKeys(pool), eventStore: await openLog(configuration, pool, settings) };
      },
      reachableWithin(settings, database),
    );
    const close = async (): Promise<void> => {
      await eventStore.close();
      await pool.end();
      await database.close();
    };
    if (settings.kind === 'server') await compareUnlessAway(eventStore);
    return { configuration, pool, eventStore, keys, database, close };
  } catch (error) {
    await pool.end();
    await database.close();
    throw error;
  }
}

function applicationName(): string {
  return `workforce ${process.argv[2] ?? ''}`.trim();
}

function openLog(
  configuration: Configuration,
  pool: Pool,
  { log }: Pick<InstallationSettings, 'log'>,
): Promise<EventStore> {
  return log === 'any' ? openAnyEventStore(configuration, pool) : openEventStore(configuration, pool);
}

/**
 * Compares the log at the start of a server, whose first write may come much later. If the event store is
 * unavailable, the server starts anyway, and the first successful call compares.
 */
async function compareUnlessAway(eventStore: EventStore): Promise<void> {
  try {
    await eventStore.head();
  } catch (error) {
    if (!isAway(error)) throw error;
  }
}

/** A PostgreSQL that this process runs exists: if it does not answer yet, the machine is busy. */
const OWN_REACHABLE_MILLISECONDS = 600_000;

function reachableWithin(
  { reachableWithinMilliseconds: milliseconds = 0 }: InstallationSettings,
  { server }: Database,
): number {
  return milliseconds > 0 && server !== null ? OWN_REACHABLE_MILLISECONDS : milliseconds;
}

const RETRY_MILLISECONDS = 250;

/**
 * Repeats the work while a database or an event store is unavailable, until this many milliseconds have
 * passed.
 */
export async function whenReachable<T>(work: () => Promise<T>, milliseconds: number): Promise<T> {
  for (const deadline = performance.now() + milliseconds; ; await wait(RETRY_MILLISECONDS)) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || performance.now() > deadline) throw error;
    }
  }
}

function isAway(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof StoreUnavailableError && !(error instanceof AnotherEventLogError));
}

/** Opens the installation for one piece of work and closes it afterwards, also after an error. */
export async function withInstallation<T>(
  work: (installation: Installation) => Promise<T>,
  settings: Pick<InstallationSettings, 'makes' | 'log'> = {},
): Promise<T> {
  const installation = await openInstallation(settings);
  try {
    return await work(installation);
  } finally {
    await installation.close();
  }
}

/**
 * The same over connections without a time limit for statements, for work that reads or writes a whole
 * history.
 */
export function withLongStatements<T>(
  connections: Pick<PoolSettings, 'applicationName' | 'maximum'>,
  work: (unlimited: OpenInstallation) => Promise<T>,
  settings: Pick<InstallationSettings, 'makes' | 'log'> = {},
): Promise<T> {
  return withInstallation(
    (installation) => withUnlimitedStatements(installation, work, connections, settings),
    settings,
  );
}

/** Longer than for requests: no request waits, and a machine that starts may be busy. */
const LONG_CONNECT_MILLISECONDS = 60_000;

/** Does a part of the work of an open installation over connections without a time limit for statements. */
export async function withUnlimitedStatements<T>(
  installation: Installation,
  work: (unlimited: Installation) => Promise<T>,
  connections: Pick<PoolSettings, 'applicationName' | 'maximum'> = {
    applicationName: applicationName(),
    maximum: installation.configuration.databaseConnections,
  },
  settings: Pick<InstallationSettings, 'log'> = {},
): Promise<T> {
  const pool = createPool(installation.database.url, {
    ...connections,
    statementTimeout: 0,
    connectTimeout: LONG_CONNECT_MILLISECONDS,
  });
  const eventStore = await openLog(installation.configuration, pool, settings);
  try {
    return await work({ ...installation, pool, eventStore });
  } finally {
    await eventStore.close();
    await pool.end();
  }
}
