import type { Browser, Page } from 'playwright-core';
import { addDays, dateIn } from '#kernel/dates.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { type SignedInWindow, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let people: PeopleActions;
let browser: Browser;
let window: SignedInWindow;
let page: Page;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation();
  people = new PeopleActions(of.client);
  window = await signInByLink(browser, api, of.row.id, 'hr', { email: newEmail() });
});
// The tests share a window, whose pages have the program of the console in their cache.
beforeEach(async () => {
  page = await window.context.newPage();
});
afterEach(() => page.close());
afterAll(async () => {
  await browser.close();
  await api.stop();
});

const open = async (personId: string, form: string): Promise<void> => {
  await page.goto(`${api.url}/console/people/${personId}?form=${form}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor();
};
const title = () => page.getByRole('textbox', { name: 'Job title' });
const changes = () => page.getByRole('table', { name: 'Before and after' }).getByRole('row');
/** What is shown before and after, once it names the text. */
async function changesWith(text: string): Promise<readonly string[]> {
  await changes().filter({ hasText: text }).first().waitFor();
  return (await changes().allInnerTexts()).slice(1).map((row) => row.replace(/\s+/g, ' ').trim());
}
/** What is in force on a day, as the API tells it. */
async function on(personId: string, day: string): Promise<{ readonly title: unknown; readonly minutes: unknown }> {
  const { segment } = await people.timeline(personId, { as_of: day });
  return { title: segment?.job_title, minutes: segment?.contracted_weekly_minutes };
}
async function promoted(): Promise<string> {
  const { id } = await people.create({
    first_name: 'Ada',
    start_date: '2024-01-01',
    job_title: 'Clerk',
    contracted_weekly_minutes: 2_400,
  });
  await people.change(id, { start_date: '2025-01-01', job_title: 'Lead' });
  return id;
}
async function chooseFact(text: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Replaces' }).or(page.getByLabel('Replaces')).first().click();
  await page.getByRole('option', { name: text }).click();
}

it('a promotion that is corrected to another day and other hours is recorded as its form shows it', async () => {
  const id = await promoted();
  await open(id, 'correct');
  await chooseFact('change from 1 Jan 2025');
  await page.getByLabel('In force from').fill('2025-02-01');
  await page.getByLabel('Weekly hours').fill('20');
  expect(await title().inputValue()).toBe('Lead');
  // January has the former title again, and February the hours.
  expect(await changesWith('20 h')).toEqual([
    'from 1 Jan 2025 to 31 Jan 2025 Job title Lead Clerk',
    'from 1 Feb 2025 Weekly hours 40 h 20 h',
  ]);
  await page.getByLabel('Reason').fill('She began as lead in February.');
  await page.getByRole('button', { name: 'Record the correction' }).click();
  await page.getByText('The correction is recorded.').waitFor();
  expect([await on(id, '2025-01-15'), await on(id, '2025-02-01')]).toEqual([
    { title: 'Clerk', minutes: 2_400 },
    { title: 'Lead', minutes: 1_200 },
  ]);
});

it('a change that is only put off to a later day, or brought forward, can be recorded', async () => {
  for (const [day, at, expected] of [
    ['2025-03-01', '2025-02-28', 'Clerk'],
    ['2024-12-01', '2024-12-01', 'Lead'],
  ] as const) {
    const id = await promoted();
    await open(id, 'correct');
    await chooseFact('change from 1 Jan 2025');
    await page.getByLabel('In force from').fill(day);
    await changesWith('Job title');
    await page.getByLabel('Reason').fill('The letter says another day.');
    await page.getByRole('button', { name: 'Record the correction' }).click();
    await page.getByText('The correction is recorded.').last().waitFor();
    expect([await on(id, at), await on(id, '2025-03-01')]).toMatchObject([{ title: expected }, { title: 'Lead' }]);
  }
});

it('terms are changed from what is believed on the chosen day, and the form shows that', async () => {
  const id = await promoted();
  await people.change(id, { start_date: '2025-06-01', contracted_weekly_minutes: 1_800 });
  await open(id, 'change');
  expect([await title().inputValue(), await page.getByLabel('Weekly hours').inputValue()]).toEqual(['Lead', '30']);
  await page.getByLabel('From').fill('2024-06-01');
  expect([await title().inputValue(), await page.getByLabel('Weekly hours').inputValue()]).toEqual(['Clerk', '40']);
  await title().fill('Senior clerk');
  // The promotion keeps its title.
  expect(await changesWith('Senior clerk')).toEqual(['from 1 Jun 2024 to 31 Dec 2024 Job title Clerk Senior clerk']);
  await page.getByRole('button', { name: 'Change terms' }).click();
  await page.getByText('The terms are changed.').waitFor();
  expect([await on(id, '2024-06-01'), await on(id, '2025-07-01')]).toEqual([
    { title: 'Senior clerk', minutes: 2_400 },
    { title: 'Lead', minutes: 1_800 },
  ]);
});

it('an end shows the promotion that falls away, and is refused in its form before it is sent', async () => {
  const today = dateIn(of.row.time_zone, new Date());
  const { id } = await people.create({ first_name: 'Ben', start_date: '2024-01-01', job_title: 'Clerk' });
  await people.change(id, { start_date: addDays(today, 60), job_title: 'Lead' });
  await open(id, 'end');
  await page.getByLabel('Final day').fill('2023-12-31');
  await page.getByRole('alert').getByText('lies before the start').waitFor();
  expect(await page.getByRole('button', { name: 'End employment' }).isDisabled()).toBe(true);
  await page.getByLabel('Final day').fill(addDays(today, 30));
  const shown = await changesWith('Not employed');
  expect(shown.some((row) => row.includes('Employment Employed Not employed'))).toBe(true);
  expect(shown.some((row) => row.includes('Job title Lead –'))).toBe(true);
  await page.getByRole('button', { name: 'End employment' }).click();
  await page.getByText('The final day is recorded.').waitFor();
  expect(await people.person(id)).toMatchObject({ end_date: addDays(today, 30) });
});

it('a name that somebody else changed meanwhile is shown, and what stands in the form then is sent', async () => {
  const { id } = await people.create({ first_name: 'Cleo', last_name: 'Old' });
  await open(id, 'identity');
  await page.getByRole('textbox', { name: 'First name' }).fill('Cleopatra');
  await people.identity(id, { last_name: 'New' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this meanwhile').waitFor();
  expect(await page.getByRole('textbox', { name: 'Last name' }).inputValue()).toBe('New');
  await page.getByRole('textbox', { name: 'First name' }).fill('Clea');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The change is recorded.').waitFor();
  expect(await people.person(id)).toMatchObject({ first_name: 'Clea', last_name: 'New' });
});

it('what was cancelled while the line was down is not written when the line returns', async () => {
  const { id } = await people.create({ first_name: 'Dora', start_date: '2024-01-01', job_title: 'Clerk' });
  await open(id, 'end');
  await changesWith('Not employed');
  await window.context.setOffline(true);
  await page.getByRole('button', { name: 'End employment' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await window.context.setOffline(false);
  // Another write after it shows that the line is back, and that nothing was queued before it.
  await page.getByRole('button', { name: 'Record' }).click();
  await page.getByRole('menuitem', { name: 'Edit identity…' }).click();
  await page.getByRole('textbox', { name: 'Last name' }).fill('Dane');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The change is recorded.').waitFor();
  expect(await people.person(id)).toMatchObject({ last_name: 'Dane', end_date: null, status: 'active' });
});

it('what was sent while the line was down says so, keeps what was typed, and is sent once when it is sent again', async () => {
  const { id } = await people.create({ first_name: 'Emil', start_date: '2024-01-01', job_title: 'Clerk' });
  await open(id, 'change');
  await title().fill('Lead');
  await changesWith('Lead');
  await window.context.setOffline(true);
  await page.getByRole('button', { name: 'Change terms' }).click();
  await page.getByText('No connection').first().waitFor();
  expect(await title().inputValue()).toBe('Lead');
  await window.context.setOffline(false);
  await page.getByRole('button', { name: 'Change terms' }).click();
  await page.getByText('The terms are changed.').waitFor();
  expect((await people.facts(id)).map(({ action }) => action)).toEqual(['start', 'change']);
});
