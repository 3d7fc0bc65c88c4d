import { spawnSync } from 'node:child_process';
import { Tour } from './tour.js';

const TUTORIAL = 'docs/tutorials/receive-webhooks.md';
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;

/**
 * The pages that readers type first, one after another over one service; of each the beginnings of the blocks
 * that no test types, with the reason.
 */
const PAGES: readonly (readonly [page: string, leftOut: readonly string[]])[] = [
  // The tour itself starts the service and compares what it prints; the second command runs this test.
  ['README.md', ['npm ci && npm start', 'npm ci && npm test']],
  ['docs/tutorials/first-requests.md', []],
  [
    HAS_PYTHON ? TUTORIAL : `${TUTORIAL} without its receiver, because python3 is absent`,
    // The service of the tour has this setting.
    ['WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8 npm start', ...(HAS_PYTHON ? [] : ['$ python3', '{"id":"evt_'])],
  ],
];

describe('the commands of the first pages', () => {
  let tour: Tour;

  beforeAll(async () => {
    tour = await Tour.begin({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' });
  });

  afterAll(() => tour.end());

  it.each(PAGES)('print what %s shows', async (page, leftOut) => {
    expect(await tour.follow(page.split(' ')[0]!, leftOut)).toEqual([]);
  });
});
