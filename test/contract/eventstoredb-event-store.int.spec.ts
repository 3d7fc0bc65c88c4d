import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { PostgresStagingArea } from '#event-store/eventstoredb/staging-area.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { createTestDatabase } from '../support/postgres.js';
import { describeEventStore } from './event-store.contract.js';

describeEventStore('EventStoreDbEventStore', async () => {
  const server = await EventStoreDbTestServer.start();
  const { pool, drop } = await createTestDatabase({ migrated: false });
  const options = { connectionString: server.connectionString, stagingArea: new PostgresStagingArea(pool) };
  const store = new EventStoreDbEventStore(options);
  const secondStore = new EventStoreDbEventStore(options);
  const cleanUp = async (): Promise<void> => {
    await Promise.all([store.close(), secondStore.close()]);
    await server.stop();
    await drop();
  };
  return { store, secondStore, cleanUp };
});
