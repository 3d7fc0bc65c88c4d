import ICAL from 'ical.js';
import type { Browser, Page } from 'playwright-core';
import type { Role } from '#kernel/roles.js';
import { changeUser } from '../../support/access.js';
import { invited } from '../../support/api/browser-session.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { startBrowser } from '../../support/browser.js';
import { testContext } from '../../support/command-services.js';
import {
  chooseLanguage,
  findingsOf,
  isTooWide,
  openScreen,
  signInByLink,
  type WindowOptions,
} from '../../support/console.js';

const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;

let api: TestApi;
let of: TestOrganisation;
let browser: Browser;
let ada: string;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation({ timeZone: 'UTC' });
  const { department_id } = of.references;
  ada = await new TimeOffActions(api, of).person({ first_name: 'Ada', last_name: 'Byron', department_id });
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

/** A window of a user, who is Ada where said, on the screen. */
async function windowOf(role: Role, options: WindowOptions & { email: string; isAda?: true }) {
  const { user } = await invited(api, of.row.id, role, options);
  if (options.isAda === true)
    await changeUser(api.services, testContext(of.row.id), user.id, { type: 'link', personId: ada });
  const window = await signInByLink(browser, api, of.row.id, role, options);
  await openScreen(window.page, `${api.url}/console/calendar-links`, 'Calendar links');
  return window;
}

const rows = (page: Page) => page.getByRole('list', { name: 'Calendar links' }).getByRole('listitem');

/** The name of the calendar that the dialog of a new link shows. */
async function readShown(page: Page): Promise<unknown> {
  const url = await page.getByLabel('The address', { exact: true }).innerText();
  const open = page.getByRole('link', { name: /^Open in the calendar program/ });
  expect(await open.getAttribute('href')).toBe(url.replace('http:', 'webcal:'));
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return new ICAL.Component(ICAL.parse(await answer.text()) as unknown[]).getFirstPropertyValue('name');
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('an employee makes a link to the own time off by keyboard, and revokes it', async () => {
    const options = { colorScheme, email: 'ada@users.example', width: 360, isAda: true } as const;
    const { page, troubles, context } = await windowOf('employee', options);
    const dialog = page.getByRole('dialog');
    await page.getByText('There are no links yet').waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Make a link' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('Shows the category.').waitFor();
    expect(await dialog.getByRole('radio').count()).toBe(0);
    expect([await findingsOf(page), await isTooWide(page)]).toEqual([[], false]);
    await dialog.getByRole('button', { name: 'Make the link' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('The link is made').waitFor();
    expect(await readShown(page)).toBe('Time off');
    expect([await findingsOf(page), await isTooWide(page)]).toEqual([[], false]);
    await dialog.getByRole('button', { name: 'Done' }).focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await rows(page).filter({ hasText: 'My time off' }).getByText('last used').waitFor();
    expect([await findingsOf(page), await isTooWide(page)]).toEqual([[], false]);
    await page.getByRole('button', { name: 'Revoke My time off' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('can no longer read the address').waitFor();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('There are no links yet').waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('a viewer makes links to a person and a unit, which an administrator sees', async () => {
    const email = `viewer-${colorScheme}@users.example`;
    const { page, troubles, context } = await windowOf('viewer', { colorScheme, email });
    const dialog = page.getByRole('dialog');
    const made = async (kind: string, field: string, name: string): Promise<unknown> => {
      await page.getByRole('button', { name: 'Make a link' }).click();
      await dialog.getByRole('radio', { name: kind }).check();
      await dialog.getByRole('combobox', { name: field }).fill(name.slice(0, 3));
      await page.getByRole('option', { name }).click();
      expect(await findingsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Make the link' }).click();
      await dialog.getByText('The link is made').waitFor();
      const shown = await readShown(page);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
      return shown;
    };
    expect(await made('A person', 'Person', 'Ada Byron')).toBe('Ada Byron: Time off');
    expect(await made('An org unit', 'Org unit', 'Engineering')).toBe('Engineering: Time off');
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
    expect(await findingsOf(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
    const administrator = await windowOf('administrator', { colorScheme, email: `admin-${colorScheme}@users.example` });
    await rows(administrator.page).filter({ hasText: email }).nth(1).waitFor();
    expect(await findingsOf(administrator.page)).toEqual([]);
    await administrator.context.close();
  });
});

it('a manager makes a link to the team, from its page', async () => {
  const email = 'vera@users.example';
  const { user } = await invited(api, of.row.id, 'manager', { email });
  const personId = await new TimeOffActions(api, of).person();
  await changeUser(api.services, testContext(of.row.id), user.id, { type: 'link', personId });
  const { page, troubles, context } = await windowOf('manager', { email });
  await openScreen(page, `${api.url}/console/my-team`, 'My team');
  await page.getByRole('link', { name: 'Subscribe' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('radio', { name: 'My team' }).isChecked()).toBe(true);
  expect(await findingsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  await dialog.getByText('The link is made').waitFor();
  expect(await readShown(page)).toBe('My team: Time off');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await rows(page).filter({ hasText: 'My team' }).waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('an empty organisation, and an employee without a person, are told what to do', async () => {
  const empty = (await api.organisation()).row.id;
  const viewer = await signInByLink(browser, api, empty, 'viewer');
  await openScreen(viewer.page, `${api.url}/console/calendar-links?make=org_unit`, 'Calendar links');
  await viewer.page.getByRole('dialog').getByRole('combobox', { name: 'Org unit' }).waitFor();
  await viewer.context.close();
  const employee = await windowOf('employee', { email: 'nobody@users.example' });
  await employee.page.getByText('Your user is linked with no person').waitFor();
  expect(await employee.page.getByRole('button', { name: 'Make a link' }).count()).toBe(0);
  expect(await findingsOf(employee.page)).toEqual([]);
  expect(employee.troubles).toEqual([]);
  await employee.context.close();
});

it('fits 360 pixels without scrolling sideways, in each language', async () => {
  const { page, context } = await windowOf('administrator', { width: 360, email: 'narrow@users.example' });
  for (const language of LANGUAGES) {
    await chooseLanguage(page, language);
    await page.goto(`${api.url}/console/calendar-links?make=person`);
    await page.getByRole('dialog').getByRole('radio').first().waitFor();
    expect([language, await page.evaluate('document.documentElement.lang')]).toEqual([language, language]);
    expect([language, await isTooWide(page)]).toEqual([language, false]);
  }
  await context.close();
});
