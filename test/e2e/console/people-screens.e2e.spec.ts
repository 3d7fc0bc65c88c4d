import type { Browser } from 'playwright-core';
import { eventually } from '../../contract/event-store.support.js';
import { dataOf } from '../../support/api/http-client.js';
import { PeopleActions } from '../../support/api/people.js';
import type { Person } from '../../support/api/shapes.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { openScreen, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let people: PeopleActions;
let browser: Browser;
let nadia: Person;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation();
  people = new PeopleActions(of);
  nadia = await people.create({
    first_name: 'Nadia',
    last_name: 'Rahman',
    start_date: '2024-01-01',
    job_title: 'Engineer',
  });
  await people.create({ first_name: 'Omar', last_name: 'Said', start_date: '2024-02-01', manager_id: nadia.id });
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

let count = 0;
const email = (): string => `user-${(count += 1)}@example.com`;

it('the directory finds people while one types, and its address shows a colleague the same', async () => {
  const { context, page } = await signInByLink(browser, api, of.row.id, 'viewer', { email: email() });
  await page.getByRole('link', { name: 'Omar Said' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('nad');
  await page.getByRole('link', { name: 'Omar Said' }).waitFor({ state: 'detached' });
  await page.waitForURL(/\?q=nad$/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Nadia Rahman' }).waitFor();
  // A viewer reads and records nothing.
  expect(await page.getByRole('button', { name: 'Record' }).count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'Personal profile' }).count()).toBe(0);
  await page.goto(`${api.url}/console/people?as_of=2024-01-15`);
  await page.getByText('1 person worked here on 15 January 2024').waitFor();
  await page.getByRole('link', { name: 'Nadia Rahman' }).waitFor();
  await context.close();
});

it('by keyboard alone somebody is hired, their terms are corrected, and the correction is seen in both times', async () => {
  const { context, page, troubles } = await signInByLink(browser, api, of.row.id, 'hr', { email: email() });
  const stepTo = async (
    name: string,
    role: 'textbox' | 'button' | 'link' | 'menuitem' | 'slider',
    key: string,
  ): Promise<void> => {
    const target = page.getByRole(role, { name, exact: true });
    await target.waitFor();
    for (let step = 0; step < 60; step += 1) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      await page.keyboard.press(key);
    }
    throw new Error(`${key} does not lead to ${name}`);
  };
  const tabTo = (name: string, role: 'textbox' | 'button' | 'link' | 'slider'): Promise<void> =>
    stepTo(name, role, 'Tab');
  await tabTo('Hire', 'link');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Hire a person' }).waitFor();
  await tabTo('Work e-mail', 'textbox');
  await page.keyboard.type('grace@example.com');
  await tabTo('First name', 'textbox');
  await page.keyboard.type('Grace');
  await tabTo('Job title', 'textbox');
  await page.keyboard.type('Analyst');
  await tabTo('Hire', 'button');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Grace', exact: true }).waitFor();
  await tabTo('Record', 'button');
  await page.keyboard.press('Enter');
  await stepTo('Correct history…', 'menuitem', 'ArrowDown');
  await page.keyboard.press('Enter');
  await tabTo('Job title', 'textbox');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Actuary');
  await page.getByRole('table', { name: 'Before and after' }).getByText('Actuary').waitFor();
  await tabTo('Reason', 'textbox');
  await page.keyboard.type('She was hired as an actuary.');
  await tabTo('Record the correction', 'button');
  await page.keyboard.press('Enter');
  await page.getByText('The correction is recorded.').waitFor();
  await page.getByRole('table', { name: 'Terms today' }).getByText('Actuary').waitFor();
  await tabTo('Timeline', 'link');
  await page.keyboard.press('Enter');
  await page.getByText('She was hired as an actuary.').first().waitFor();
  // One step back in knowledge, the day stays.
  await tabTo('Known at', 'slider');
  await page.keyboard.press('Home');
  await page.getByText('now believed: Actuary').waitFor();
  await page.keyboard.press('End');
  await page.getByText('now believed: Actuary').waitFor({ state: 'detached' });
  expect(troubles.filter((trouble) => !trouble.includes('404'))).toEqual([]);
  await context.close();
});

