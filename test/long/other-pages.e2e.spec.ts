import { Tour } from '../tours/tour.js';
import { TYPED_PAGES } from '../tours/typed-pages.js';

describe('what other pages tell a reader to type', () => {
  let tour: Tour;

  beforeAll(async () => {
    tour = await Tour.begin();
  });

  afterAll(() => tour.end());

  it.each(TYPED_PAGES.other)('of %s prints what the page shows', async (page) => {
    expect(await tour.follow(page)).toEqual([]);
  });
});
