import { MemoryEventStore } from '../support/memory-event-store.js';
import { describeEventStore } from './event-store.contract.js';

describeEventStore('MemoryEventStore', async () => {
  const store = new MemoryEventStore();
  return { store, cleanUp: () => store.close() };
});
