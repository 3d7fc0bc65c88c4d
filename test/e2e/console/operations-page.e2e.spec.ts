import type { Browser, BrowserContext, Page } from 'playwright-core';
import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { longRunningQueue, WorkRequests } from '#jobs/requested-work.js';
import { startOperations } from '#worker/operations/operations.js';
import { eventually } from '../../contract/event-store.support.js';
import { newOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { testServices } from '../../support/command-services.js';
import { findingsOf } from '../../support/console.js';
import { testEventStore } from '../../support/event-store.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { startTestWorker, testJobs } from '../../support/worker.js';

const TOKEN = 'a-token-of-an-operator';

let database: TestDatabase;
let browser: Browser;
let operations: Awaited<ReturnType<typeof startOperations>>;
let worker: Awaited<ReturnType<typeof startTestWorker>>;
let organisationId: string;

beforeAll(async () => {
  [database, browser] = await Promise.all([createTestDatabase({ migrated: true }), startBrowser()]);
  organisationId = (await newOrganisation(testServices(database))).id;
  const shared = { pool: database.pool, eventStore: testEventStore(database.pool) };
  const configuration = readConfiguration({ OPS_TOKEN: TOKEN });
  const jobs = testJobs(database);
  const work = new WorkRequests(() => longRunningQueue(jobs));
  operations = await startOperations({
    ...shared,
    configuration,
    port: 0,
    logger: createLogger('silent'),
    readiness: () => [],
    work,
  });
  worker = await startTestWorker(database, { jobs });
});
afterAll(async () => {
  await worker.stop();
  await browser.close();
  await operations.stop();
  await database.drop();
});

async function open(
  fragment: string,
  colorScheme: 'light' | 'dark',
  width: number,
): Promise<{ context: BrowserContext; page: Page; troubles: string[] }> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
    httpCredentials: { username: 'operator', password: TOKEN },
  });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', ({ message }) => troubles.push(message));
  page.on('console', (said) => said.type() === 'error' && troubles.push(said.text()));
  await page.goto(`${operations.url}/console#${fragment}`);
  return { context, page, troubles };
}

describe('the page of operators', () => {
  it('asks for the token, as the dashboard does, and may run only its own scripts', async () => {
    const refused = await fetch(`${operations.url}/console`);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')]);
    const shown = await fetch(`${operations.url}/console`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(shown.headers.get('content-security-policy')).toMatch(/script-src 'self';/);
    const [script] = /\/console\/assets\/operations-[\w-]+\.js/.exec(await shown.text())!;
    expect((await fetch(`${operations.url}${script}`)).status).toBe(401);
    const missing = await fetch(`${operations.url}/console/assets/none.js`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(missing.status).toBe(404);
  });

  it('rebuilds a projection, and shows the result', async () => {
    const { page, context, troubles } = await open('', 'light', 1280);
    await page.getByText('up to date').first().waitFor();
    await page.getByRole('button', { name: 'Rebuild organisations', exact: true }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Rebuild', exact: true }).press('Enter');
    await page.getByRole('table', { name: 'Requested rebuilds' }).getByText('Done').waitFor();
    expect(await page.getByRole('table', { name: 'Requested rebuilds' }).getByRole('row').nth(1).innerText()).toMatch(
      /organisations\s+Done/,
    );
    expect(await findingsOf(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('shows the log, an event, and its stream, which the address then holds', async () => {
    const { page, context, troubles } = await open('part=events', 'dark', 360);
    const events = page.getByRole('table', { name: 'Events' });
    await events.getByRole('button', { name: 'OrganisationCreated', exact: true }).press('Enter');
    await events.getByText('Version of its form').waitFor();
    await events
      .getByRole('button', { name: `Stream organisation-${organisationId}` })
      .first()
      .click();
    await page.waitForURL((url) => url.hash.includes('stream=organisation-'));
    await events.waitFor();
    expect(await page.getByLabel('Stream', { exact: true }).inputValue()).toContain(`organisation-${organisationId}`);
    expect(await findingsOf(page)).toEqual([]);
    await page.getByLabel('Type', { exact: true }).fill('OrganisationCreated');
    await page.getByLabel('Stream', { exact: true }).fill('organisation-');
    await page.getByLabel('Stream', { exact: true }).press('Enter');
    await page.waitForURL((url) => url.hash.includes('type=OrganisationCreated'));
    const found = events.getByRole('button', { name: 'OrganisationCreated', exact: true });
    // The former list is there until the search is read.
    await eventually(async () => {
      const [matching, rows] = await Promise.all([found.count(), events.getByRole('row').count()]);
      return matching > 0 && matching === rows - 1;
    });
    await page.getByLabel('Person id').fill('nobody');
    await page.getByRole('button', { name: 'Show', exact: true }).press('Enter');
    await page.getByText('No event matches.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true);
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Newest of all' }).click();
    await found.first().waitFor();
    await page.getByRole('tab', { name: 'Engines' }).click();
    await page.getByText(/PostgreSQL 18/).waitFor();
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByText('Every endpoint accepts its deliveries.').waitFor();
    expect(await findingsOf(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('shows throughput and lag of the last hour, in the language that the operator chooses', async () => {
    const { page, context, troubles } = await open('part=hour', 'light', 1280);
    await page.getByRole('img', { name: /^Events a minute: [1-9]\d* events in the last hour/ }).waitFor();
    await page.getByRole('img', { name: /^Longest lag of a projection: at most/ }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('tab', { name: 'Letzte Stunde' }).waitFor();
    await page.getByRole('img', { name: /^Ereignisse pro Minute: / }).waitFor();
    expect([await findingsOf(page), troubles]).toEqual([[], []]);
    await context.close();
  });
});
