import type { Browser } from 'playwright-core';
import { dataOf, PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, openScreen, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let browser: Browser;
let timeOffId: string;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation();
  const people = new PeopleActions(of.client);
  const unit = dataOf(201, await of.client.post<{ id: string }>('/org-units', { name: 'Shipping' })).id;
  const ada = await people.create({ first_name: 'Ada', start_date: '2020-01-01', department_id: unit });
  await people.create({ first_name: 'Bob', start_date: '2024-01-01', department_id: unit });
  const body = { label: 'Leave', deducts_balance: false, requires_approval: true };
  const category = dataOf(201, await of.client.post<{ id: string }>('/time-off/categories', body)).id;
  const request = { person_id: ada.id, category_id: category, start_date: '2026-07-06', end_date: '2026-07-08' };
  timeOffId = dataOf(201, await of.client.post<{ id: string }>('/time-off', request)).id;
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

it('a request is approved by keyboard, and the month shows it', async () => {
  const { context, page, troubles } = await signInByLink(browser, api, of.row.id, 'hr', { email: 'one@example.com' });
  await openScreen(page, `${api.url}/console/time-off?month=2026-07`, 'Who is out');
  const span = page.getByRole('img', { name: 'Leave, pending' });
  expect(await span.count()).toBe(3);
  await page.getByRole('button', { name: /^Approve Ada/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Nothing waits for a decision').waitFor();
  await page.getByRole('img', { name: 'Leave, approved' }).first().waitFor();
  const { data } = (await of.client.get<{ status_code: string }>(`/time-off/${timeOffId}`)).json;
  expect(data.status_code).toBe('approved');
  expect(troubles).toEqual([]);
  await context.close();
});

it('the day moves people in the org chart, and the address holds what is open', async () => {
  const { context, page } = await signInByLink(browser, api, of.row.id, 'viewer', { email: 'two@example.com' });
  await openScreen(page, `${api.url}/console/org-chart?as_of=2021-01-01`, 'Org chart');
  await page.getByText('1 people on 1 January 2021').waitFor();
  await page.getByRole('button', { name: 'Shipping' }).click();
  await page.getByRole('link', { name: 'Ada' }).waitFor();
  expect(await page.getByRole('link', { name: 'Bob' }).count()).toBe(0);
  expect(new URL(page.url()).searchParams.get('open')).toMatch(/^org_unit_/);
  await page.getByRole('textbox', { name: 'As of' }).fill('2024-06-01');
  await page.getByRole('link', { name: 'Bob' }).waitFor();
  await context.close();
});

it.each(['light', 'dark'] as const)(
  'the screens have no serious findings in %s colours, also in an empty organisation',
  async (colorScheme) => {
    const empty = await api.organisation();
    for (const organisation of [of, empty]) {
      const options = { colorScheme, email: `${colorScheme}-${organisation.row.id}@example.com`.toLowerCase() };
      const { context, page } = await signInByLink(browser, api, organisation.row.id, 'hr', options);
      for (const [path, heading] of [
        ['/time-off?month=2026-07', 'Who is out'],
        ['/org-chart', 'Org chart'],
      ] as const) {
        await openScreen(page, `${api.url}/console${path}`, heading);
        expect([path, await findingsOf(page, 'serious')]).toEqual([path, []]);
      }
      await context.close();
    }
  },
);
