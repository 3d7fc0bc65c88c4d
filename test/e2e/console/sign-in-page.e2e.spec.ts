import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { invited } from '../../support/api/browser-session.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';

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

it('signs in when the button is pressed and not before, keeps the token to itself, and says who is signed in', async () => {
  const { token } = await invited(api, of.row.id, 'hr', { email: 'kim@example.com' });
  const page = await browser.newPage();
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(`${api.url}/console/sign-in#${token}`);
  const button = page.getByRole('button', { name: 'Sign in' });
  await button.waitFor();
  const links = await api.database.pool.query('select from sign_in_links');
  expect([links.rowCount, await page.evaluate('location.hash'), await page.context().cookies()]).toEqual([1, '', []]);
  await page.evaluate(axe.source);
  expect(await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')).toEqual([]);
  await button.click();
  const message = `You are signed in as kim@example.com of ${of.row.name}, hr.`;
  await page.getByText(message).waitFor();
  expect(await page.context().cookies()).toMatchObject([{ name: 'workforce_session', httpOnly: true, sameSite: 'Strict', path: '/' }]);
  expect(await page.evaluate('document.cookie')).toBe('');
  expect(urls.filter((url) => url.includes(token))).toEqual([]);
  await page.goto(`${api.url}/console/sign-in`);
  await page.getByText(message).waitFor();
  await page.close();
});

it('says that a link does not work', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}/console/sign-in#${'A'.repeat(43)}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The link does not work').waitFor();
  await page.close();
});

it('says what went wrong at the provider', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}/console/sign-in?problem=refused`);
  await page.getByText('Your organisation has given you no access').waitFor();
  await page.close();
});
