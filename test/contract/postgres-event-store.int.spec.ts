import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { createPool } from '#database/pool.js';
import { createTestDatabase } from '../support/postgres.js';
import { describeEventStore } from './event-store.contract.js';

describeEventStore('PostgresEventStore', async () => {
  const { pool, url, drop } = await createTestDatabase();
  const secondPool = createPool(url, { applicationName: 'second', maximum: 10 });
  const store = new PostgresEventStore(pool);
  const secondStore = new PostgresEventStore(secondPool);
  const cleanUp = async (): Promise<void> => {
    await Promise.all([store.close(), secondStore.close()]);
    await secondPool.end();
    await drop();
  };
  return { store, secondStore, cleanUp };
});
