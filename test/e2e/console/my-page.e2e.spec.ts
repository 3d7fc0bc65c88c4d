import type { Browser } from 'playwright-core';
import { addDays } from '#kernel/dates.js';
import type { RoleByRelation } from '#kernel/roles.js';
import { changeUser } from '../../support/access.js';
import { invited } from '../../support/api/browser-session.js';
import { dataOf } from '../../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { startBrowser } from '../../support/browser.js';
import { testContext } from '../../support/command-services.js';
import { chooseLanguage, findingsOf, openScreen, signInByLink, type WindowOptions } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let timeOff: TimeOffActions;
let browser: Browser;
let vera: string;
let ada: string;
let category: string;
const today = new Date().toISOString().slice(0, 10);
/** The Monday of next week: some day of a week counts, whatever holidays it has. */
const monday = addDays(today, 8 - new Date().getUTCDay());

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation({ timeZone: 'UTC' });
  timeOff = new TimeOffActions(api, of);
  category = await timeOff.category({ label: 'Leave', requires_approval: true });
  vera = await timeOff.person({ first_name: 'Vera', job_title: 'Head of packing' });
  ada = await timeOff.person({ first_name: 'Ada', manager_id: vera });
  await timeOff.person({ first_name: 'Stranger' });
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

async function windowOf(role: RoleByRelation, personId: string | null, options: WindowOptions & { email: string }) {
  const { user } = await invited(api, of.row.id, role, options);
  if (personId !== null) await changeUser(api.services, testContext(of.row.id), user.id, { type: 'link', personId });
  return signInByLink(browser, api, of.row.id, role, options);
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('an employee reads the own page and requests time off, which the manager approves by keyboard', async () => {
    const employee = await windowOf('employee', ada, { colorScheme, email: 'ada@users.example' });
    await openScreen(employee.page, `${api.url}/console/me`, 'My page');
    const { page } = employee;
    expect(await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allTextContents()).toEqual([
      'My page',
      'Org chart',
    ]);
    await page.getByText('Vera', { exact: true }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Request time off' }).focus();
    await page.keyboard.press('Enter');
    const day = addDays(monday, colorScheme === 'light' ? 0 : 7);
    await page.getByLabel('Category').selectOption({ label: 'Leave' });
    await page.getByLabel('First day').last().fill(day);
    await page.getByLabel('Last day').last().fill(addDays(day, 4));
    await page.getByText('It will wait for a decision.').waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send the request' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('pending', { exact: true }).first().waitFor();
    const later = { start_date: addDays(day, 28), end_date: addDays(day, 32) };
    const { id } = await timeOff.create({ person_id: ada, category_id: category, ...later });
    await page.reload();
    await page
      .getByRole('button', { name: /^Leave, / })
      .first()
      .click();
    await page.getByRole('button', { name: 'Cancel the time off…' }).click();
    await page.getByRole('button', { name: 'Cancel the time off', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await timeOff.read(id)).status_code).toBe('cancelled');
    expect(employee.troubles).toEqual([]);
    await employee.context.close();

    const manager = await windowOf('manager', vera, { colorScheme, email: 'vera@users.example' });
    await openScreen(manager.page, `${api.url}/console/my-team`, 'My team');
    await manager.page.getByRole('listitem').filter({ hasText: 'Ada' }).getByText('Not out today').waitFor();
    expect(await manager.page.getByText('Stranger').count()).toBe(0);
    expect(await findingsOf(manager.page)).toEqual([]);
    await manager.page
      .getByRole('button', { name: /^Approve Ada/ })
      .and(manager.page.locator(':enabled'))
      .waitFor();
    await manager.page.getByRole('article', { name: /^Ada/ }).focus();
    await manager.page.keyboard.press('n');
    await manager.page.keyboard.type('Enjoy it.');
    await manager.page.keyboard.press('Escape');
    await manager.page.keyboard.press('a');
    await manager.page.getByText('Nothing waits for a decision').waitFor();
    const [record] = (await timeOff.list({ person_id: ada })).filter(({ start_date }) => start_date === day);
    expect(record?.status_code).toBe('approved');
    expect(manager.troubles).toEqual([]);
    await manager.context.close();
  });

  it('a user without a person, and a manager without reports, see nothing, and what to do', async () => {
    const nobody = await windowOf('manager', null, { colorScheme, email: 'nobody@users.example' });
    for (const [path, heading, text] of [
      ['me', 'My page', 'There is nothing to show yet'],
      ['my-team', 'My team', 'There is nothing to show yet'],
      ['org-chart', 'Org chart', 'You see no people in the chart'],
    ] as const) {
      await openScreen(nobody.page, `${api.url}/console/${path}`, heading);
      await nobody.page.getByText(text).waitFor();
      expect(await findingsOf(nobody.page)).toEqual([]);
    }
    expect(nobody.troubles).toEqual([]);
    await nobody.context.close();
    const alone = (await timeOff.people.create({ first_name: 'Solo', start_date: '2020-01-01' })).id;
    const manager = await windowOf('manager', alone, { colorScheme, email: `${colorScheme}@users.example` });
    await openScreen(manager.page, `${api.url}/console/my-team`, 'My team');
    await manager.page.getByText('No person reports to you today').waitFor();
    expect(await findingsOf(manager.page)).toEqual([]);
    await manager.context.close();
  });
});

