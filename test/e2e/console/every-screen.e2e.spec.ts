import type { Browser } from 'playwright-core';
import { type SeededDemo, seedDemo } from '#cli/sample-data/seed-demo.js';
import type { DemoReceiver } from '#cli/sample-data/demo-receiver.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { newEmail } from '../../support/api/people.js';
import { TestApi } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, openScreen, signInByLink } from '../../support/console.js';
import { followLog } from '../../support/follow-log.js';

/** Nothing is sent by a test without a worker. */
const RECEIVER: DemoReceiver = { address: '127.0.0.1', port: 9_999, stop: () => Promise.resolve() };

/** The address of every screen and of every part of one, with its heading. */
const SCREENS: readonly (readonly [address: string, heading: string])[] = [
  ['/people', 'Directory'],
  ['/people?as_of=2024-03-01', 'Directory'],
  ['/people/new', 'Hire a person'],
  ['/org-chart', 'Org chart'],
  ['/time-off', 'Who is out'],
  ['/time-off?view=requests', 'Who is out'],
  ['/time-off?view=balances', 'Who is out'],
  ['/calendar-links', 'Calendar links'],
  ['/ai-clients', 'AI clients'],
  ['/payroll', 'Payroll'],
  ['/payroll?view=readiness', 'Payroll'],
  ['/audit', 'Audit'],
  ['/audit?view=report', 'Audit'],
  ['/audit?view=verification', 'Audit'],
  ['/audit?view=erasures', 'Audit'],
  ['/webhooks', 'Webhooks'],
  ['/webhooks?view=deliveries', 'Webhooks'],
  ['/proposals', 'Write proposals'],
  ['/requests', 'Requests'],
  ['/access', 'Keys and users'],
  ['/imports', 'Imports'],
];

/**
 * These say only of a program that has run for a while, or erased a person, or has links and AI clients,
 * what there is.
 */
const MAY_BE_EMPTY = ['/audit?view=verification', '/audit?view=erasures', '/calendar-links', '/ai-clients'];

let api: TestApi;
let browser: Browser;
let demo: SeededDemo;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start({ requestLog: 'on' }), startBrowser()]);
  const { pool } = api.database;
  const installation = {
    pool,
    eventStore: api.services.store,
    keys: await loadInstallationKeys(pool),
    configuration: null as never,
  };
  demo = await seedDemo(installation, RECEIVER);
  await followLog(api.services, pool);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

it.each([
  ['the demo organisation', 'light', 1280],
  ['the demo organisation', 'dark', 360],
  ['an empty organisation', 'light', 360],
] as const)(
  'every screen of %s opens in %s colours at %i pixels, without errors and findings',
  async (of, colorScheme, width) => {
    const organisationId = of === 'an empty organisation' ? (await api.organisation()).row.id : demo.organisationId;
    const { context, page, troubles } = await signInByLink(browser, api, organisationId, 'administrator', {
      colorScheme,
      width,
      email: newEmail(),
    });
    const { id, name } = demo.firstPerson;
    const ofPerson = [
      [`/people/${id}`, name],
      [`/people/${id}/timeline`, `Timeline of ${name}`],
      [`/people/${id}/balance`, `Balance of ${name}`],
    ] as const;
    for (const [address, heading] of [...SCREENS, ...(of === 'an empty organisation' ? [] : ofPerson)]) {
      await openScreen(page, `${api.url}/console${address}`, heading);
      const empty = page.locator('main .mantine-Center-root h2');
      if (of === 'the demo organisation' && !MAY_BE_EMPTY.includes(address))
        expect([address, await empty.allInnerTexts()]).toEqual([address, []]);
      const fits = await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');
      expect([address, fits]).toEqual([address, true]);
      expect([address, await findingsOf(page)]).toEqual([address, []]);
    }
    // The browser calls a person without a picture an error.
    expect(troubles.filter((text) => !text.includes('404'))).toEqual([]);
    await context.close();
  },
);
