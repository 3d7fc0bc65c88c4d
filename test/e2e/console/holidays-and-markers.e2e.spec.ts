import type { Browser } from 'playwright-core';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, openScreen, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation();
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

it('a holiday is added, and one of the library made a working day', async () => {
  const { context, page, troubles } = await signInByLink(browser, api, of.row.id, 'hr', { email: 'one@example.com' });
  await openScreen(page, `${api.url}/console/time-off?view=holidays&year=2027`, 'Who is out');
  const table = page.getByRole('table', { name: 'Public holidays of 2027' });
  await page.getByRole('button', { name: 'Add a day…' }).click();
  await page.getByRole('dialog').getByLabel(/^Day/).fill('2027-12-24');
  await page.getByRole('textbox', { name: 'Name' }).fill('Christmas Eve');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await table.getByRole('row', { name: /^24 Dec 2027 Christmas Eve All day added here/ }).waitFor();
  await page.getByRole('button', { name: 'Make it a working day: Good Friday, 26 Mar 2027' }).click();
  await table.getByRole('row', { name: /Good Friday/ }).waitFor({ state: 'detached' });
  expect(await findingsOf(page)).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});
