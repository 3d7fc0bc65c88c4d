import type { Browser } from 'playwright-core';
import { PeopleActions } from '../../support/api/people.js';
import type { Person } from '../../support/api/shapes.js';
import { invited } from '../../support/api/browser-session.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let browser: Browser;
let nadia: Person;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation();
  nadia = await new PeopleActions(of).create({ first_name: 'Nadia', last_name: 'Rahman', start_date: '2024-01-01' });
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

it('Ctrl+K finds a person, a screen and an action, and a question mark lists the keys', async () => {
  const { context, page, troubles } = await signInByLink(browser, api, of.row.id, 'hr', { email: 'keys@example.com' });
  await page.getByRole('heading', { name: 'Directory' }).waitFor();
  await page.keyboard.press('Control+K');
  await page.getByRole('textbox', { name: 'Search people, screens and actions' }).fill('nad');
  await page.getByRole('option', { name: 'Nadia Rahman' }).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(nadia.id));
  await page.getByRole('heading', { name: 'Nadia Rahman' }).waitFor();
  await page.keyboard.press('Control+K');
  await page.getByRole('textbox', { name: 'Search people, screens and actions' }).fill('chart');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Org chart' }).waitFor();
  await page.keyboard.press('Control+K');
  await page.getByRole('option', { name: 'AI clients' }).waitFor();
  await page.getByRole('textbox', { name: 'Search people, screens and actions' }).fill('work pat');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Working patterns' }).waitFor();
  // HR may not change the locations.
  await page.keyboard.press('Control+K');
  await page.getByRole('textbox', { name: 'Search people, screens and actions' }).fill('loc');
  await page.getByText('Nothing found').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Shift+?');
  await page.getByRole('table', { name: 'Keys' }).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  // A person without a picture or profile has no resource of these.
  expect(troubles.filter((trouble) => !trouble.includes('404'))).toEqual([]);
  await context.close();
});

it('what was typed survives a click elsewhere, a reload and the end of the session, which leads back to the form', async () => {
  const email = 'drafts@example.com';
  const { context, page } = await signInByLink(browser, api, of.row.id, 'hr', { email });
  await page.getByRole('link', { name: 'Hire' }).click();
  await page.getByLabel('Work e-mail').fill('grace@example.com');
  await page.getByRole('link', { name: 'Directory' }).click();
  await page.getByRole('heading', { name: 'Directory' }).waitFor();
  await page.goBack();
  await page.getByText('This form has what you typed before.').waitFor();
  await page.getByLabel('First name').fill('Grace');
  await page.reload();
  await page.getByLabel('First name').waitFor();
  expect(await page.getByLabel('Work e-mail').inputValue()).toBe('grace@example.com');

  await context.clearCookies();
  await page.getByRole('button', { name: 'Hire' }).click();
  await page.getByText('Your session has ended').waitFor();
  expect(await page.getByLabel('First name').isVisible()).toBe(false);
  const { token } = await invited(api, of.row.id, 'hr', { email });
  const other = await context.newPage();
  await other.goto(`${api.url}/console/sign-in#${token}`);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('heading', { name: 'Directory' }).waitFor();
  await page.bringToFront();
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await page.getByLabel('First name').waitFor();
  expect(await page.getByLabel('First name').inputValue()).toBe('Grace');
  await page.getByRole('button', { name: 'Hire' }).click();
  await page.getByRole('heading', { name: 'Grace', exact: true }).waitFor();
  await page.goto(`${api.url}/console/people/new`);
  await page.getByLabel('First name').waitFor();
  expect(await page.getByLabel('First name').inputValue()).toBe('');
  await context.close();
});

it('an address that was opened before the sign-in is where it leads', async () => {
  const { token } = await invited(api, of.row.id, 'viewer', { email: 'links@example.com' });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${api.url}/console/people/${nadia.id}?form=none`);
  await page.getByText('Open the link that you were given').waitFor();
  await page.goto(`${api.url}/console/sign-in#${token}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Nadia Rahman' }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`/console/people/${nadia.id}?form=none`);
  await context.close();
});
