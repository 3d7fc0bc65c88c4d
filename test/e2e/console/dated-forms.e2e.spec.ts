import type { Browser, Page } from 'playwright-core';
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
  people = new PeopleActions(of);
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

it('a name that somebody else changed meanwhile is shown, and what stands in the form then is sent', async () => {
  const { id } = await people.create({ first_name: 'Cleo', last_name: 'Old' });
  await page.goto(`${api.url}/console/people/${id}?edit=identity`);
  await page.getByRole('textbox', { name: 'First name' }).fill('Cleopatra');
  await people.identity(id, { last_name: 'New' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Another user has changed this record').waitFor();
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
  await page.getByRole('button', { name: 'Edit: Identity' }).click();
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

it('a form keeps what was typed through a reload and Escape, until the user cancels or sends it', async () => {
  const { id } = await people.create({ first_name: 'Fay', start_date: '2024-01-01', job_title: 'Clerk' });
  await open(id, 'change');
  await title().fill('Lead');
  await changesWith('Lead');
  await page.reload();
  await page.getByText('This form has what you typed before.').waitFor();
  await changesWith('Lead');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await open(id, 'change');
  expect(await title().inputValue()).toBe('Lead');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await open(id, 'change');
  expect(await title().inputValue()).toBe('Clerk');
});

it('a picture shows the two times before a change is sent, and Undo withdraws the change', async () => {
  const { id } = await people.create({ first_name: 'Fritz', start_date: '2024-01-01', job_title: 'Clerk' });
  await open(id, 'change');
  await title().fill('Lead');
  await page.getByRole('img', { name: /^Answers change for days from / }).waitFor();
  await page.getByRole('button', { name: 'Change terms' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('It is undone: the fact is withdrawn.').waitFor();
  expect((await people.facts(id)).map(({ action }) => action)).toEqual(['start', 'change', 'correction']);
  expect(await people.person(id)).toMatchObject({ job_title: 'Clerk' });
});
