import { Tour } from '../tours/tour.js';
import { TYPED_PAGES } from '../tours/typed-pages.js';

describe('what reference pages tell a reader to type', () => {
  let tour: Tour;

  beforeAll(async () => {
    tour = await Tour.begin({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' });
  });

  afterAll(() => tour.end());

  it.each(TYPED_PAGES.reference)('of %s prints what the page shows', async (page) => {
    expect(await tour.follow(page)).toEqual([]);
  });
});
