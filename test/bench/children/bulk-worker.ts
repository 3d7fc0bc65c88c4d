import { commandServices, operatorContext } from '#cli/command-context.js';
import { readCsvFile } from '#cli/work/import/csv-file.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { migrate } from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import type { EventStore } from '#event-store/event-store.js';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { importHistory } from '#event-store/transfer/import-history.js';
import { dateIn } from '#kernel/dates.js';
import { rebuild, type RebuiltProjection } from '#projections/rebuild/rebuild.js';
import { MIGRATIONS } from '#resources/migrations.js';
import { importPeople as importRows } from '#resources/people/import/people-import.js';
import { PROJECTIONS } from '#resources/registry.js';
import { answerParent } from './answer.js';
import type { Pool } from 'pg';

/** Where events are stored: in the database, or where a URL is given in EventStoreDB. */
export interface Stores {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string | null;
}

/** How much of one kind of work was done, and how long it took, in seconds. */
export interface BulkRun {
  readonly items: number;
  readonly seconds: number;
}

/** Stay open until what was used has been read: a connection's process that has just ended is in nobody's account. */
const opened: (() => Promise<void>)[] = [];

function over<Result>(
  { databaseUrl, eventStoreUrl }: Stores,
  work: (pool: Pool, eventStore: EventStore) => Promise<Result>,
): Promise<Result> {
  const pool = createPool(databaseUrl, { applicationName: 'bench bulk', maximum: 10, statementTimeout: 0 });
  const eventStore =
    eventStoreUrl === null ? new PostgresEventStore(pool) : new EventStoreDbEventStore({ connectionString: eventStoreUrl });
  opened.push(async () => {
    await eventStore.close();
    await pool.end();
  });
  return work(pool, eventStore);
}

async function timed(work: () => Promise<number>): Promise<BulkRun> {
  const startedAt = performance.now();
  const items = await work();
  return { items, seconds: (performance.now() - startedAt) / 1_000 };
}

function importEvents({ file, ...stores }: Stores & { readonly file: string }): Promise<BulkRun> {
  return over(stores, async (pool, eventStore) => {
    await migrate(pool, MIGRATIONS);
    return timed(async () => (await importHistory(eventStore, file, { wanted: new Set() })).imported);
  });
}

function importPeople({
  file,
  organisationId,
  ...stores
}: Stores & { readonly file: string; readonly organisationId: string }): Promise<BulkRun> {
  return over(stores, async (pool, eventStore) => {
    const services = commandServices({ pool, eventStore, keys: await loadInstallationKeys(pool) });
    const organisation = { id: organisationId, time_zone: 'Europe/London' };
    const settings = {
      pool,
      services,
      context: operatorContext(organisation),
      today: () => dateIn(organisation.time_zone, new Date()),
      dryRun: false,
      createMissing: true,
      onRead: () => undefined,
      onSettled: () => undefined,
    };
    return timed(async () => {
      const { created, failed } = await importRows(
        settings,
        readCsvFile(file, () => undefined),
      );
      if (failed > 0) throw new Error(`${failed} lines of the generated file were refused`);
      return created;
    });
  });
}

function rebuildPeople(stores: Stores): Promise<RebuiltProjection> {
  const projection = PROJECTIONS.find(({ name }) => name === 'people')!;
  return over(stores, (pool, eventStore) => rebuild({ pool, eventStore, clock: { now: () => new Date() } }, projection));
}

/** Answers once the program is loaded, which belongs to no measurement. */
function load(): void {
  return undefined;
}

answerParent({ load, importEvents, importPeople, rebuildPeople }, async () => {
  for (const close of opened) await close();
});
