import type { Pool } from 'pg';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { MARKS_STREAM } from '#event-store/eventstoredb/recorded-event.js';
import { PostgresStagingArea } from '#event-store/eventstoredb/staging-area.js';
import { PATIENCE } from './patience.js';
import { EventStoreDbTestServer } from './test-server.js';

/** A test server in this process, and the stores that are opened over it; both end together. */
export async function offerEventStoreDb(): Promise<{
  readonly url: string;
  open(pool: Pool): EventStoreDbEventStore;
  count(): number;
  delayCommits(milliseconds: number): void;
  stop(): Promise<void>;
}> {
  const server = await EventStoreDbTestServer.start();
  const stores = new Map<Pool, EventStoreDbEventStore>();
  const open = (pool: Pool): EventStoreDbEventStore => {
    const store =
      stores.get(pool) ??
      new EventStoreDbEventStore({ connectionString: server.connectionString, stagingArea: new PostgresStagingArea(pool), ...PATIENCE });
    stores.set(pool, store);
    return store;
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...stores.values()].map((store) => store.close()));
    await server.stop();
  };
  const count = (): number => server.log.events.filter(({ type, stream }) => !type.startsWith('$') && stream !== MARKS_STREAM).length;
  const delayCommits = (milliseconds: number): void => {
    server.faults.commitDelay = milliseconds;
  };
  return { url: server.connectionString, open, count, delayCommits, stop };
}
