import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { proposeJob } from '../../support/api/proposals.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
});
beforeEach(async () => {
  of = await api.organisation();
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

const open = (colorScheme: 'light' | 'dark', width = 1280) =>
  signInByLink(browser, api, of.row.id, 'administrator', { colorScheme, width, email: newEmail() });

async function goTo(page: Page, path: string, heading: string): Promise<void> {
  await page.goto(`${api.url}/console${path}`);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
}

it('keys and users: an invited user signs in, gets another role and is deactivated; a key is made, shown once and revoked', async () => {
  const { context, page, troubles } = await open('light');
  await goTo(page, '/access', 'Keys and users');
  const email = newEmail();
  await page.getByRole('button', { name: 'Invite a user' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = (await page.getByLabel('The link', { exact: true }).textContent())!;
  expect(link).toContain('/console/sign-in#');
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: `Actions for ${email}` }).click();
  await page.getByRole('menuitem', { name: 'Change role…' }).click();
  await page.getByLabel('Role', { exact: true }).selectOption('auditor');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: email }).getByText('auditor').waitFor();
  await page.getByRole('button', { name: `Actions for ${email}` }).click();
  await page.getByRole('menuitem', { name: 'Deactivate…' }).click();
  await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
  await page.getByRole('row', { name: email }).getByText('deactivated').waitFor();
  await page.getByRole('tab', { name: 'API keys' }).click();
  // The whole form: axe takes the edge of a choice below the buttons for a target that is too small.
  await page.setViewportSize({ width: 1280, height: 1200 });
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('Payroll');
  await page.getByLabel('people:read', { exact: true }).check();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const key = (await page.getByLabel('The key', { exact: true }).textContent())!;
  expect((await api.client(key).get('/people')).status).toBe(200);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Revoke Payroll' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('row', { name: 'Payroll' }).getByText('revoked', { exact: true }).waitFor();
  expect((await api.client(key).get('/people')).status).toBe(401);
  expect(page.url()).toContain('tab=keys');
  await page.getByRole('tab', { name: 'Sandbox' }).click();
  await page.getByText('No API keys yet').waitFor();
  await page.getByRole('button', { name: 'Create a test key' }).click();
  expect(await page.getByRole('radio', { name: 'Test', exact: true }).isChecked()).toBe(true);
  await page.getByLabel('Name').fill('Tests');
  await page.getByLabel('people:read', { exact: true }).check();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page
    .getByText(/sandbox/)
    .last()
    .waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  // The browser calls the refusal an error.
  expect([await findingsOf(page), troubles.filter((text) => !text.includes('409'))]).toEqual([[], []]);
  await context.close();
});

it('webhooks: an endpoint is added and tested, its signature checked by hand, and events appear as they happen', async () => {
  const { context, page, troubles } = await open('dark');
  await goTo(page, '/webhooks', 'Webhooks');
  await page.getByText('No endpoint yet').waitFor();
  await page.getByText('following').waitFor();
  const { id } = await new PeopleActions(of).create();
  await page.getByRole('region', { name: 'Live' }).getByText(id).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add an endpoint' }).click();
  await page.getByLabel('Name').fill('Payroll');
  await page.getByLabel('Address').fill('https://93.184.216.34/hook');
  await page.getByLabel('person.created').check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const secret = (await page.getByLabel('The signing secret', { exact: true }).textContent())!;
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('table').getByRole('link', { name: 'Payroll' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  const check = page.getByRole('region', { name: 'Check a signature' });
  await check.getByLabel('Signing secret').fill(secret);
  await check.getByRole('button', { name: 'Check' }).click();
  await check.getByText('Genuine', { exact: true }).waitFor();
  await check.getByLabel('Signing secret').fill('whsec_another');
  await check.getByRole('button', { name: 'Check' }).click();
  await check.getByText('Not genuine').waitFor();
  await page.getByRole('button', { name: 'webhook.test' }).click();
  await page.getByRole('dialog').getByText('No attempt has ended yet.').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('A user or an API key disabled it.').waitFor();
  expect([await findingsOf(page), troubles]).toEqual([[], []]);
  await context.close();
});

it('write proposals: one is approved, with the values before and after seen, on a narrow screen', async () => {
  const people = new PeopleActions(of);
  const { id } = await people.create({ first_name: 'Ada', last_name: 'Lovelace', start_date: '2024-01-01' });
  await proposeJob(api, of, id);
  const { context, page, troubles } = await open('light', 360);
  await goTo(page, '/proposals', 'Write proposals');
  const proposal = page.getByRole('article');
  await proposal.getByRole('table', { name: 'Changes' }).waitFor();
  await proposal.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true);
  await proposal.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('No proposals to decide').waitFor();
  await page.getByText('All', { exact: true }).click();
  await page.getByRole('article').getByText('applied').waitFor();
  expect([await findingsOf(page), troubles]).toEqual([[], []]);
  await context.close();
});

it('a page of another address writes nothing with the session of somebody who visits it', async () => {
  const { context, page } = await open('light');
  const hostile = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Prize</title>'),
  );
  await new Promise<void>((listening) => hostile.listen(0, '127.0.0.1', listening));
  try {
    await page.goto(`http://127.0.0.1:${(hostile.address() as AddressInfo).port}/`);
    // A form can send no JSON: the nearest that a hostile page has is a request whose answer it cannot read.
    const sent = await page.evaluate(async (target) => {
      const write = {
        method: 'POST',
        body: '{"work_email":"mallory@example.com"}',
        mode: 'no-cors' as const,
        credentials: 'include' as const,
      };
      const headers = { 'content-type': 'text/plain' };
      return (await fetch(target, { ...write, headers })).type;
    }, `${api.url}/api/v1/people`);
    expect(sent).toBe('opaque');
    await page.setContent(`<form method="post" action="${api.url}/console/sessions"><button>Go</button></form>`);
    await Promise.all([page.waitForURL(/console\/sessions/), page.getByRole('button', { name: 'Go' }).click()]);
    const { rows } = await api.database.pool.query('select from people where organisation_id = $1', [of.row.id]);
    expect(rows).toEqual([]);
    await goTo(page, '/access', 'Keys and users');
  } finally {
    hostile.close();
    await context.close();
  }
});
