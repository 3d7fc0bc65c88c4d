import { readFile } from 'node:fs/promises';
import { isLeftOut, LEFT_OUT } from './left-out.js';
import { blocksOf, commandsOf, isTyped } from './page.js';
import { Tour } from './tour.js';

const PAGES = ['README.md', 'docs/how-to/first-requests.md', 'docs/employment-in-two-times.md', 'docs/how-to/receive-webhooks.md'];

describe('what the first pages tell a reader to type', () => {
  let tour: Tour;

  beforeAll(async () => {
    tour = await Tour.begin({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' });
  });

  afterAll(() => tour.end());

  // One service for all, so that no page needs what another one has taken.
  it.each(PAGES)('of %s prints what the page shows', async (page) => {
    expect(await tour.follow(page, ({ text }) => isLeftOut(page, text))).toEqual([]);
  });
});

describe.each(PAGES)('the blocks of %s', (page) => {
  it('say in which language they are, and are typed or left out for a reason', async () => {
    const blocks = blocksOf(await readFile(new URL(`../../${page}`, import.meta.url), 'utf8'));
    expect(blocks.filter(({ language }) => language === '').map(({ line }) => line)).toEqual([]);
    expect(blocks.filter(isTyped).flatMap(commandsOf).length).toBeGreaterThan(3);
    const firstLines = blocks.map(({ text }) => text);
    for (const one of LEFT_OUT.filter((left) => left.page === page)) {
      expect(firstLines.filter((text) => text.startsWith(one.firstLine))).toHaveLength(1);
      expect(one.reason).toMatch(/^[A-Z].*\.$/);
    }
  });
});