it('who loses a race sees what the other changed, and loses nothing that was typed', async () => {
  const one = await signInByLink(browser, api, of.row.id, 'hr', { email: email() });
  const other = await signInByLink(browser, api, of.row.id, 'hr', { email: email() });
  const raced = await people.create({ first_name: 'Ravi', start_date: '2024-01-01', job_title: 'Clerk' });
  for (const { page } of [one, other]) {
    await page.goto(`${api.url}/console/people/${raced.id}?form=change`);
    await page.getByRole('textbox', { name: 'Job title' }).waitFor();
  }
  await other.page.getByLabel('Weekly hours').fill('20');
  await other.page.getByRole('table', { name: 'Before and after' }).getByText('20 h').waitFor();
  await one.page.getByRole('textbox', { name: 'Job title' }).fill('Senior clerk');
  await one.page.getByRole('button', { name: 'Change terms' }).click();
  await one.page.getByText('The terms are changed.').waitFor();
  await other.page.getByRole('button', { name: 'Change terms' }).click();
  await other.page.getByText('Another user has changed this record').waitFor();
  const difference = other.page.getByRole('table', { name: 'Changes by another user' }).getByRole('row');
  expect(await difference.allInnerTexts()).toEqual([expect.stringMatching(/Job title\s+Clerk\s+Senior clerk/)]);
  expect(await other.page.getByLabel('Weekly hours').inputValue()).toBe('20');
  // The form stands on the other's change, and what was typed can still be changed: its button sends what is
  // shown.
  expect(await other.page.getByRole('textbox', { name: 'Job title' }).inputValue()).toBe('Senior clerk');
  await other.page.getByLabel('Weekly hours').fill('25');
  await other.page.getByRole('table', { name: 'Before and after' }).getByText('25 h').waitFor();
  await other.page.getByRole('button', { name: 'Change terms' }).click();
  await other.page.getByText('The terms are changed.').waitFor();
  const { data } = (await of.client.get<Person>(`/people/${raced.id}`)).json;
  expect(data).toMatchObject({ job_title: 'Senior clerk', contracted_weekly_minutes: 1_500 });
  for (const { context } of [one, other]) await context.close();
});

it('a session that ends while a screen is open leads to the sign-in', async () => {
  const { context, page } = await signInByLink(browser, api, of.row.id, 'hr', { email: email() });
  await context.clearCookies();
  await page.goto(`${api.url}/console/people/${nadia.id}`);
  await page.getByText('Open the link that you were given').waitFor();
  expect(dataOf(200, await of.client.get<Person>(`/people/${nadia.id}`)).id).toBe(nadia.id);
  await context.close();
});

it('a role that is taken away while a screen is open records and shows nothing more, and neither does a session that was ended', async () => {
  const address = email();
  const { context, page } = await signInByLink(browser, api, of.row.id, 'hr', { email: address });
  await openScreen(page, `${api.url}/console/people/${nadia.id}?form=end`, 'Nadia Rahman');
  await page.getByRole('table', { name: 'Before and after' }).waitFor();
  const users = dataOf(200, await of.client.get<readonly { id: string; email: string }[]>('/users', { limit: 200 }));
  const { id } = users.find((one) => one.email === address)!;
  dataOf(200, await of.client.patch(`/users/${id}`, { role: 'viewer' }));
  const roleOf = async (): Promise<string> => {
    const answer = await page.request.get(`${api.url}/console/session`);
    return ((await answer.json()) as { data: { role: string } }).data.role;
  };
  await eventually(async () => (await roleOf()) === 'viewer');
  await page.getByRole('button', { name: 'End employment' }).click();
  await page.getByRole('alert').getByText('scope').first().waitFor();
  expect(await people.person(nadia.id)).toMatchObject({ end_date: null });
  await openScreen(page, `${api.url}/console/people/${nadia.id}`, 'Nadia Rahman');
  expect(await page.getByRole('button', { name: 'Record' }).count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'Personal profile' }).count()).toBe(0);
  expect((await of.client.send('DELETE', `/users/${id}/sessions`)).status).toBe(204);
  await page.goto(`${api.url}/console/people`);
  await page.getByText('Open the link that you were given').waitFor();
  await context.close();
});
