import type { Browser } from 'playwright-core';
import { dataOf } from '../../support/api/http-client.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
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
  const people = new PeopleActions(of);
  const unit = await of.client.make('/org-units', { name: 'Shipping' });
  const ada = await people.create({ first_name: 'Ada', start_date: '2020-01-01', department_id: unit });
  await people.create({ first_name: 'Bob', start_date: '2024-01-01', department_id: unit });
  const body = { label: 'Leave', deducts_balance: false, requires_approval: true };
  const category = await of.client.make('/time-off/categories', body);
  const request = { person_id: ada.id, category_id: category, start_date: '2026-07-06', end_date: '2026-07-08' };
  timeOffId = await of.client.make('/time-off', request);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

it('a request is approved by keyboard, and the month shows it', async () => {
  const { context, page, troubles } = await signInByLink(browser, api, of.row.id, 'hr', { email: 'one@example.com' });
  await openScreen(page, `${api.url}/console/time-off?month=2026-07`, 'Who is out');
  await page.getByRole('img', { name: 'Leave, pending' }).first().waitFor();
  expect(await page.getByRole('img', { name: 'Leave, pending' }).count()).toBe(3);
  await page.getByRole('tab', { name: /^Requests/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: /^Note for Ada/ }).focus();
  await page.keyboard.type('Bob stands in.');
  await page.getByRole('button', { name: /^Approve Ada/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Nothing waits for a decision').waitFor();
  await page.getByRole('tab', { name: 'Month' }).click();
  await page.getByRole('img', { name: 'Leave, approved' }).first().waitFor();
  const { data } = (await of.client.get<{ status_code: string }>(`/time-off/${timeOffId}`)).json;
  expect(data.status_code).toBe('approved');
  await page.getByRole('tab', { name: 'Decided' }).focus();
  await page.keyboard.press('Enter');
  const decided = page.getByRole('article', { name: 'Ada, 6 Jul 2026' });
  await decided.getByRole('button', { name: 'Who decided' }).focus();
  await page.keyboard.press('Enter');
  await decided.getByText(/^approved .* by one@example.com: “Bob stands in.”$/).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the queue is decided by keys, one request after the other', async () => {
  const own = await api.organisation();
  const people = new PeopleActions(own);
  const category = { label: 'Leave', deducts_balance: false, requires_approval: true };
  const category_id = await own.client.make('/time-off/categories', category);
  const ids: string[] = [];
  for (const [first_name, start_date] of [
    ['Ann', '2026-07-06'],
    ['Ben', '2026-07-07'],
    ['Cid', '2026-07-08'],
  ] as const) {
    const { id: person_id } = await people.create({ first_name, start_date: '2020-01-01' });
    const days = { start_date, end_date: '2026-07-08' };
    ids.push(await own.client.make('/time-off', { person_id, category_id, ...days }));
  }
  const { context, page, troubles } = await signInByLink(browser, api, own.row.id, 'hr', { email: 'five@example.com' });
  await openScreen(page, `${api.url}/console/time-off?view=requests`, 'Who is out');
  const decidable = async (name: string): Promise<void> =>
    page
      .getByRole('button', { name: new RegExp(`^Approve ${name}`) })
      .and(page.locator(':enabled'))
      .waitFor();
  const hasFocus = async (name: string): Promise<void> =>
    page.locator('article:focus', { hasText: name }).first().waitFor();
  await decidable('Ann');
  await page.getByRole('article', { name: /^Ann/ }).focus();
  await page.keyboard.press('ArrowDown');
  await hasFocus('Ben');
  await decidable('Ben');
  await page.keyboard.press('r');
  await hasFocus('Cid');
  await decidable('Cid');
  await page.keyboard.press('n');
  await page.keyboard.type('Rest well.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await hasFocus('Ann');
  const statuses = await Promise.all(
    ids.map(async (id) => dataOf(200, await own.client.get<{ status_code: string }>(`/time-off/${id}`)).status_code),
  );
  expect(statuses).toEqual(['pending', 'rejected', 'approved']);
  expect(troubles).toEqual([]);
  await context.close();
});

describe('the calendar of a team', () => {
  let own: TestOrganisation;
  let unit: string;
  const records = async () =>
    dataOf(200, await own.client.get<readonly Record<string, unknown>[]>('/time-off')).map(
      ({ start_date, end_date, status_code }) => [start_date, end_date, status_code],
    );

  beforeEach(async () => {
    own = await api.organisation();
    unit = await own.client.make('/org-units', { name: 'Packing' });
    await new PeopleActions(own).create({ first_name: 'Gil', start_date: '2020-01-01', department_id: unit });
    await own.client.make('/time-off/categories', { label: 'Leave', deducts_balance: false, requires_approval: true });
  });

  it('takes a request by a stroke of the mouse, moves it by another one, and cancels it', async () => {
    const { context, page, troubles } = await signInByLink(browser, api, own.row.id, 'hr', { email: newEmail() });
    await openScreen(page, `${api.url}/console/time-off?month=2026-07&everyone=true&department=${unit}`, 'Who is out');
    const centre = async (day: string): Promise<readonly [number, number]> => {
      const box = (await page.locator(`[data-cell$=" ${day}"]`).boundingBox())!;
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const drag = async (from: string, to: string): Promise<void> => {
      await page.mouse.move(...(await centre(from)));
      await page.mouse.down();
      await page.mouse.move(...(await centre(to)), { steps: 10 });
      await page.mouse.up();
    };
    await page.getByRole('grid', { name: 'Who is out in July 2026' }).waitFor();
    await drag('2026-07-06', '2026-07-12');
    await page.getByRole('dialog', { name: 'Request time off for Gil' }).waitFor();
    await page.getByLabel('Category').selectOption({ label: 'Leave' });
    await page.getByText('5 days (40 h)').waitFor();
    await page.getByText('Not counted: 11 Jul 2026 (day off), 12 Jul 2026 (day off)').waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send the request' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('img', { name: 'Leave, pending' }).first().waitFor();
    await drag('2026-07-07', '2026-07-14');
    await page.getByRole('dialog', { name: 'Change time off of Gil' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'First day' }).inputValue()).toBe('2026-07-13');
    await page.getByRole('button', { name: 'Change', exact: true }).and(page.locator(':enabled')).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await records()).toEqual([['2026-07-13', '2026-07-19', 'pending']]);
    await page.mouse.click(...(await centre('2026-07-13')));
    await page.getByRole('button', { name: 'Cancel the time off…' }).click();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel the time off', exact: true }).click();
    await page.getByRole('gridcell', { name: '13 Jul 2026: free' }).waitFor();
    expect(await records()).toEqual([['2026-07-13', '2026-07-19', 'cancelled']]);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('keeps what another user changes while its form is open, and sends only the own changes', async () => {
    const [person] = dataOf(200, await own.client.get<readonly { id: string }[]>('/people?q=gil'));
    const [leave] = dataOf(200, await own.client.get<readonly { id: string }[]>('/time-off/categories?limit=1'));
    const sick = await own.client.make('/time-off/categories', { label: 'Sick leave', deducts_balance: false });
    const days = { start_date: '2026-07-06', end_date: '2026-07-07' };
    const id = await own.client.make('/time-off', { person_id: person!.id, category_id: leave!.id, ...days });
    const { context, page } = await signInByLink(browser, api, own.row.id, 'hr', { email: newEmail() });
    await openScreen(page, `${api.url}/console/time-off?month=2026-07`, 'Who is out');
    await page.getByRole('img', { name: 'Leave, pending' }).first().click();
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByRole('textbox', { name: 'Last day' }).fill('2026-07-08');
    await page.getByText('3 days (24 h)').waitFor();
    dataOf(200, await own.client.patch(`/time-off/${id}`, { category_id: sick }));
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByRole('row', { name: 'Category Leave Sick leave' }).waitFor();
    await page.getByRole('button', { name: 'Change', exact: true }).and(page.locator(':enabled')).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const changed = dataOf(200, await own.client.get<object>(`/time-off/${id}`));
    expect(changed).toMatchObject({ category: { id: sick }, end_date: '2026-07-08' });
    await context.close();
  });

  it('takes a request by keys, of half a day at its end too', async () => {
    const { context, page, troubles } = await signInByLink(browser, api, own.row.id, 'hr', { email: newEmail() });
    await openScreen(page, `${api.url}/console/time-off?month=2026-07&everyone=true&department=${unit}`, 'Who is out');
    await page.getByRole('gridcell', { name: '1 Jul 2026: free', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Request time off for Gil' }).waitFor();
    await page.getByLabel('Category').selectOption({ label: 'Leave' });
    await page.getByLabel('The last day ends').selectOption({ label: 'At midday' });
    await page.getByText('1.5 days (12 h)').waitFor();
    await page.getByRole('button', { name: 'Send the request' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('img', { name: 'Leave, pending, Morning' }).waitFor();
    expect(await records()).toEqual([['2026-07-01', '2026-07-02', 'pending']]);

    const sick = await own.client.make('/time-off/categories', { label: 'Sick leave', deducts_balance: false });
    const [gil] = dataOf(200, await own.client.get<readonly { id: string }[]>('/people?q=gil'));
    const afternoon = { start_date: '2026-07-02', end_date: '2026-07-02', start_day_part: 'afternoon' };
    const both = { ...afternoon, end_day_part: 'afternoon', person_id: gil!.id, category_id: sick };
    await own.client.make('/time-off', both);
    await page.reload();
    await page.getByRole('button', { name: /^Sick leave, .*, Afternoon$/ }).waitFor();
    await page.locator('[data-cell$=" 2026-07-01"]').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('dialog').getByText('Sick leave, 2 Jul 2026').waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });
});

it('a request that was changed since it was shown is not decided unseen', async () => {
  const other = await api.organisation();
  const { id: person_id } = await new PeopleActions(other).create({
    first_name: 'Eve',
    start_date: '2020-01-01',
  });
  const category = { label: 'Leave', deducts_balance: false, requires_approval: true };
  const category_id = await other.client.make('/time-off/categories', category);
  const requested = { person_id, category_id, start_date: '2026-07-06', end_date: '2026-07-08' };
  const id = await other.client.make('/time-off', requested);
  const { context, page } = await signInByLink(browser, api, other.row.id, 'hr', { email: 'four@example.com' });
  await openScreen(page, `${api.url}/console/time-off?view=requests`, 'Who is out');
  const approve = page.getByRole('button', { name: /^Approve Eve/ });
  await approve.and(page.locator(':enabled')).waitFor();
  dataOf(200, await other.client.patch(`/time-off/${id}`, { end_date: '2026-07-31' }));
  await approve.click();
  await page.getByText('Another user has changed or decided this request.').waitFor();
  expect(dataOf(200, await other.client.get<{ status_code: string }>(`/time-off/${id}`)).status_code).toBe('pending');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(/6 Jul 2026 to 31 Jul 2026/).waitFor();
  await approve.and(page.locator(':enabled')).click();
  await page.getByText('Nothing waits for a decision').waitFor();
  expect(dataOf(200, await other.client.get<{ status_code: string }>(`/time-off/${id}`)).status_code).toBe('approved');
  await context.close();
});

it.each([true, false])(
  'a request shows what it leaves, where the organisation counts what waits: %s',
  async (pendingCounts) => {
    const other = await api.organisation();
    const { id: person_id } = await new PeopleActions(other).create({
      first_name: 'Fay',
      start_date: '2020-01-01',
    });
    const category = {
      label: 'Leave',
      deducts_balance: true,
      requires_approval: true,
      annual_allowance_minutes: 9_000,
    };
    const category_id = await other.client.make('/time-off/categories', category);
    const balanceOf = async (): Promise<number> => {
      const answer = await other.client.get<{ balances: readonly { available: number }[] }>(
        `/people/${person_id}/time-off-balance`,
      );
      return dataOf(200, answer).balances[0]!.available;
    };
    const before = await balanceOf();
    dataOf(200, await other.client.patch('/time-off/settings', { pending_counts: pendingCounts }));
    const year = new Date().getUTCFullYear();
    const requested = { person_id, category_id, start_date: `${year}-06-01`, end_date: `${year}-06-07` };
    const { total_minutes: minutes } = dataOf(
      201,
      await other.client.post<{ total_minutes: number }>('/time-off', requested),
    );
    expect(await balanceOf()).toBe(pendingCounts ? before - minutes : before);
    const { context, page } = await signInByLink(browser, api, other.row.id, 'hr', {
      email: `fay-${pendingCounts}@example.com`,
    });
    await openScreen(page, `${api.url}/console/time-off?view=requests`, 'Who is out');
    const hours = (of: number): string => `\\(${Number((of / 60).toFixed(1))}\\sh\\)`;
    await page
      .getByText(new RegExp(`^Available before .* ${hours(before)}, after .* ${hours(before - minutes)}$`))
      .waitFor();
    await context.close();
  },
);

it('the balances of everybody are shown and saved, of a unit too', async () => {
  const other = await api.organisation();
  const people = new PeopleActions(other);
  await people.create({ first_name: 'Carol', start_date: '2020-01-01' });
  await people.create({ first_name: 'Dan', start_date: '2020-01-01', department_id: other.references.department_id });
  const category = { label: 'Leave', deducts_balance: true, annual_allowance_minutes: 9_000 };
  dataOf(201, await other.client.post('/time-off/categories', category));
  const { context, page, troubles } = await signInByLink(browser, api, other.row.id, 'hr', {
    email: 'three@example.com',
  });
  await openScreen(page, `${api.url}/console/time-off?view=balances`, 'Who is out');
  await page.getByRole('row', { name: /^Carol .* h/ }).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^balances-\d{4}-\d\d-\d\d\.csv$/);
  await openScreen(
    page,
    `${api.url}/console/time-off?view=balances&department=${other.references.department_id}`,
    'Who is out',
  );
  await page.getByRole('row', { name: /^Dan/ }).waitFor();
  expect(await page.getByRole('row', { name: /^Carol/ }).count()).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the day moves people in the org chart, and the address holds what is open', async () => {
  const { context, page } = await signInByLink(browser, api, of.row.id, 'viewer', { email: 'two@example.com' });
  await openScreen(page, `${api.url}/console/org-chart?as_of=2021-01-01`, 'Org chart');
  await page.getByText('1 person on 1 January 2021').waitFor();
  await page.getByRole('button', { name: 'Shipping' }).click();
  await page.getByRole('link', { name: 'Ada' }).waitFor();
  expect(await page.getByRole('link', { name: 'Bob' }).count()).toBe(0);
  expect(new URL(page.url()).searchParams.get('open')).toMatch(/^org_unit_/);
  await page.getByRole('textbox', { name: 'As of' }).fill('2024-06-01');
  await page.getByRole('link', { name: 'Bob' }).waitFor();
  await context.close();
});
