import type { Browser, Page } from 'playwright-core';
import { eventually } from '../contract/event-store.support.js';
import { startBrowser } from '../support/browser.js';
import { findingsOf } from '../support/console.js';
import { TestApi } from '../support/api/test-api.js';

/**
 * How a page is looked at: with the colours that the system asks for, in a window of some width in pixels.
 */
const VIEWS = [
  ['in light colours', 'light', 1280],
  ['in dark colours', 'dark', 1280],
  ['on a narrow screen', 'light', 360],
] as const;
const PAGES = [
  '/docs/',
  '/docs/tutorials/first-requests',
  '/docs/how-to/run-in-production',
  '/docs/reference/http',
  '/docs/explanation/employment-in-two-times',
  '/docs/adr/0001-one-event-store-port-three-adapters',
];

let api: TestApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

const summaryOf = (path: string, method: string): string =>
  (api.check.document.paths[path]![method] as unknown as { readonly summary: string }).summary;

/** A page, and what went wrong in it: errors, and requests to any other address. */
async function opened(
  colorScheme: 'light' | 'dark',
  width: number,
): Promise<{ readonly page: Page; readonly troubles: readonly string[] }> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  const troubles: string[] = [];
  page.on('pageerror', ({ message }) => troubles.push(message));
  page.on('console', (said) => said.type() === 'error' && troubles.push(said.text()));
  page.on(
    'request',
    (request) =>
      !/^(data|blob):/.test(request.url()) && !request.url().startsWith(api.url) && troubles.push(request.url()),
  );
  return { page, troubles };
}

describe.each(VIEWS)('the documentation %s', (_, colours, width) => {
  it('has a reader of the API without findings, which sends nothing anywhere else', async () => {
    const { page, troubles } = await opened(colours, width);
    await page.goto(`${api.url}/docs/api#tag/people`);
    await page.getByRole('heading', { name: summaryOf('/people', 'post') }).waitFor();
    // The start script names what the reader leaves without a name, in the frame after each change of the
    // page.
    let findings: readonly unknown[] = [];
    const isSettled = async (): Promise<boolean> => (findings = await findingsOf(page)).length === 0;
    await eventually(isSettled).catch(() => expect(findings).toEqual([]));
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('has pages without findings that fit the window, and run no script but their own', async () => {
    const { page, troubles } = await opened(colours, width);
    for (const path of PAGES) {
      await page.goto(api.url + path);
      // Vue has taken the page over.
      await page.waitForFunction("'__vue_app__' in document.querySelector('#app')");
      expect([path, await findingsOf(page)]).toEqual([path, []]);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
    }
    expect(troubles).toEqual([]);
    await page.close();
  });
});

it('searches the documentation without a network, and leads from page to page', async () => {
  const { page, troubles } = await opened('light', 1280);
  await page.goto(`${api.url}/docs`);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill('crypto-shredding');
  await page.getByRole('option').first().click();
  await page.waitForURL(/\/docs\/(?!$)/);
  await page.goto(`${api.url}/docs/how-to/audit`);
  await page.getByRole('link', { name: /^Next/ }).click();
  await page.waitForURL(`${api.url}/docs/how-to/erase-a-person`);
  await page.getByRole('switch').first().click();
  await page.waitForFunction("document.documentElement.classList.contains('dark')");
  expect(troubles).toEqual([]);
  await page.close();
});

it('copies the commands of a console block without their answers, and shows every id of a path', async () => {
  const { page } = await opened('light', 1280);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${api.url}/docs/tutorials/receive-webhooks`);
  await page.waitForFunction("'__vue_app__' in document.querySelector('#app')");
  const block = page.locator('.language-console').first();
  await block.hover();
  await block.getByRole('button', { name: 'Copy Code' }).click();
  await page.waitForFunction("navigator.clipboard.readText().then((text) => text.includes('whsec_'))");
  const commands = (await page.evaluate<string>('navigator.clipboard.readText()')).split('\n').filter(Boolean);
  expect(commands.map((command) => command.trim().split(' ')[0])).toEqual([
    'export',
    'curl',
    '-d',
    expect.stringMatching(/\/api\/v1\/webhooks$/),
    'grep',
  ]);
  await page.goto(`${api.url}/docs/explanation/performance`);
  await page.getByRole('cell', { name: 'GET /people/{id}', exact: true }).first().waitFor();
  await page.close();
});

it('has a search in the reader that finds an operation, and links to the documentation', async () => {
  const { page } = await opened('light', 1280);
  await page.goto(`${api.url}/docs/api`);
  await page
    .getByRole('button', { name: /search/i })
    .first()
    .click();
  await page.getByRole('textbox').or(page.getByRole('combobox')).or(page.getByRole('searchbox')).first().fill('rotate');
  await page.getByText(summaryOf('/webhooks/{webhookId}/rotate-secret', 'post')).first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'documentation' }).first().click();
  await page.waitForURL(`${api.url}/docs/`);
  await page.close();
});

it('has every page that the OpenAPI document links to', async () => {
  const text = JSON.stringify(api.check.document);
  const linked = new Set([...text.matchAll(/\((\/docs\/[^)]*)\)/g)].map(([, path]) => path!));
  expect(linked.size).toBeGreaterThan(10);
  for (const path of linked) expect([path, (await fetch(api.url + path)).status]).toEqual([path, 200]);
});
