import { isLeftOut } from '../tours/left-out.js';
import { Tour } from '../tours/tour.js';

describe('what other pages tell a reader to type', () => {
  let tour: Tour;

  beforeAll(async () => {
    tour = await Tour.begin();
  });

  afterAll(() => tour.end());

  it.each(['audit', 'test-an-integration', 'import-people', 'import-locations', 'erase-a-person'])(
    'of docs/how-to/%s.md prints what the page shows',
    async (name) => {
      const page = `docs/how-to/${name}.md`;
      expect(await tour.follow(page, ({ text }) => isLeftOut(page, text))).toEqual([]);
    },
  );
});
