import type { Browser as Chromium } from 'playwright-core';
import { preferencesOf } from '#access/user/preferences.js';
import { eraseUser } from '../../support/access.js';
import { invited, signedIn } from '../../support/api/browser-session.js';
import { dataOf } from '../../support/api/http-client.js';
import { newEmail } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { testContext } from '../../support/command-services.js';
import { openScreen, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let chromium: Chromium;

beforeAll(async () => {
  [api, chromium] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation();
});
afterAll(async () => {
  await chromium.close();
  await api.stop();
});

it('a user finds the language and the views in every browser, also after signing out', async () => {
  const email = newEmail();
  const first = await signInByLink(chromium, api, of.row.id, 'hr', { email });
  await openScreen(first.page, `${api.url}/console/people?q=lovelace&sort=staff_id`, 'Directory');
  await first.page.getByRole('button', { name: 'Views' }).click();
  await first.page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await first.page.getByLabel('Name', { exact: true }).fill('Ada');
  await first.page.getByRole('button', { name: 'Save', exact: true }).click();
  await first.page.getByRole('dialog').waitFor({ state: 'detached' });
  await first.page.getByRole('button', { name: '@' }).press('Enter');
  await first.page.getByRole('menuitemradio', { name: 'Deutsch' }).press('Enter');
  await first.page.getByRole('heading', { name: 'Verzeichnis', level: 1 }).waitFor();
  await first.page.getByRole('button', { name: '@' }).press('Enter');
  expect(first.troubles).toEqual([]);
  await first.page.getByRole('menuitem', { name: 'Abmelden', exact: true }).press('Enter');
  await first.page.waitForURL('**/console/sign-in');
  expect(await first.page.evaluate('JSON.stringify(localStorage)')).not.toContain('lovelace');
  await first.context.close();

  const { token } = await invited(api, of.row.id, 'hr', { email });
  const context = await chromium.newContext();
  const page = await context.newPage();
  await page.goto(`${api.url}/console/sign-in#${token}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Verzeichnis', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Ansichten' }).click();
  await page.getByRole('menuitem', { name: 'Ada', exact: true }).click();
  await page.waitForURL('**/console/people?q=lovelace&sort=staff_id');
  await page.getByRole('button', { name: 'Ansichten' }).click();
  await page.getByRole('menuitem', { name: 'Ansicht Ada löschen' }).click();
  await page.getByRole('menuitem', { name: 'Ada', exact: true }).waitFor({ state: 'detached' });
  await context.close();
});

it('the preferences of a user are their own, checked, and unreadable after an erasure', async () => {
  const { browser, user } = await signedIn(api, of.row.id, 'employee', { email: newEmail() });
  const read = async () => (await browser.send('GET', '/console/session')).json.data['preferences'];
  expect(await read()).toEqual({ language: null, views: [] });
  const view = { list: 'views', name: 'Mine!', state: '?q=ada' };
  const put = (body: unknown, headers = {}) => browser.send('PUT', '/console/preferences', { body, headers });
  for (const body of [
    undefined,
    {},
    { language: 'it', views: [] },
    { language: 'de', views: [{ ...view, state: 'x'.repeat(2_001) }] },
    { language: 'de', views: [{ ...view, extra: true }] },
    { language: 'de', views: Array(101).fill(view) },
  ])
    expect([body, (await put(body)).status]).toEqual([body, 400]);
  expect((await put({ language: 'de', views: [view] })).status).toBe(204);
  expect(await read()).toEqual({ language: 'de', views: [view] });
  expect((await put({ language: null, views: [] }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await put({ language: null, views: [] }, { cookie: '', authorization: `Bearer ${of.apiKey}` })).status).toBe(
    401,
  );
  const other = await signedIn(api, of.row.id, 'employee', { email: newEmail() });
  expect((await other.browser.send('GET', '/console/session')).json.data).toMatchObject({
    preferences: { language: null, views: [] },
  });
  const { rows } = await api.database.pool.query<{ text: string }>(
    'select p::text as text from user_preferences p where user_id = $1',
    [user.id],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]!.text).not.toMatch(/Mine!|q=ada/);
  await eraseUser(api.services, testContext(of.row.id), user.id);
  expect(await preferencesOf(api.database.pool, of.row.id, user.id)).toEqual({ language: null, views: [] });
});

it('names are found by ids, of the kinds that the role may read', async () => {
  const email = newEmail();
  const { browser, user } = await signedIn(api, of.row.id, 'hr', { email });
  const auditor = await signedIn(api, of.row.id, 'auditor', { email: newEmail() });
  const unit = dataOf(201, await of.client.post<{ id: string }>('/org-units', { name: 'Engineering' })).id;
  const read = async (from: typeof browser, ids: readonly string[]) =>
    (await from.send('GET', `/console/names?ids=${ids.join(',')}`)).json.data;
  const stranger = await api.organisation();
  expect(await read(browser, [unit, user.id, 'unknown'])).toEqual(
    expect.arrayContaining([
      { id: unit, name: 'Engineering' },
      { id: user.id, name: email },
    ]),
  );
  expect(await read((await signedIn(api, stranger.row.id, 'hr', { email: newEmail() })).browser, [unit])).toEqual([]);
  expect(await read(auditor.browser, [user.id])).toEqual([{ id: user.id, name: email }]);
  const many = Array<string>(101).fill(unit).join(',');
  expect((await browser.send('GET', `/console/names?ids=${many}`)).status).toBe(400);
});
