import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { Tour } from '../tours/tour.js';
import { TYPED_PAGES } from '../tours/typed-pages.js';

/** What the pages call the reader's EventStoreDB. */
const SHOWN_ADDRESS = 'esdb://events.example:2113';

describe('what pages tell a reader to type while the service is stopped', () => {
  let eventStore: EventStoreDbTestServer;

  beforeAll(async () => {
    eventStore = await EventStoreDbTestServer.start();
  });

  afterAll(() => eventStore.stop());

  it.each(TYPED_PAGES.stopped)('of %s prints what the page shows', async (page) => {
    const tour = await Tour.begin({}, { [SHOWN_ADDRESS]: eventStore.connectionString });
    try {
      await tour.stop();
      expect(await tour.follow(page)).toEqual([]);
    } finally {
      await tour.end();
    }
  });
});
