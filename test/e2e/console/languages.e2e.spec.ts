import { userInfo } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { type SeededDemo, seedDemo } from '#cli/sample-data/seed-demo.js';
import type { DemoReceiver } from '#cli/sample-data/demo-receiver.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { PERSON_ID_PATTERN } from '#kernel/identifier.js';
import { invited } from '../../support/api/browser-session.js';
import { newEmail } from '../../support/api/people.js';
import { TestApi } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { signInByLink } from '../../support/console.js';
import { followLog } from '../../support/follow-log.js';
import { usePseudoLocale } from '../../support/pseudo-locale.js';

/** The screens of the console, whose types need those of a browser. */
const { SCREENS } = jest.requireActual<{
  SCREENS: readonly { readonly path: string; readonly texts?: string; readonly roles?: readonly string[] | 'all' }[];
}>('../../../apps/console/src/screens.js');
/** Nothing is sent by a test without a worker. */
const RECEIVER: DemoReceiver = { address: '127.0.0.1', port: 9_999, stop: () => Promise.resolve() };
/** Words that `Intl` writes into dates, and units. */
const OF_DATES = [...Array(12).keys()].flatMap((month) =>
  (['long', 'short'] as const).map((length) => new Date(2026, month, 1).toLocaleDateString('en-GB', { month: length })),
);
const OF_WEEKS = [...Array(7).keys()].flatMap((day) =>
  (['long', 'short'] as const).map((length) =>
    new Date(2026, 5, 1 + day).toLocaleDateString('en-GB', { weekday: length }),
  ),
);
/** What no language translates: the name of the operator, methods and patterns of HTTP, and versions. */
const TECHNICAL = [userInfo().username, 'GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'api', 'v1', 'req_'];

let api: TestApi;
let browser: Browser;
let demo: SeededDemo;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start({ requestLog: 'on' }), startBrowser()]);
  const { pool } = api.database;
  const keys = await loadInstallationKeys(pool);
  const installation = { pool, eventStore: api.services.store, keys, configuration: null as never };
  demo = await seedDemo(installation, RECEIVER);
  await followLog(api.services, pool);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

const WORD = /[\p{L}\p{N}_]+/gu;
const wordsOf = (text: string): readonly string[] => text.match(WORD) ?? [];

/** Whether a text of a response is a code, for which the catalogues have words. One person id in 90 has no digit. */
const isCode = (text: string): boolean => /^[a-z_]+$/.test(text) && !PERSON_ID_PATTERN.test(text);

/** Adds the words of a response's texts; not those of codes. */
function collect(value: unknown, words: Set<string>): void {
  if (typeof value === 'string') {
    if (!isCode(value)) for (const word of wordsOf(value)) words.add(word);
  } else if (value !== null && typeof value === 'object') for (const one of Object.values(value)) collect(one, words);
}

/**
 * The visible texts of the page, and those for screen readers; without code, whose words are technical, and the
 * initials of people.
 */
const textsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null) {
      const { parentElement: parent, textContent: text } = walker.currentNode;
      if (parent.closest('code, script, noscript, style, .mantine-Avatar-root') === null) texts.push(text);
    }
    for (const name of ['aria-label', 'placeholder', 'title', 'aria-valuetext'])
      for (const element of document.querySelectorAll('[' + name + ']:not([aria-hidden="true"])'))
        texts.push(element.getAttribute(name));
    return texts;
  })()`);

/**
 * The controls and cells that are narrower than their text from a catalogue, and what makes the page scroll
 * sideways; once the layout is at rest, which follows a change of the width within some frames.
 */
const overflowing = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`(async () => {
    const places = 'button, [role="tab"], th, td, label, .mantine-Button-label, .mantine-Badge-label';
    const isClipped = (element) =>
      element.clientWidth > 0 &&
      element.scrollWidth > element.clientWidth + 1 &&
      /[åéöñ]/.test(element.textContent);
    const isBeyond = (element) =>
      document.documentElement.scrollWidth > innerWidth &&
      element.getBoundingClientRect().right > innerWidth + 1 &&
      element.closest('.mantine-TableScrollContainer-scrollContainer') === null;
    const found = () =>
      [
        ...[...document.querySelectorAll(places)].filter(isClipped),
        ...[...document.querySelectorAll('main *')].filter(isBeyond),
      ].map((element) => element.outerHTML.slice(0, 120) + ' ' + element.textContent);
    for (let frame = 0; frame < 60 && found().length > 0; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return found();
  })()`);

/** Waits until nothing is being read, and the content of the screen is there. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.locator('main [role="status"] .mantine-Loader-root').first().waitFor({ state: 'detached' });
}

/** The addresses of a screen: with the ids of the demo in place of parameters. */
async function addressOf(page: Page, path: string): Promise<string> {
  if (path.includes('$importId')) {
    const id = await page.evaluate(async () => {
      const response = await fetch('/api/v1/imports', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
        body: JSON.stringify({ kind: 'locations', file_name: 'a.csv', csv: 'label\nHere\n', dry_run: true }),
      });
      return ((await response.json()) as { data: { id: string } }).data.id;
    });
    return path.replace('$importId', id);
  }
  if (path.includes('$webhookId')) {
    const id = await page.evaluate(async () => {
      const response = await fetch('/api/v1/webhooks');
      return ((await response.json()) as { data: readonly { id: string }[] }).data[0]!.id;
    });
    return path.replace('$webhookId', id);
  }
  return path.replace('$personId', demo.firstPerson.id);
}

/** The directory shows the standing of people, whose texts belong to the screen of a person. */
const NEEDS: Readonly<Record<string, string>> = { '/people': '/people/$personId' };
const inCatalogues = new Set(
  // The administrator of the demo may not open the screens of employees and managers.
  SCREENS.filter(({ texts, roles }) => texts !== undefined && (roles === undefined || roles === 'all')).map(
    ({ path }) => path,
  ),
);

/**
 * They show values in small letters, names of fields, and countries by `Intl`, which this test cannot tell from
 * literals.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['/people/$personId', '/audit', '/settings', '/settings/$part']);

it.each([...inCatalogues].filter((path) => inCatalogues.has(NEEDS[path] ?? path) && !LEFT_OUT.has(path)))(
  '%s shows no text outside of the catalogues, and has room for texts that are 40 % longer',
  async (path) => {
    const { context, page } = await signInByLink(browser, api, demo.organisationId, 'administrator', {
      email: newEmail(),
    });
    const address = await addressOf(page, path);
    const data = new Set([...OF_DATES, ...OF_WEEKS, ...TECHNICAL]);
    page.on('response', (response) => {
      if (response.headers()['content-type']?.startsWith('application/json') === true)
        void response.json().then(
          (body) => collect(body, data),
          () => undefined,
        );
    });
    await usePseudoLocale(context);
    await page.goto(`${api.url}/console${address}`);
    await settled(page);
    const tabs = await page.getByRole('tab').count();
    for (let tab = 0; tab < Math.max(tabs, 1); tab += 1) {
      if (tabs > 0) await page.getByRole('tab').nth(tab).click();
      await settled(page);
      const literals = (await textsOf(page)).filter((text) =>
        wordsOf(text).some((word) => /^[A-Za-z]{2,}$/.test(word) && !data.has(word)),
      );
      expect([tab, literals]).toEqual([tab, []]);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        expect([tab, width, await overflowing(page)]).toEqual([tab, width, []]);
      }
      await page.setViewportSize({ width: 1280, height: 900 });
    }
    await context.close();
  },
);

it('follows the choice in the menu of the user, and keeps it', async () => {
  const { context, page } = await signInByLink(browser, api, demo.organisationId, 'administrator', {
    email: newEmail(),
  });
  const language = (): Promise<string> => page.evaluate<string>('document.documentElement.lang');
  expect(await language()).toBe('en');
  const account = page.getByRole('button', { name: '@' });
  await account.press('Enter');
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).press('Enter');
  await page.getByRole('heading', { name: 'Verzeichnis', level: 1 }).waitFor();
  expect(await language()).toBe('de');
  await page.goto(`${api.url}/console/payroll?from=2026-03-01&to=2026-03-31`);
  await page.getByText('März 2026', { exact: true }).waitFor();
  await account.press('Enter');
  expect(await page.getByRole('menuitemradio', { name: 'Deutsch' }).getAttribute('aria-checked')).toBe('true');
  await context.close();
});

it('begins with the first of the browser’s languages that it has', async () => {
  const { token } = await invited(api, demo.organisationId, 'viewer', { email: newEmail() });
  const context = await browser.newContext({ locale: 'fr-CA' });
  const page = await context.newPage();
  await page.goto(`${api.url}/console/sign-in#${token}`);
  await page.getByRole('button', { name: 'Se connecter' }).click();
  await page.getByRole('heading', { name: 'Annuaire', level: 1 }).waitFor();
  expect(await page.evaluate<string>('document.documentElement.lang')).toBe('fr');
  await context.close();
});
