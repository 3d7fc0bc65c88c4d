import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { PostgresStagingArea } from '#event-store/eventstoredb/staging-area.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { createTestDatabase } from '../support/postgres.js';
import { describeEventStore } from './event-store.contract.js';
import { freshStream, newEvents } from './event-store.support.js';

describeEventStore('EventStoreDbEventStore', async () => {
  const server = await EventStoreDbTestServer.start();
  const { pool, drop } = await createTestDatabase({ migrated: false });
  const options = { connectionString: server.connectionString, stagingArea: new PostgresStagingArea(pool), ...PATIENCE };
  const store = new EventStoreDbEventStore(options);
  const secondStore = new EventStoreDbEventStore(options);
  const cleanUp = async (): Promise<void> => {
    await Promise.all([store.close(), secondStore.close()]);
    await server.stop();
    await drop();
  };
  return { store, secondStore, cleanUp };
});

it('never asks the server for nothing', async () => {
  const server = await EventStoreDbTestServer.start();
  const store = new EventStoreDbEventStore({ connectionString: server.connectionString, ...PATIENCE });
  const stream = freshStream();
  const { position } = await store.append(stream, 'none', newEvents(2));
  const asked = server.calls.get('read');
  for (const after of [null, position]) expect(await store.readAll(after, 0)).toEqual([]);
  for (const direction of ['forwards', 'backwards'] as const) expect(await store.readStream(stream, { direction, limit: 0 })).toEqual([]);
  expect(server.calls.get('read')).toBe(asked);
  await store.close();
  await server.stop();
});
