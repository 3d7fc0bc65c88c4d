import type { Pool } from 'pg';
import type { EventStore, Position, RecordedEvent } from '#event-store/event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { isOnEventStoreDb } from './test-size.js';

/** The EventStoreDB test server with a database's events, and functions to open stores over it. */
interface Offered {
  readonly url: string;
  open(pool: Pool): EventStore;
  /** Delays the visibility of later appends by this number of milliseconds after their time stamp. */
  delayCommits(milliseconds: number): void;
  stop(): Promise<void>;
}

/** The events of an outside server that other databases have are not read. */
interface OfferedLog extends Offered {
  readonly before: Position | null;
}

/** By the URL of the database, because processes receive this URL and must find its events. */
const offered = new Map<string, OfferedLog>();

/**
 * Starts an EventStoreDB test server for a database in this process, if the tests run on EventStoreDB.
 * Returns the function that ends it.
 */
export async function offerEventStore(databaseUrl: string): Promise<() => Promise<void>> {
  if (!isOnEventStoreDb) return () => Promise.resolve();
  const { offerEventStoreDb } = await import('./eventstoredb/offered-server.js');
  const server = await offerEventStoreDb();
  offered.set(databaseUrl, { ...server, before: await headOf(server.url) });
  return async () => {
    offered.delete(databaseUrl);
    await server.stop();
  };
}

async function headOf(connectionString: string): Promise<Position | null> {
  const { EventStoreDbEventStore } = await import('#event-store/eventstoredb/eventstoredb-event-store.js');
  const store = new EventStoreDbEventStore({ connectionString });
  try {
    return await store.head();
  } finally {
    await store.close();
  }
}

/** Returns the environment that gives a program the event store of a database; empty for PostgreSQL. */
export function eventStoreEnvironment(databaseUrl: string | undefined): Readonly<Record<string, string>> {
  const server = databaseUrl === undefined ? undefined : offered.get(databaseUrl);
  return server === undefined ? {} : { EVENTSTORE_URL: server.url };
}

/** Returns the event store for the database of a pool. */
export function testEventStore(pool: Pool): EventStore {
  const server = offered.get(pool.options.connectionString ?? '');
  return server === undefined ? new PostgresEventStore(pool) : server.open(pool);
}

/** Delays the visibility of later appends by this number of milliseconds after their recorded time. */
export async function delayCommits(pool: Pool, milliseconds: number): Promise<void> {
  const server = offered.get(pool.options.connectionString ?? '');
  if (server !== undefined) return server.delayCommits(milliseconds);
  await pool.query(`
    create function commit_later() returns trigger language plpgsql as $$ begin perform pg_sleep(${milliseconds / 1_000}); return null; end $$;
    create constraint trigger events_are_committed_later after insert on events deferrable initially deferred
      for each row execute function commit_later()`);
}

/** The fields of an event that tests read. */
export type EventInLog = Pick<RecordedEvent, 'id' | 'stream' | 'revision' | 'type' | 'data' | 'metadata'>;

/** Returns the number of events in a database's log, including the latest ones. */
export async function countEvents(pool: Pool): Promise<number> {
  if (isOnEventStoreDb) return (await recordedEvents(pool)).length;
  const { rows } = await pool.query<{ count: number }>('select count(*) as count from events');
  return rows[0]!.count;
}

/**
 * Returns every event of a database's log in order, including the latest ones, which the fence of PostgreSQL
 * hides from readers.
 */
export async function recordedEvents(pool: Pool): Promise<readonly EventInLog[]> {
  const server = offered.get(pool.options.connectionString ?? '');
  if (server === undefined) {
    const { rows } = await pool.query<EventInLog>(
      'select event_id as id, stream, revision, type, data, metadata from events order by position',
    );
    return rows;
  }
  return server.open(pool).readAll(server.before, 1_000_000);
}
