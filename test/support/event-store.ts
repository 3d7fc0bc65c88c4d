import type { Pool } from 'pg';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { isOnEventStoreDb } from './test-size.js';

/** The EventStoreDB test server that has a database's events, and how to open stores over it. */
interface Offered {
  readonly url: string;
  open(pool: Pool): EventStore;
  /** How many events there are, without those of the system. */
  count(): number;
  /** From now on, what is appended becomes visible so many milliseconds after it was stamped. */
  delayCommits(milliseconds: number): void;
  stop(): Promise<void>;
}

/** By the URL of the database: whoever knows the database finds its events, as processes do that are started with its URL. */
const offered = new Map<string, Offered>();

/** Gives a database an EventStoreDB test server of its own, in this process, where the lane is EventStoreDB's. What it gives ends it. */
export async function offerEventStore(databaseUrl: string): Promise<() => Promise<void>> {
  if (!isOnEventStoreDb) return () => Promise.resolve();
  const { offerEventStoreDb } = await import('./eventstoredb/offered-server.js');
  const server = await offerEventStoreDb();
  offered.set(databaseUrl, server);
  return async () => {
    offered.delete(databaseUrl);
    await server.stop();
  };
}

/** The environment that gives a program the event store of a database; empty where that is PostgreSQL. */
export function eventStoreEnvironment(databaseUrl: string | undefined): Readonly<Record<string, string>> {
  const server = databaseUrl === undefined ? undefined : offered.get(databaseUrl);
  return server === undefined ? {} : { EVENTSTORE_URL: server.url };
}

/** The event store of the database that a pool leads to. */
export function testEventStore(pool: Pool): EventStore {
  const server = offered.get(pool.options.connectionString ?? '');
  return server === undefined ? new PostgresEventStore(pool) : server.open(pool);
}

/** Puts some milliseconds between the recorded time of every append from now on and the moment at which it becomes visible. */
export async function delayCommits(pool: Pool, milliseconds: number): Promise<void> {
  const server = offered.get(pool.options.connectionString ?? '');
  if (server !== undefined) return server.delayCommits(milliseconds);
  await pool.query(`
    create function commit_later() returns trigger language plpgsql as $$ begin perform pg_sleep(${milliseconds / 1_000}); return null; end $$;
    create constraint trigger events_are_committed_later after insert on events deferrable initially deferred
      for each row execute function commit_later()`);
}

/** What tests look at in an event. */
export type EventInLog = Pick<RecordedEvent, 'id' | 'stream' | 'revision' | 'type' | 'data' | 'metadata'>;

/** How many events a database's log has, the youngest ones too. */
export async function countEvents(pool: Pool): Promise<number> {
  const server = offered.get(pool.options.connectionString ?? '');
  if (server !== undefined) return server.count();
  const { rows } = await pool.query<{ count: number }>('select count(*) as count from events');
  return rows[0]!.count;
}

/** Every event of a database's log, in its order, the youngest ones too, which the fence of PostgreSQL hides from readers. */
export async function recordedEvents(pool: Pool): Promise<readonly EventInLog[]> {
  const server = offered.get(pool.options.connectionString ?? '');
  if (server === undefined) {
    const { rows } = await pool.query<EventInLog>(
      'select event_id as id, stream, revision, type, data, metadata from events order by position',
    );
    return rows;
  }
  return server.open(pool).readAll(null, 1_000_000);
}
