import { createTestDatabase } from '../support/postgres.js';
import { Tour } from '../tours/tour.js';
import { TYPED_PAGES } from '../tours/typed-pages.js';

/** What the pages call the reader's PostgreSQL. */
const SHOWN_DATABASE = 'postgres://workforce:…@db.example/workforce';

describe('what the pages for operators tell a reader to type', () => {
  it.each(TYPED_PAGES.operators)('of %s prints what the page shows', async (page) => {
    const database = await createTestDatabase({ migrated: false });
    const tour = await Tour.begin({}, { [SHOWN_DATABASE]: database.url });
    try {
      expect(await tour.follow(page)).toEqual([]);
    } finally {
      await tour.end();
      await database.drop();
    }
  });
});
