import type { Browser } from 'playwright-core';
import { invited } from '../../support/api/browser-session.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf } from '../../support/console.js';

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

it('signs in when the button is pressed and not before, keeps the token to itself, and leads to the first screen', async () => {
  const { token } = await invited(api, of.row.id, 'hr', { email: 'kim@example.com' });
  const page = await browser.newPage();
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(`${api.url}/console/sign-in#${token}`);
  const button = page.getByRole('button', { name: 'Sign in' });
  await button.waitFor();
  const links = await api.database.pool.query('select from sign_in_links');
  expect([links.rowCount, await page.evaluate('location.hash'), await page.context().cookies()]).toEqual([1, '', []]);
  expect(await findingsOf(page)).toEqual([]);
  await button.click();
  await page.getByRole('heading', { name: 'Directory' }).waitFor();
  await page.getByRole('button', { name: 'kim@example.com' }).click();
  await page.getByText('Signed in as HR').waitFor();
  expect(await page.context().cookies()).toMatchObject([
    { name: 'workforce_session', httpOnly: true, sameSite: 'Strict', path: '/' },
  ]);
  expect(await page.evaluate('document.cookie')).toBe('');
  expect(urls.filter((url) => url.includes(token))).toEqual([]);
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByText('Open the link that you were given').waitFor();
  expect(await page.context().cookies()).toEqual([]);
  await page.close();
});

it('signs in where the question who is signed in is answered only after the link was used', async () => {
  const { token } = await invited(api, of.row.id, 'hr', { email: 'lee@example.com' });
  const page = await browser.newPage();
  let isAsked = false;
  await page.route('**/console/session', async (route) => {
    const isFirst = !isAsked && route.request().method() === 'GET';
    isAsked ||= isFirst;
    const answer = await route.fetch();
    if (isFirst) await page.waitForResponse((response) => response.request().method() === 'POST');
    await route.fulfill({ response: answer });
  });
  await page.goto(`${api.url}/console/sign-in#${token}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Directory' }).waitFor();
  await page.close();
});

it('says that a link does not work', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}/console/sign-in#${'A'.repeat(43)}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The link is not valid').waitFor();
  await page.close();
});

it('says what went wrong at the provider', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}/console/sign-in?problem=refused`);
  await page.getByText('Your organisation has given you no access').waitFor();
  await page.close();
});

it('is shown at the address of any screen to somebody who is not signed in', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}/console/people`);
  await page.getByText('Open the link that you were given').waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/people');
  await page.close();
});
