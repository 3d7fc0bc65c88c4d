import type { Browser, Page } from 'playwright-core';
import type { RoleByRelation } from '#kernel/roles.js';
import { changeUser } from '../../support/access.js';
import { invited } from '../../support/api/browser-session.js';
import { dataOf } from '../../support/api/http-client.js';
import { newEmail } from '../../support/api/people.js';
import type { Schemas } from '../../support/api/shapes.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { startBrowser } from '../../support/browser.js';
import { testContext } from '../../support/command-services.js';
import { findingsOf, isTooWide, openScreen, signInByLink } from '../../support/console.js';

const TODAY = '2026-06-15';
/** Of the organisation's working pattern. */
const DAY = 450;

let api: TestApi;
let of: TestOrganisation;
let timeOff: TimeOffActions;
let browser: Browser;
let ada: string;
let vera: string;

beforeAll(async () => {
  const clock = { now: () => new Date(`${TODAY}T12:00:00Z`) };
  [api, browser] = await Promise.all([TestApi.start({ clock }), startBrowser()]);
  of = await api.organisation({ timeZone: 'UTC' });
  timeOff = new TimeOffActions(api, of);
  const leave = await timeOff.category({ label: 'Leave', annual_allowance_minutes: 28 * DAY });
  vera = await timeOff.person({ first_name: 'Vera', last_name: 'Head' });
  ada = await timeOff.person({ first_name: 'Ada', last_name: 'Bird', start_date: '2026-01-01', manager_id: vera });
  const days = { person_id: ada, category_id: leave };
  const taken = await timeOff.create({ ...days, start_date: '2026-05-11', end_date: '2026-05-15' });
  await timeOff.do(taken.id, 'approve');
  await timeOff.create({ ...days, start_date: '2026-11-02', end_date: '2026-11-03' });
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

const open = (page: Page, query = `as_of=${TODAY}`, person = ada, name = 'Ada Bird') =>
  openScreen(page, `${api.url}/console/people/${person}/balance?${query}`, `Balance of ${name}`);
/** The amounts of a category by their names, as they are shown. */
const sumOf = (page: Page, category = 'Leave'): Promise<Readonly<Record<string, string>>> =>
  page
    .getByRole('region', { name: category })
    .getByRole('row')
    .evaluateAll((rows) =>
      Object.fromEntries(
        (rows as unknown as { querySelector: (selector: string) => { textContent: string } | null }[]).map((row) => [
          row.querySelector('th')?.textContent ?? '',
          (row.querySelector('td')?.textContent ?? '').replaceAll('\u00A0', ' '),
        ]),
      ),
    );
async function available(asOf = TODAY): Promise<number> {
  const read = await of.client.get<Schemas['BalanceResponse']>(`/people/${ada}/time-off-balance`, { as_of: asOf });
  return dataOf(200, read).balances.find(({ category }) => category.label === 'Leave')!.available;
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('shows the sum of a day, why each amount is what it is, and adjusts it by keyboard', async () => {
    const { page, context, troubles } = await signInByLink(browser, api, of.row.id, 'hr', {
      colorScheme,
      email: newEmail(),
    });
    await open(page);
    expect(await sumOf(page)).toMatchObject({
      'Earned so far': '+28 days (210 h)',
      Taken: '−5 days (37.5 h)',
      Remaining: '23 days (172.5 h)',
      'Waiting for a decision': '−2 days (15 h)',
      Available: '21 days (157.5 h)',
    });
    await page.getByRole('button', { name: 'Why: Earned so far, Leave' }).focus();
    await page.keyboard.press('Enter');
    const earned = page.getByRole('list', { name: 'Lines of Earned so far, Leave' });
    await earned.getByText('The yearly allowance of 28 days (210 h)').waitFor();
    await earned.getByRole('link', { name: 'employed since 1 Jan 2026' }).waitFor();
    await page.getByRole('button', { name: 'Why: Taken, Leave' }).click();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole('button', { name: '11 May 2026 to 15 May 2026, approved' }).click();
    await page
      .getByRole('dialog')
      .getByRole('heading', { name: /Ada Bird/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Adjust Leave' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Deduct').click();
    await dialog.getByLabel('Amount').fill('2');
    await dialog.getByLabel('Effective on').fill('2026-03-02');
    await dialog.getByLabel('Reason').selectOption({ label: 'payout' });
    await dialog.getByText(/^Available at the end of 2 Mar 2026: 2[68].* before, 2[46].* after\.$/).waitFor();
    expect(await findingsOf(page)).toEqual([]);
    const before = await available();
    await dialog.getByRole('button', { name: 'Record the adjustment' }).press('Enter');
    await page.getByText('The adjustment is recorded.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await available()).toBe(before - 2 * DAY);

    await page.getByRole('button', { name: 'Why: Adjustments, Leave' }).click();
    const adjusted = page.getByRole('list', { name: 'Lines of Adjustments, Leave' });
    await adjusted.getByRole('button', { name: /^Reverse −2/ }).press('Enter');
    await dialog.getByText(/Its opposite of \+2.days/).waitFor();
    await dialog.getByRole('button', { name: 'Reverse', exact: true }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await adjusted
      .getByText(/reverses another adjustment/)
      .first()
      .waitFor();
    expect(await adjusted.getByRole('button', { name: /^Reverse/ }).count()).toBe(0);
    expect(await available()).toBe(before);
    expect(troubles).toEqual([]);
    await context.close();
  });
});

it('shows the balance of any day, keeps the day in the address, and says why an adjustment is refused', async () => {
  const { page, context } = await signInByLink(browser, api, of.row.id, 'hr', { email: newEmail() });
  await open(page, 'as_of=2025-12-31');
  await page.getByText('Not employed yet on 31 December 2025').waitFor();
  await page.getByLabel('At the end of', { exact: true }).fill('2027-01-01');
  await page.getByText('Leave year from 1 Jan 2027 to 31 Dec 2027').waitFor();
  expect(new URL(page.url()).searchParams.get('as_of')).toBe('2027-01-01');
  await page.getByRole('button', { name: 'Adjust Leave' }).click();
  await page.getByLabel('Amount').fill('1');
  await page.getByLabel('Effective on').fill('2025-06-01');
  await page.getByRole('alert').getByText('the person is not employed on 2025-06-01 yet').waitFor();
  expect(await page.getByRole('button', { name: 'Record the adjustment' }).isDisabled()).toBe(true);
  await context.close();
});

it.each<[RoleByRelation, string, string]>([
  ['employee', 'ada', 'My page'],
  ['manager', 'vera', 'My team'],
])('an %s reads it from the own pages, without adjustments, at 360 pixels', async (role, name, heading) => {
  const email = `${name}@users.example`;
  const { user } = await invited(api, of.row.id, role, { email });
  const personId = name === 'ada' ? ada : vera;
  await changeUser(api.services, testContext(of.row.id), user.id, { type: 'link', personId });
  const { page, context, troubles } = await signInByLink(browser, api, of.row.id, role, { email, width: 360 });
  await openScreen(page, `${api.url}/console/${role === 'employee' ? 'me' : 'my-team'}`, heading);
  await page
    .getByRole('link', { name: role === 'employee' ? 'Balance on any day, and why' : 'Balance' })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Balance of Ada Bird' }).waitFor();
  await page.getByLabel('At the end of', { exact: true }).fill(TODAY);
  await page.getByRole('button', { name: 'Why: Taken, Leave' }).click();
  await page.getByRole('button', { name: '11 May 2026 to 15 May 2026, approved' }).waitFor();
  expect(await page.getByRole('button', { name: 'Adjust Leave' }).count()).toBe(0);
  expect(await isTooWide(page)).toBe(false);
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('link', { name: role === 'employee' ? 'To my page' : 'To my team' }).click();
  await page.getByRole('heading', { name: heading }).waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('says what an organisation without categories lacks', async () => {
  const empty = await api.organisation();
  const person = (await new TimeOffActions(api, empty).people.create({ first_name: 'Kim', last_name: 'One' })).id;
  const { page, context } = await signInByLink(browser, api, empty.row.id, 'hr', { email: newEmail() });
  await open(page, '', person, 'Kim One');
  await page.getByText('No balance on this day').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await context.close();
});
