import type { Pool } from 'pg';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { outsideServer } from './outside-server.js';
import { PATIENCE } from './patience.js';
import { EventStoreDbTestServer } from './test-server.js';

/** What the tests of a database need of an EventStoreDB. */
export interface OfferedEventStoreDb {
  readonly url: string;
  open(pool: Pool): EventStoreDbEventStore;
  delayCommits(milliseconds: number): void;
  stop(): Promise<void>;
}

/**
 * A test server in this process, or the outside server, and the stores that are opened over it; a test server
 * ends with them.
 */
export async function offerEventStoreDb(): Promise<OfferedEventStoreDb> {
  const server = outsideServer === null ? await EventStoreDbTestServer.start() : null;
  const url = outsideServer ?? server!.connectionString;
  const stores = new Map<Pool, EventStoreDbEventStore>();
  return {
    url,
    open: (pool) => {
      const store = stores.get(pool) ?? new EventStoreDbEventStore({ connectionString: url, ...PATIENCE });
      stores.set(pool, store);
      return store;
    },
    delayCommits: (milliseconds) => {
      if (server === null)
        process.stderr.write('Commits are not delayed, because an outside EventStoreDB cannot be told to.\n');
      else server.faults.commitDelay = milliseconds;
    },
    stop: async () => {
      await Promise.all([...stores.values()].map((store) => store.close()));
      await server?.stop();
    },
  };
}
