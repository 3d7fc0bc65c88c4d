import type { Browser } from 'playwright-core';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { openScreen, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let people: PeopleActions;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation();
  people = new PeopleActions(of);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

it('a resignation that was taken back is withdrawn: the form shows what is believed again, and the person works here', async () => {
  const { id } = await people.create({ first_name: 'Wendy', start_date: '2024-01-01', job_title: 'Clerk' });
  await people.end(id, '2025-06-30');
  const { context, page } = await signInByLink(browser, api, of.row.id, 'hr', { email: newEmail() });
  await openScreen(page, `${api.url}/console/people/${id}/timeline`, 'Timeline of Wendy');
  const facts = page.getByRole('table', { name: 'Facts' });
  // Without its first fact there is no employment: it can be corrected, not withdrawn.
  await facts.getByRole('button', { name: 'Withdraw End on 30 Jun 2025' }).waitFor();
  expect(await facts.getByRole('button', { name: /^Withdraw/ }).count()).toBe(1);
  await facts.getByRole('button', { name: 'Withdraw End on 30 Jun 2025' }).click();
  const rows = page.getByRole('table', { name: 'Before and after' }).getByRole('row');
  await rows.filter({ hasText: 'Employment' }).waitFor();
  const shown = (await rows.allInnerTexts()).slice(1).map((row) => row.replace(/\s+/g, ' ').trim());
  expect(shown).toEqual(['from 1 Jul 2025 Employment Not employed Employed', 'from 1 Jul 2025 Job title – Clerk']);
  const send = page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true });
  // A reason is required.
  expect(await send.isDisabled()).toBe(true);
  await page.getByLabel('Reason').fill('She withdrew her resignation.');
  await send.click();
  await page.getByText('The fact is withdrawn.').waitFor();
  expect(await people.person(id)).toMatchObject({ status: 'active', end_date: null });
  await page.getByText('superseded').first().waitFor();
  expect(await facts.getByRole('button', { name: 'Withdraw End on 30 Jun 2025' }).count()).toBe(0);
  await facts.getByText('Withdrawal').waitFor();
  // A withdrawal can be replaced by none but another withdrawal.
  await page.goto(`${api.url}/console/people/${id}?form=correct`);
  await page.getByRole('combobox', { name: 'Replaces' }).or(page.getByLabel('Replaces')).first().click();
  await page.getByRole('option', { name: /^start from/ }).waitFor();
  expect(await page.getByRole('option').count()).toBe(1);
  await context.close();
});

it('a planned promotion is put off and withdrawn where the person is shown', async () => {
  const { id } = await people.create({ first_name: 'Percy', start_date: '2024-01-01', job_title: 'Clerk' });
  await people.change(id, { start_date: '2099-03-01', job_title: 'Lead' });
  const { context, page } = await signInByLink(browser, api, of.row.id, 'hr', { email: newEmail() });
  await openScreen(page, `${api.url}/console/people/${id}`, 'Percy');
  const planned = page.getByRole('region', { name: 'Planned' });
  await planned.getByRole('button', { name: 'Change: From 1 Mar 2099' }).click();
  // The form replaces this fact, from its day on.
  const day = page.getByRole('textbox', { name: 'In force from' }).or(page.getByLabel('In force from')).first();
  await day.waitFor();
  expect(await day.inputValue()).toBe('2099-03-01');
  await day.fill('2099-04-01');
  await page.getByLabel('Reason').fill('The budget begins in April.');
  await page.getByRole('button', { name: 'Record the correction' }).click();
  await page.getByText('The correction is recorded.').waitFor();
  await planned.getByRole('button', { name: 'Withdraw: From 1 Apr 2099' }).click();
  await page.getByLabel('Reason').fill('The promotion is off.');
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click();
  await page.getByText('The fact is withdrawn.').waitFor();
  // The withdrawal of a correction restores the fact that it replaced.
  await planned.getByRole('button', { name: 'Withdraw: From 1 Mar 2099' }).waitFor();
  await context.close();
});