it('a manager sees the part of the org chart with the people in sight', async () => {
  const { department_id, other_department_id } = of.references;
  for (const [first_name, unit] of [
    ['Dan', department_id],
    ['Eve', other_department_id],
  ] as const)
    await timeOff.person({ first_name, department_id: unit, ...(first_name === 'Dan' ? { manager_id: ada } : {}) });
  const { page, context, troubles } = await windowOf('manager', vera, { width: 360, email: 'vera@users.example' });
  await openScreen(page, `${api.url}/console/org-chart`, 'Org chart');
  // The closed navigation takes no focus; the burger opens it.
  const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
  expect(await links.count()).toBe(0);
  await page.getByRole('button', { name: 'Navigation' }).press('Enter');
  await links.first().waitFor();
  await page.getByRole('button', { name: 'Navigation' }).press('Enter');
  await links.first().waitFor({ state: 'hidden' });
  await page.getByText('3 people today').waitFor();
  const units = page.getByRole('list', { name: 'Org units' });
  await units.getByRole('button', { name: 'Engineering' }).waitFor();
  await units.getByRole('button', { name: 'Without a unit' }).waitFor();
  expect(await units.getByRole('button').allTextContents()).toEqual(['Engineering', 'Without a unit']);
  for (const name of ['Engineering', 'Without a unit']) await units.getByRole('button', { name }).click();
  for (const name of ['Ada', 'Dan', 'Vera']) await units.getByText(name, { exact: true }).waitFor();
  expect(await units.getByText(/Stranger|Eve/).count()).toBe(0);
  expect([await units.getByRole('link').count(), await findingsOf(page), troubles]).toEqual([0, [], []]);
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
  await context.close();
});

it('fits 360 pixels without scrolling sideways, in each language', async () => {
  const { context, page } = await windowOf('manager', vera, { width: 360, email: 'vera@users.example' });
  for (const language of ['de', 'fr', 'es', 'en'] as const) {
    await chooseLanguage(page, language);
    for (const path of ['me', 'my-team']) {
      await page.goto(`${api.url}/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      expect([language, await page.evaluate('document.documentElement.lang')]).toEqual([language, language]);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect([language, path, overflow]).toEqual([language, path, 0]);
    }
  }
  await context.close();
});

it('an administrator links a user with a person in the list of users, and unlinks them', async () => {
  const { page, context, troubles } = await signInByLink(browser, api, of.row.id, 'administrator');
  const { user } = await invited(api, of.row.id, 'employee', { email: 'kim@users.example' });
  const kim = await timeOff.people.create({ first_name: 'Kim', start_date: '2020-01-01' });
  await openScreen(page, `${api.url}/console/access?view=users`, 'Keys and users');
  const actions = page.getByRole('button', { name: 'Actions for kim@users.example' });
  await actions.click();
  await page.getByRole('menuitem', { name: 'Link with a person…' }).click();
  await page.getByRole('combobox', { name: 'Person' }).fill('Kim');
  await page.getByRole('option', { name: 'Kim', exact: true }).click();
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await page.getByRole('row', { name: /^kim@/ }).getByRole('link', { name: 'Kim' }).waitFor();
  const users = dataOf(200, await of.client.get<readonly { id: string; person_id: string | null }[]>('/users'));
  expect(users.find(({ id }) => id === user.id)?.person_id).toBe(kim.id);
  await actions.click();
  await page.getByRole('menuitem', { name: 'Unlink from the person…' }).click();
  await page.getByRole('button', { name: 'Unlink', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(troubles).toEqual([]);
  await context.close();
});

it('Ctrl+K finds the team of a manager alone, and opens the balances of who is in it', async () => {
  const { context, page } = await windowOf('manager', vera, { email: 'vera@users.example' });
  await openScreen(page, `${api.url}/console/my-team`, 'My team');
  await page.keyboard.press('Control+K');
  const field = page.getByRole('textbox', { name: 'Search people, screens and actions' });
  await field.fill('stranger');
  await page.getByText('Nothing found').waitFor();
  await field.fill('ada');
  await page.getByRole('option', { name: 'Ada' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/people/${ada}/balance`));
  await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
  await context.close();
});
