import { userInfo } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { type SeededDemo, seedDemo } from '#cli/sample-data/seed-demo.js';
import type { DemoReceiver } from '#cli/sample-data/demo-receiver.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { PERSON_ID_PATTERN } from '#kernel/identifier.js';
import type { Role } from '#kernel/roles.js';
import { changeUser } from '../../support/access.js';
import { invited } from '../../support/api/browser-session.js';
import { newEmail } from '../../support/api/people.js';
import { TestApi } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { testContext } from '../../support/command-services.js';
import { signInByLink } from '../../support/console.js';
import { followLog } from '../../support/follow-log.js';
import { usePseudoLocale } from '../../support/pseudo-locale.js';

/** The screens of the console; the types of these modules need those of a browser. */
const { SCREENS } = jest.requireActual<{
  SCREENS: readonly {
    readonly path: string;
    readonly texts?: readonly string[];
    readonly roles?: readonly string[] | 'all';
  }[];
}>('../../../apps/console/src/screens.js');
/** The parts of the settings. */
const { PARTS } = jest.requireActual<{ PARTS: readonly { readonly name: string }[] }>(
  '../../../apps/console/src/screens/settings/parts.js',
);
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
const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
const TECHNICAL = [userInfo().username, ...METHODS, 'api', 'v1', 'people', 'personId', 'req_'];

let api: TestApi;
let browser: Browser;
let demo: SeededDemo;
const manager = newEmail();

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start({ requestLog: 'on' }), startBrowser()]);
  const { pool } = api.database;
  const keys = await loadInstallationKeys(pool);
  const installation = { pool, eventStore: api.services.store, keys, configuration: null as never };
  demo = await seedDemo(installation, RECEIVER);
  await followLog(api.services, pool);
  await linkManager();
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

/** Makes the person with the most reports a user, who decides their requests. */
async function linkManager(): Promise<void> {
  const { user } = await invited(api, demo.organisationId, 'manager', { email: manager });
  const { rows } = await api.database.pool.query<{ manager_id: string }>(
    `select manager_id from people where organisation_id = $1 and manager_id is not null and status = 'active'
      group by manager_id order by count(*) desc, manager_id limit 1`,
    [demo.organisationId],
  );
  const context = testContext(demo.organisationId);
  await changeUser(api.services, context, user.id, { type: 'link', personId: rows[0]!.manager_id });
}

const WORD = /[\p{L}\p{N}_]+/gu;
const wordsOf = (text: string): readonly string[] => text.match(WORD) ?? [];

/**
 * Members whose texts are no codes, in small letters too: ids, random characters, and what people have
 * written.
 */
const WRITTEN = /^(name|key|code|subdomain|provider_name|written|(secret_)?last_four|(.+_)?id)$/;
/** Members with the codes of a form, which the catalogues name. */
const OF_FORMS = 'forms';

/**
 * Whether a text of a response is a code, for which the catalogues have words. One person id in 90 has no
 * digit.
 */
const isCode = (text: string): boolean => /^[a-z_]+$/.test(text) && !PERSON_ID_PATTERN.test(text);

/** Adds the words of a response's texts; not those of codes. */
function collect(value: unknown, words: Set<string>, member = ''): void {
  if (typeof value === 'string') {
    if (WRITTEN.test(member) || !isCode(value)) for (const word of wordsOf(value)) words.add(word);
  } else if (Array.isArray(value)) for (const one of value) collect(one, words, member);
  else if (value !== null && typeof value === 'object') {
    // A recorded value belongs to the field beside it, and the value of a custom field is written by people.
    const { field } = value as { readonly field?: unknown };
    const ofValues = 'field_type' in value ? 'written' : typeof field === 'string' ? field : '';
    for (const [name, one] of Object.entries(value))
      if (name !== OF_FORMS) collect(one, words, /^(before|after|value)$/.test(name) ? ofValues : name);
  }
}

/**
 * Makes a page keep the bodies of responses, before the screen can show what they hold, the names that `Intl`
 * gives countries, and those of time zones.
 */
const KEEP_BODIES = `{
  const read = Response.prototype.json;
  globalThis.keptBodies = [];
  Response.prototype.json = async function () {
    const body = await read.call(this);
    globalThis.keptBodies.push(body);
    return body;
  };
  const { of } = Intl.DisplayNames.prototype;
  Intl.DisplayNames.prototype.of = function (code) {
    const name = of.call(this, code);
    globalThis.keptBodies.push({ name });
    return name;
  };
  globalThis.keptBodies.push(Intl.supportedValuesOf('timeZone'));
}`;

/** Opens what is folded on the page, such as the values of an event. */
const OPEN_DETAILS = `for (const button of document.querySelectorAll(
  'main button[aria-expanded="false"]:not([aria-haspopup])')) button.click();`;

interface Shown {
  /**
   * The visible texts of the page, and those for screen readers; without code, whose words are technical, and
   * the initials of people.
   */
  readonly texts: readonly string[];
  /** The bodies of all responses that the page has read, and names by `Intl`. */
  readonly bodies: readonly unknown[];
}

const shown = (page: Page): Promise<Shown> =>
  page.evaluate<Shown>(`(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null) {
      const { parentElement: parent, textContent: text } = walker.currentNode;
      if (parent.closest('code, script, noscript, style, .mantine-Avatar-root') === null) texts.push(text);
    }
    for (const name of ['aria-label', 'placeholder', 'title', 'aria-valuetext'])
      for (const element of document.querySelectorAll('[' + name + ']:not([aria-hidden="true"])'))
        texts.push(element.getAttribute(name));
    return { texts, bodies: keptBodies };
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

interface Case {
  readonly path: string;
  readonly role: Role;
}

/** Every screen that has texts, with a role that may open it, and every part of the settings. */
const CASES: readonly Case[] = SCREENS.filter(({ texts }) => texts !== undefined).flatMap(({ path, roles }) => {
  const role: Role = Array.isArray(roles) ? 'manager' : 'administrator';
  return path.includes('$part')
    ? PARTS.map(({ name }) => ({ path: path.replace('$part', name), role }))
    : [{ path, role }];
});

it.each(CASES)(
  '$path shows no text outside of the catalogues, and has room for texts that are 40 % longer',
  async ({ path, role }) => {
    const email = role === 'manager' ? manager : newEmail();
    const { context, page } = await signInByLink(browser, api, demo.organisationId, role, { email });
    const address = await addressOf(page, path);
    const data = new Set([...OF_DATES, ...OF_WEEKS, ...TECHNICAL]);
    await context.addInitScript(KEEP_BODIES);
    await usePseudoLocale(context);
    await page.goto(`${api.url}/console${address}`);
    await settled(page);
    const tabs = await page.getByRole('tab').count();
    for (let tab = 0; tab < Math.max(tabs, 1); tab += 1) {
      if (tabs > 0) await page.getByRole('tab').nth(tab).click();
      await settled(page);
      await page.evaluate(OPEN_DETAILS);
      await settled(page);
      const { texts, bodies } = await shown(page);
      collect(bodies, data);
      const literals = texts.filter((text) =>
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
