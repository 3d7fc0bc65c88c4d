import type { Browser } from 'playwright-core';
import { workingPatternTable } from '#organisation/working-pattern/working-pattern.js';
import { timeOffCategoryTable } from '#time-off/category/time-off-category.js';
import { readTimeOffSettings } from '#time-off/settings/time-off-settings.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, isTooWide, openScreen, signInByLink } from '../../support/console.js';
import { PeopleActions } from '../../support/api/people.js';
import { newOrganisation, TestApi } from '../../support/api/test-api.js';

let api: TestApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

/** An empty organisation, and the window of a user of its HR team at a part of the settings. */
async function opened(part: string, heading: string) {
  const organisation = await newOrganisation(api.services);
  const window = await signInByLink(browser, api, organisation.id, 'hr');
  await openScreen(window.page, `${api.url}/console/settings/${part}`, heading);
  return { ...window, organisationId: organisation.id };
}

it('a week is painted with the mouse, and another one with keys alone', async () => {
  const { context, page, troubles, organisationId } = await opened('working-patterns', 'Working patterns');
  await page.getByRole('button', { name: 'Add a pattern…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Mornings');
  const cell = (name: string) => page.getByRole('gridcell', { name: new RegExp(`^${name}:`) });
  const [first, last] = [await cell('Monday, Morning').boundingBox(), await cell('Friday, Morning').boundingBox()];
  await page.mouse.move(first!.x + 10, first!.y + 10);
  await page.mouse.down();
  await page.mouse.move(last!.x + 10, last!.y + 10, { steps: 20 });
  await page.mouse.up();
  await page.getByText('20 h a week').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Copy Mornings' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('With Monday afternoon');
  await cell('Monday, Morning').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('3');
  await page.keyboard.press('+');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByRole('gridcell', { name: 'Tuesday, Afternoon: 3.25 h' }).waitFor();
  await page.keyboard.press('Delete');
  await page.getByText('23.25 h a week').waitFor();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('cell', { name: '23.25 h' }).waitFor();
  const patterns = await workingPatternTable.list(api.services.executor, organisationId);
  expect(patterns.map(({ label, weekly_minutes, days }) => [label, weekly_minutes, days[0]])).toEqual([
    ['Mornings', 1_200, { week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 0 }],
    ['With Monday afternoon', 1_395, { week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 195 }],
  ]);
  await page.getByRole('button', { name: 'Archive Mornings' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Archive Mornings' }).waitFor({ state: 'detached' });
  expect(troubles).toEqual([]);
  await context.close();
});

it('a category is made and changed, after a look at a year of one person, and so is the policy', async () => {
  const own = await api.organisation();
  const { id } = await new PeopleActions(own).create({ start_date: '2024-01-01' });
  const name = (await own.client.get<{ display_name: string }>(`/people/${id}`)).json.data.display_name;
  const { context, page, troubles } = await signInByLink(browser, api, own.row.id, 'hr');
  await openScreen(page, `${api.url}/console/settings/time-off-categories`, 'Time-off categories');
  await page.getByRole('button', { name: 'Add a category…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Annual leave');
  await page.reload();
  await page.getByRole('button', { name: 'Add a category…' }).click();
  await page.getByText('This form has what you typed before.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Annual leave');
  await page.getByRole('textbox', { name: 'Allowance for a whole year' }).fill('200');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('row', { name: /^Annual leave 200 h yes yes/ }).waitFor();

  await openScreen(page, `${api.url}/console/settings/time-off-policy`, 'Time-off policy');
  await page.getByRole('combobox', { name: 'Person' }).click();
  await page.getByRole('option', { name }).click();
  await page.getByText(/, unchanged$/).waitFor();
  await page.getByRole('combobox', { name: 'Allowances are earned' }).click();
  await page.getByRole('option', { name: 'A twelfth on the first of each month' }).click();
  await page.getByText('Numbers', { exact: true }).click();
  const year = new Date().getUTCFullYear() + 1;
  // In days where the length of the person's day is known.
  await page
    .getByRole('table', { name: 'Balance of Annual leave' })
    .getByRole('row', { name: new RegExp(`^31 Mar ${year} .* (50 h|6\\.25 d) `) })
    .first()
    .waitFor();
  expect((await readTimeOffSettings(api.services.executor, own.row.id)).accrual_method).toBe('fixed_yearly');
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  expect((await readTimeOffSettings(api.services.executor, own.row.id)).accrual_method).toBe('monthly');
  const [category] = await timeOffCategoryTable.list(api.services.executor, own.row.id);
  expect(category).toMatchObject({ label: 'Annual leave', annual_allowance_minutes: 12_000 });
  expect(troubles).toEqual([]);
  await context.close();
});

it('HR sees the parts that it may change, and no others', async () => {
  const { context, page } = await opened('working-patterns', 'Working patterns');
  const parts = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  expect(await parts.allInnerTexts()).toEqual([
    'Org units',
    'Working patterns',
    'Time-off categories',
    'Time-off policy',
    'Public holidays',
  ]);
  await page.goto(`${api.url}/console/settings/custom-fields`);
  await page.getByRole('heading', { name: 'Your role does not let you see these settings.' }).waitFor();
  await context.close();
});

it.each(['light', 'dark'] as const)(
  'axe finds nothing at 360 pixels in %s, and nothing is too wide',
  async (colorScheme) => {
    const own = await api.organisation();
    const { context, page } = await signInByLink(browser, api, own.row.id, 'hr', { colorScheme, width: 360 });
    for (const [part, heading] of [
      ['working-patterns', 'Working patterns'],
      ['time-off-categories', 'Time-off categories'],
      ['time-off-policy', 'Time-off policy'],
      ['holidays', 'Public holidays'],
    ] as const) {
      await openScreen(page, `${api.url}/console/settings/${part}`, heading);
      expect([part, await findingsOf(page)]).toEqual([part, []]);
      expect([part, await isTooWide(page)]).toEqual([part, false]);
    }
    await openScreen(page, `${api.url}/console/settings/working-patterns`, 'Working patterns');
    await page.getByRole('button', { name: 'Edit Weekdays' }).click();
    await page.getByRole('grid', { name: 'Hours of each half day' }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await context.close();
  },
);
