import { isLeftOut } from './left-out.js';
import { Tour } from './tour.js';

describe('what the first pages tell a reader to type', () => {
  let tour: Tour;

  beforeAll(async () => {
    tour = await Tour.begin({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' });
  });

  afterAll(() => tour.end());

  it.each(['README.md', 'docs/how-to/first-requests.md', 'docs/employment-in-two-times.md', 'docs/how-to/receive-webhooks.md'])(
    'of %s prints what the page shows',
    async (page) => {
      expect(await tour.follow(page, ({ text }) => isLeftOut(page, text))).toEqual([]);
    },
  );
});
