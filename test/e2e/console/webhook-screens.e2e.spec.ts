import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../contract/event-store.support.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import type { TestOrganisation } from '../../support/api/test-api.js';
import { WebhookActions } from '../../support/api/webhooks.js';
import { startBrowser } from '../../support/browser.js';
import { chooseLanguage, findingsOf, signInByLink } from '../../support/console.js';
import { Delivering } from '../../support/webhooks/delivering.js';
import { Receiver } from '../../support/webhooks/receiver.js';

let delivering: Delivering;
let browser: Browser;
let own: TestOrganisation;
let receiver: Receiver;
let url: string;

beforeAll(async () => {
  [delivering, browser] = await Promise.all([Delivering.start('PostgreSQL'), startBrowser()]);
  await delivering.worker();
});
afterAll(async () => {
  await browser.close();
  await delivering.stop();
});
beforeEach(async () => {
  own = await delivering.api.organisation();
  receiver = new Receiver((_, response) => response.writeHead(200, { 'X-Trace': 'abc' }).end('{"taken":true}'));
  url = await receiver.start();
});
afterEach(() => receiver.stop());

const open = (colorScheme: 'light' | 'dark', width = 1280) =>
  signInByLink(browser, delivering.api, own.row.id, 'administrator', { colorScheme, width, email: newEmail() });

async function goTo(page: Page, path: string, heading: string): Promise<void> {
  await page.goto(`${delivering.api.url}/console${path}`);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
}

it('a delivery among those of all endpoints shows what was sent and received, and is sent again', async () => {
  const webhooks = new WebhookActions(own);
  const { id } = await webhooks.create({ name: 'Payroll', url: `${url}/in`, subscribed_events: ['person.created'] });
  await webhooks.create({ name: 'Wiki', url: `${url}/wiki`, subscribed_events: ['time_off.created'] });
  await new PeopleActions(own).create();
  await receiver.until((requests) => requests.length === 1);
  const { context, page, troubles } = await open('light');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await goTo(page, '/webhooks', 'Webhooks');
  await page.getByRole('tab', { name: 'Deliveries' }).click();
  const attempts = page.getByRole('img', { name: /^Attempts: 1 attempt, 0 failed/ });
  await attempts.waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByLabel('Type of event').selectOption('time_off.created');
  await page.getByText('There are none that match.').waitFor();
  await page.getByLabel('Type of event').selectOption('person.created');
  await page.getByRole('row', { name: /person\.created Payroll delivered/ }).waitFor();
  await page.getByRole('button', { name: 'person.created', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Delivery' });
  await drawer.getByText(/"api_version": "v1"/).waitFor();
  await drawer.getByText(`POST ${url}/in`).waitFor();
  const attempt = drawer.getByRole('region', { name: 'Attempt 1' });
  await attempt.getByRole('row', { name: /^Service-Webhook-Signature v1=/ }).waitFor();
  await attempt.getByRole('row', { name: 'X-Trace abc' }).waitFor();
  await attempt.getByText('"taken": true').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await attempt.getByRole('button', { name: 'Copy as curl' }).click();
  await attempt.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toContain(`curl -X POST '${url}/in'`);
  expect(copied).toContain(`--data-raw '${receiver.requests[0]!.body}'`);
  await drawer.getByRole('button', { name: 'Redeliver' }).click();
  await receiver.until((requests) => requests.length === 2);
  await drawer.getByRole('region', { name: 'Attempt 2' }).waitFor();
  expect(page.url()).toContain(`of=${id}`);
  expect(troubles).toEqual([]);
  await context.close();
});

it('an endpoint is edited, and its failures are seen, by keyboard on a narrow dark screen', async () => {
  const webhooks = new WebhookActions(own);
  const { id } = await webhooks.create({ name: 'Payroll', url: `${url}/in`, subscribed_events: ['person.created'] });
  receiver.behaviour = (_, response) => response.writeHead(404).end('no such <hook>');
  await webhooks.test(id);
  await receiver.until((requests) => requests.length === 1);
  const { context, page, troubles } = await open('dark', 360);
  await goTo(page, `/webhooks/${id}`, 'Payroll');
  const edit = async (): Promise<void> => {
    await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'Edit…' }).press('Enter');
  };
  await edit();
  await page.getByLabel('Name').fill('Wages');
  await page.reload();
  await edit();
  await page.getByText('This form has what you typed before.').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Wages');
  await page.getByLabel('Address').fill(`${url}/wages`);
  await page.getByLabel('time_off.created').press('Space');
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByRole('heading', { name: 'Wages', level: 1 }).waitFor();
  expect(await webhooks.read(id)).toMatchObject({
    name: 'Wages',
    url: `${url}/wages`,
    subscribed_events: ['person.created', 'time_off.created'],
  });
  await page.getByRole('img', { name: /^Share of failures: 100/ }).waitFor();
  await page.getByLabel('Period').getByText('Hour').click();
  await page.getByRole('img', { name: /^Attempts: 1 attempt, 1 failed/ }).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'webhook.test', exact: true }).press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Delivery' });
  await drawer.getByText('no such <hook>').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true);
  await page.keyboard.press('Escape');
  await eventually(async () => !(await drawer.isVisible()));
  expect(troubles).toEqual([]);
  await context.close();
});

it('an organisation without endpoints is told what to do, in each language', async () => {
  const { context, page, troubles } = await open('light');
  for (const [language, title, empty] of [
    ['de', 'Webhooks', 'Noch kein Endpunkt'],
    ['fr', 'Webhooks', 'Aucun point de terminaison pour le moment'],
    ['es', 'Webhooks', 'Todavía no hay ningún punto de conexión'],
    ['en', 'Webhooks', 'No endpoint yet'],
  ] as const) {
    await chooseLanguage(page, language);
    await goTo(page, '/webhooks', title);
    await page.getByText(empty).waitFor();
    await page.getByRole('tab').nth(1).click();
    await page.getByRole('tabpanel').getByRole('region').nth(1).waitFor();
    expect(await findingsOf(page)).toEqual([]);
  }
  expect(troubles).toEqual([]);
  await context.close();
});
