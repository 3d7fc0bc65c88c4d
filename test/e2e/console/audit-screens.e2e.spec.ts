import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { verifyIfDue } from '#audit/requested-verifications.js';
import { keepVerification } from '#audit/verifications.js';
import { erasePerson } from '../../support/people/erase-person.js';
import { PROJECTIONS } from '#composition/registry.js';
import { eventually } from '../../contract/event-store.support.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { testContext } from '../../support/command-services.js';
import { findingsOf, openScreen, signInByLink } from '../../support/console.js';
import { anchorHistory, followLog } from '../../support/follow-log.js';

let api: TestApi;
let of: TestOrganisation;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start({ requestLog: 'on' }), startBrowser()]);
  of = await api.organisation();
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

const open = (role: 'auditor' | 'administrator', colorScheme: 'light' | 'dark', width = 1280) =>
  signInByLink(browser, api, of.row.id, role, { colorScheme, width, email: newEmail() });
const fits = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');

it('an auditor finds what happened to a person, with the values before and after, and the address shows a colleague the same', async () => {
  const people = new PeopleActions(of);
  const { id } = await people.create({
    first_name: 'Ada',
    last_name: 'Lovelace',
    start_date: '2024-01-01',
    job_title: 'Engineer',
  });
  await people.correct(id, { start_date: '2025-01-01', job_title: 'Lead', correction_reason: 'The contract says so.' });
  await followLog(api.services, api.database.pool);
  const { context, page, troubles } = await open('auditor', 'light');
  await openScreen(page, `${api.url}/console/people/${id}`, 'Ada Lovelace');
  await page.getByRole('link', { name: 'Activity' }).click();
  const corrected = page
    .getByRole('listitem')
    .filter({ hasText: 'test (API key) corrected the employment of Ada Lovelace.' });
  await corrected.getByText('Reason: The contract says so.').waitFor();
  await corrected.getByText('job title. With effect on 1 Jan 2025.').waitFor();
  expect(await corrected.getByRole('table').count()).toBe(0);
  await corrected.getByRole('button', { name: 'Details' }).press('Enter');
  await corrected.getByRole('row', { name: 'job title Engineer Lead' }).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByText('History was not verified yet').waitFor();
  await page.getByRole('combobox', { name: 'Who recorded it' }).click();
  await page.getByRole('option', { name: 'test (API key)' }).click();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Keys');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const saved = new URL(page.url()).search;
  expect(saved).toContain(`actor=${of.keyId}`);
  await page.getByRole('combobox', { name: 'Resource' }).click();
  await page.getByRole('option', { name: 'person', exact: true }).click();
  await corrected.waitFor({ state: 'detached' });
  const created = page.getByRole('listitem').filter({ hasText: 'created the person Ada Lovelace.' });
  await created.waitFor();
  await page.goto(page.url());
  await created.waitFor();
  expect(await page.getByRole('listitem').filter({ hasText: 'the employment of' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Keys', exact: true }).click();
  await corrected.waitFor();
  expect(new URL(page.url()).search).toBe(saved);
  // The browser calls a person without a picture an error.
  expect(troubles.filter((text) => !text.includes('404'))).toEqual([]);
  await context.close();
});

it('the report is saved as CSV, with personal values where that is asked for', async () => {
  const people = new PeopleActions(of);
  const { id } = await people.create({ first_name: 'Grace', start_date: '2024-01-01', job_title: '=cmd' });
  await followLog(api.services, api.database.pool);
  const { context, page, troubles } = await open('administrator', 'dark');
  await openScreen(page, `${api.url}/console/audit?view=report&person=${id}`, 'Audit');
  await page.getByRole('cell', { name: '[sealed]' }).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('switch', { name: 'With personal values' }).check();
  await page.getByRole('cell', { name: 'Grace', exact: true }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const text = await readFile((await download.path())!, 'utf8');
  expect(text).toContain('recorded_at,actor_type,actor_id');
  expect(text).toContain(',first_name,Grace,');
  expect(text).toContain(",job_title,'=cmd,");
  await page.evaluate('window.print = () => void (document.title = "printed")');
  await page.getByRole('button', { name: 'Print' }).click();
  await page.waitForFunction('document.title === "printed"');
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  await page.getByText(/^Made by .*@/).waitFor();
  expect(await page.getByRole('tab').count()).toBe(0);
  expect(await page.getByRole('button').count()).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the verification shows its evidence, and what it found, on a narrow screen', async () => {
  const { context, page, troubles } = await open('auditor', 'light', 360);
  await openScreen(page, `${api.url}/console/audit?view=verification`, 'Audit');
  await page.getByText('History was not verified yet').waitFor();
  await page.getByText('No anchor yet').waitFor();
  const { id } = await new PeopleActions(of).create();
  await anchorHistory(api.services, api.database.pool);
  const stream = `person-${of.row.id}.${id}`;
  const finding = { kind: 'changed' as const, stream, revision: 0, message: 'The data were changed.' };
  const counts = { events: 7, streams: 3, found: 0 };
  const found = {
    ...counts,
    ofOrganisations: { [of.row.id]: counts },
    lastAnchor: null,
    anchored: 0,
    findings: [],
    gaps: 0,
  };
  const run = { startedAt: new Date(), organisationId: null, trustsOwnKey: false };
  await keepVerification(api.database.pool, found, run);
  await page.reload();
  await page.getByText('History is unaltered').waitFor();
  await page.getByText('7 events of 3 streams').waitFor();
  await page.getByRole('table', { name: 'Anchors' }).waitFor();
  expect([await findingsOf(page), await fits(page)]).toEqual([[], true]);
  await keepVerification(api.database.pool, { ...found, findings: [finding], found: 1 }, run);
  await page.reload();
  await page.getByText('History was altered: 1 finding').waitFor();
  await page.getByRole('table', { name: 'Findings' }).getByText(`person ${id}`).waitFor();
  expect([await findingsOf(page), troubles]).toEqual([[], []]);
  await context.close();
});

it('an auditor asks for a verification, and sees its result without a reload', async () => {
  const other = await api.organisation();
  await new PeopleActions(other).create();
  await followLog(api.services, api.database.pool);
  const { context, page, troubles } = await signInByLink(browser, api, other.row.id, 'auditor', { email: newEmail() });
  await openScreen(page, `${api.url}/console/audit?view=verification`, 'Audit');
  const button = page.getByRole('button', { name: 'Verify now' });
  await button.click();
  await page.getByText('Asked for').waitFor();
  expect([await button.isDisabled(), await findingsOf(page)]).toEqual([true, []]);
  const { pool } = api.database;
  const open = async () => ({ pool, eventStore: api.services.store, close: () => Promise.resolve() });
  const parts = { pool, projections: PROJECTIONS, open };
  // The verifications of other tests are too recent for another one.
  await pool.query('truncate history_verifications');
  expect(await verifyIfDue(parts, new AbortController().signal)).toBe(true);
  await page.getByText('History is unaltered').waitFor();
  await page.getByText('The worker verifies history once a day.').waitFor();
  expect([await button.isEnabled(), await findingsOf(page), troubles]).toEqual([true, [], []]);
  await context.close();
});

it('an auditor sees who was erased, by whom and why', async () => {
  const other = await api.organisation();
  const { id } = await new PeopleActions(other).create({ first_name: 'Erin', start_date: '2020-01-01' });
  await erasePerson(api.services, testContext(other.row.id), { person_id: id, reason: 'They asked for it.' });
  await followLog(api.services, api.database.pool);
  const { context, page, troubles } = await signInByLink(browser, api, other.row.id, 'auditor', { email: newEmail() });
  await openScreen(page, `${api.url}/console/audit`, 'Audit');
  await page.getByRole('tab', { name: 'Erasures' }).click();
  const row = page.getByRole('table', { name: 'Erasures' }).getByRole('row').filter({ hasText: id });
  await row.getByText('They asked for it.').waitFor();
  expect([await page.getByText('Erin').count(), await findingsOf(page), troubles]).toEqual([0, [], []]);
  await context.close();
});

it('a request is found by its id, and the requests of a key by the key', async () => {
  const refused = await of.client.get('/people/V1StGXR8_Z5j');
  const requestId = refused.headers['service-request-id'] as string;
  const { context, page, troubles } = await open('administrator', 'light', 360);
  await openScreen(page, `${api.url}/console/requests`, 'Requests');
  // The log is written once a second.
  await eventually(async () => {
    await page.reload();
    await page.getByRole('table', { name: 'Requests' }).waitFor();
    return (await page.getByRole('link', { name: requestId }).count()) === 1;
  });
  expect([await findingsOf(page), await fits(page)]).toEqual([[], true]);
  await page.getByLabel('Request id').fill(requestId);
  await page.keyboard.press('Enter');
  const details = page.getByRole('region', { name: 'Request' });
  await details.getByText('404 not_found').waitFor();
  await details.getByText('GET /api/v1/people/{personId}').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await details.getByRole('link', { name: 'test', exact: true }).click();
  await page.getByRole('button', { name: 'Of test only' }).waitFor();
  await page.getByLabel('Request id').fill('req_unknown.1');
  await page.keyboard.press('Enter');
  await page.getByText('There is no such request').waitFor();
  // The browser calls an unknown request an error.
  expect([await findingsOf(page), troubles.filter((text) => !text.includes('404'))]).toEqual([[], []]);
  await context.close();
});
