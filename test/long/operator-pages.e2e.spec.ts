import { Tour } from '../tours/tour.js';
import { TYPED_PAGES } from '../tours/typed-pages.js';

describe('what the pages for operators tell a reader to type', () => {
  it.each(TYPED_PAGES.operators)('of %s prints what the page shows', async (page) => {
    const tour = await Tour.begin();
    try {
      expect(await tour.follow(page)).toEqual([]);
    } finally {
      await tour.end();
    }
  });
});
