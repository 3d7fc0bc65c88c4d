import type { Browser, Download, Page } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { longRunningQueue, WorkRequests } from '#jobs/requested-work.js';
import { PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, signInByLink, type SignedInWindow } from '../../support/console.js';
import { createTestDatabase } from '../../support/postgres.js';
import { startTestWorker, testJobs } from '../../support/worker.js';

const ROWS = [
  '\uFEFFwork_email,first_name,last_name,start_date,manager',
  'ada@example.com,Ada,Byron,2026-01-05,',
  'grace@example.com,Grace,"Hopper, Jr",soon,',
  'mary@example.com,Mary,Shelley,2026-01-05,nobody@example.com',
].join('\r\n');

let api: TestApi;
let browser: Browser;
let organisation: TestOrganisation;
let worker: Awaited<ReturnType<typeof startTestWorker>>;

beforeAll(async () => {
  const database = await createTestDatabase({ migrated: true });
  const jobs = testJobs(database);
  const work = new WorkRequests(() => longRunningQueue(jobs));
  [api, browser] = await Promise.all([TestApi.start({ database, work }), startBrowser()]);
  worker = await startTestWorker(database, { jobs });
});
beforeEach(async () => {
  organisation = await api.organisation();
});
afterAll(async () => {
  await worker.stop();
  await browser.close();
  await api.stop();
});

/** The findings of axe; a page that scrolls sideways counts. */
async function findingsOn(page: Page): Promise<readonly unknown[]> {
  const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  const found = await findingsOf(page);
  return isWide ? [...found, 'scrolls sideways'] : found;
}

async function open(
  path: string,
  options: Parameters<typeof signInByLink>[4] & { readonly role?: 'hr' | 'integrator' } = {},
): Promise<SignedInWindow> {
  const window = await signInByLink(browser, api, organisation.row.id, options.role ?? 'hr', options);
  await window.page.goto(`${api.url}/console${path}`);
  return window;
}

const textOf = async (download: Download): Promise<string> => readFile(await download.path(), 'utf8');

describe('the screen of imports', () => {
  it('checks a file, shows problems beside its rows, and imports the rest', async () => {
    const { page, context, troubles } = await open('/imports');
    await page.getByText('Nothing was imported here yet').waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'starters.csv', mimeType: 'text/csv', buffer: Buffer.from(ROWS) });
    await page.getByText('starters.csv: 3 lines after the header').waitFor();
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('2 rows cannot be imported').waitFor();
    const row = page.getByRole('table', { name: 'Problems by line' }).getByRole('row').nth(1);
    expect(await row.innerText()).toMatch(/3\s+grace@example\.com, Grace, Hopper, Jr, soon/);
    expect(await row.locator('mark').allInnerTexts()).toEqual(['soon']);
    expect(await findingsOn(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    expect(await textOf(await saved)).toContain('4,manager,');
    await page.getByRole('button', { name: 'Import 1 row…' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).press('Enter');
    await page.getByText('2 rows were left out').waitFor();
    const { json } = await organisation.client.get<{ work_email: string }[]>('/people');
    expect(json.data.map((person) => person.work_email)).toEqual(['ada@example.com']);
    await page.reload();
    await page.getByRole('button', { name: 'Choose the file again to see its rows' }).waitFor();
    await page.getByRole('link', { name: 'Imports' }).last().click();
    await page.getByRole('table', { name: 'Former imports' }).getByText('Imported').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('is not shown to somebody without the scope', async () => {
    const { page, context } = await open('/imports', { role: 'integrator' });
    await page.getByRole('heading', { name: 'Your role does not let you see imports.' }).waitFor();
    await context.close();
  });
});

describe('the screen of payroll', () => {
  it('shows what changed in a period with the values before and after, marks what is late, and saves it', async () => {
    const people = new PeopleActions(organisation);
    const { id } = await people.create({
      first_name: 'Ada',
      staff_id: 'E-1',
      start_date: '2024-01-08',
      job_title: 'Analyst',
    });
    await people.change(id, { start_date: '2024-02-12', job_title: 'Engineer' });
    const { page, context, troubles } = await open('/payroll?from=2024-02-01&to=2024-02-29');
    const table = page.getByRole('table', { name: 'Changes' });
    const change = table.getByRole('row').filter({ hasText: '12 Feb 2024' });
    await change.getByText('Late').waitFor();
    await change.getByRole('button', { name: 'Job title' }).press('Enter');
    const values = page.getByRole('table', { name: 'Values of Ada' }).getByRole('row').nth(1);
    expect(await values.innerText()).toMatch(/Job title\s+Analyst\s+Engineer\s+from 12 Feb 2024/);
    expect(await findingsOn(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('payroll-changes-2024-02-01-2024-02-29.csv');
    expect(await textOf(download)).toMatch(
      new RegExp(`,${id},E-1,Ada,employment_change,2024-02-12,,[^,]+,true,job_title\r\n`),
    );
    await page.getByRole('button', { name: 'Month before' }).click();
    expect(new URL(page.url()).search).toBe('?from=2024-01-01&to=2024-01-31');
    await page.getByRole('tab', { name: 'Readiness' }).click();
    await page
      .getByRole('table', { name: 'People with issues' })
      .getByText('no contracted weekly minutes are recorded')
      .waitFor();
    expect(await findingsOn(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });
});
