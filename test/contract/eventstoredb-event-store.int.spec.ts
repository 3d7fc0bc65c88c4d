import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { describeOnTestServer, outsideServer } from '../support/eventstoredb/outside-server.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { describeEventStore } from './event-store.contract.js';
import { freshStream, newEvents } from './event-store.support.js';

describeEventStore('EventStoreDbEventStore', async () => {
  const server = outsideServer === null ? await EventStoreDbTestServer.start() : null;
  const options = { connectionString: outsideServer ?? server!.connectionString, ...PATIENCE };
  const store = new EventStoreDbEventStore(options);
  const secondStore = new EventStoreDbEventStore(options);
  const cleanUp = async (): Promise<void> => {
    await Promise.all([store.close(), secondStore.close()]);
    await server?.stop();
  };
  return { store, secondStore, cleanUp };
});

describeOnTestServer('EventStoreDbEventStore', 'count its calls', () => {
  it('never asks the server for nothing', async () => {
    const server = await EventStoreDbTestServer.start();
    const store = new EventStoreDbEventStore({ connectionString: server.connectionString, ...PATIENCE });
    const stream = freshStream();
    const { position } = await store.append(stream, 'none', newEvents(2));
    const asked = server.calls.get('read');
    for (const after of [null, position]) expect(await store.readAll(after, 0)).toEqual([]);
    for (const direction of ['forwards', 'backwards'] as const)
      expect(await store.readStream(stream, { direction, limit: 0 })).toEqual([]);
    expect(server.calls.get('read')).toBe(asked);
    await store.close();
    await server.stop();
  });
});
