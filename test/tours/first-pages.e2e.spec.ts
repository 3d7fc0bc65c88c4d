import { Tour } from './tour.js';
import { TYPED_PAGES } from './typed-pages.js';

describe('what the first pages tell a reader to type', () => {
  let tour: Tour;

  beforeAll(async () => {
    tour = await Tour.begin({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' });
  });

  afterAll(() => tour.end());

  // One service for all, so that no page needs what another one has taken.
  it.each(TYPED_PAGES)('of %s prints what the page shows', async (page) => {
    expect(await tour.follow(page)).toEqual([]);
  });
});
