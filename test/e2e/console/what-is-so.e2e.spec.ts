import type { Browser, Page } from 'playwright-core';
import { addDays, dateIn } from '#kernel/dates.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { openScreen, type SignedInWindow, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let people: PeopleActions;
let browser: Browser;
let window: SignedInWindow;
let page: Page;
let today: string;

/** A day as the console writes it. */
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const text = (day: string): string => DAY.format(new Date(`${day}T00:00:00Z`));

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation();
  people = new PeopleActions(of.client);
  window = await signInByLink(browser, api, of.row.id, 'hr', { email: newEmail() });
});
// The tests share a window, whose pages have the program of the console in their cache.
beforeEach(async () => {
  today = dateIn(of.row.time_zone, new Date());
  page = await window.context.newPage();
});
afterEach(() => page.close());
afterAll(async () => {
  await browser.close();
  await api.stop();
});

const openPerson = (id: string, name: string): Promise<void> =>
  openScreen(page, `${api.url}/console/people/${id}`, name);
async function offered(): Promise<readonly string[]> {
  await page.getByRole('button', { name: 'Record' }).click();
  await page.getByRole('menuitem').first().waitFor();
  return page.getByRole('menuitem').allInnerTexts();
}

it('somebody who works for some months still leaves on a day, and is not offered to be rehired', async () => {
  const finalDay = addDays(today, 200);
  const { id } = await people.create({ first_name: 'Lena', start_date: '2024-01-01', job_title: 'Clerk' });
  await people.end(id, finalDay);
  await openPerson(id, 'Lena');
  await page.getByText(`leaves ${text(finalDay)}`).waitFor();
  await page.getByRole('heading', { name: 'Terms today' }).waitFor();
  await page
    .getByRole('table', { name: `From ${text(addDays(finalDay, 1))}` })
    .getByText('Not employed')
    .waitFor();
  expect(await offered()).toEqual(['Change terms…', 'Correct history…', 'Edit identity…']);
  await openScreen(page, `${api.url}/console/people?q=lena`, 'Directory');
  await page.getByText(`leaves ${text(finalDay)}`).waitFor();
});

it('somebody who left is offered to be rehired, from the day after the final day on', async () => {
  const { id } = await people.create({ first_name: 'Leo', start_date: '2024-01-01', job_title: 'Clerk' });
  await people.end(id, addDays(today, -1));
  await openPerson(id, 'Leo');
  await page.getByText(`left ${text(addDays(today, -1))}`).waitFor();
  await page.getByRole('heading', { name: `Last terms, until ${text(addDays(today, -1))}` }).waitFor();
  expect(await offered()).toEqual(['Correct history…', 'Edit identity…', 'Rehire…']);
  await page.getByRole('menuitem', { name: 'Rehire…' }).click();
  expect(await page.getByLabel('First day').getAttribute('min')).toBe(today);
  await page.getByRole('textbox', { name: 'Job title' }).fill('Advisor');
  await page.getByLabel('First day').fill(addDays(today, 7));
  await page.getByRole('table', { name: 'Before and after' }).getByText('Advisor').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Rehire' }).click();
  await page.getByText('The new period is recorded.').waitFor();
  // The coming terms are not those of today.
  await page.getByRole('heading', { name: `Terms from ${text(addDays(today, 7))}` }).waitFor();
  await page.getByText(`starts ${text(addDays(today, 7))}`).waitFor();
});

it('a planned promotion is on the page of the person', async () => {
  const { id } = await people.create({ first_name: 'Pia', start_date: '2024-01-01', job_title: 'Clerk' });
  await people.change(id, { start_date: addDays(today, 40), job_title: 'Lead' });
  await openPerson(id, 'Pia');
  const planned = page.getByRole('table', { name: `From ${text(addDays(today, 40))}` });
  expect((await planned.innerText()).replace(/\s+/g, ' ')).toBe('Job title Lead Clerk');
});

it('the org chart has everybody: people of no unit, and all of a large one', async () => {
  const own = await api.organisation();
  const hired = new PeopleActions(own.client);
  const { department_id } = own.references;
  const names = Array.from({ length: 201 }, (_, index) => `Person ${String(index).padStart(3, '0')}`);
  for (let at = 0; at < names.length; at += 20) {
    const some = names.slice(at, at + 20);
    await Promise.all(some.map((first_name) => hired.create({ first_name, start_date: '2024-01-01', department_id })));
  }
  await hired.create({ first_name: 'Nobody', last_name: 'Special', start_date: '2024-01-01' });
  const viewer = await signInByLink(browser, api, own.row.id, 'viewer', { email: newEmail() });
  await openScreen(viewer.page, `${api.url}/console/org-chart`, 'Org chart');
  await viewer.page.getByText('202 people today').waitFor();
  await viewer.page.getByRole('button', { name: 'Without a unit' }).click();
  await viewer.page.getByRole('link', { name: 'Nobody Special' }).waitFor();
  const unit = viewer.page.getByRole('listitem').filter({ hasText: '201' }).first().getByRole('button').first();
  await unit.click();
  await viewer.page.getByRole('link', { name: 'Person 199' }).waitFor();
  await viewer.page.getByRole('button', { name: 'Show more' }).click();
  await viewer.page.getByRole('link', { name: 'Person 200' }).waitFor();
  await viewer.context.close();
});

it('today is the day of the organisation, not that of the browser', async () => {
  const own = await api.organisation({ timeZone: 'Pacific/Kiritimati' });
  const { page: first } = await signInByLink(browser, api, own.row.id, 'hr', { email: newEmail() });
  // Its day is always one later than that of the browser.
  const context = await browser.newContext({
    timezoneId: 'Pacific/Pago_Pago',
    storageState: await first.context().storageState(),
  });
  const far = await context.newPage();
  const before = dateIn('Pacific/Kiritimati', new Date());
  await openScreen(far, `${api.url}/console/people/new`, 'Hire a person');
  const shown = await far.getByLabel('First day').inputValue();
  expect([before, dateIn('Pacific/Kiritimati', new Date())]).toContain(shown);
  await context.close();
  await first.context().close();
});

it('an error of the page is not said to be one of the connection, and a screen comes back by itself after an outage', async () => {
  const { id } = await people.create({ first_name: 'Otto', start_date: '2024-01-01', job_title: 'Clerk' });
  const broken = async (url: RegExp): Promise<void> => {
    await page.route(url, (route) =>
      route.fulfill({ contentType: 'application/json', body: '{"data":{"segments":7}}' }),
    );
  };
  const timeline = new RegExp(`/people/${id}/timeline$`);
  await openPerson(id, 'Otto');
  await broken(timeline);
  await page.goto(`${api.url}/console/people/${id}`);
  await page.getByText('This page has an error').waitFor();
  expect(await page.getByText('No connection').count()).toBe(0);
  await page.unroute(timeline);
  // The service is away, for the screen's reads and for whoever asks whether it is back.
  const everything = /\/(api\/v1|console\/session)/;
  await page.goto(`${api.url}/console/people`);
  await page.getByRole('link', { name: 'Otto' }).waitFor();
  await page.route(everything, (route) => route.abort('connectionrefused'));
  await page.getByRole('link', { name: 'Otto' }).click();
  await page.getByText('No connection').first().waitFor();
  await page.unroute(everything);
  await page.getByRole('heading', { name: 'Otto', exact: true }).waitFor();
});

it('a screen whose program did not arrive is loaded once the service answers', async () => {
  await openScreen(page, `${api.url}/console/people`, 'Directory');
  const programs = /\/console\/assets\/org-chart.*\.js/;
  await page.route(programs, (route) => route.abort('connectionrefused'));
  await page.route(/\/console\/session/, (route) => route.abort('connectionrefused'));
  await page.getByRole('link', { name: 'Org chart' }).click();
  await page.getByText('The program of this screen did not arrive.').waitFor();
  await page.unroute(programs);
  await page.unroute(/\/console\/session/);
  await page.getByRole('heading', { name: 'Org chart' }).waitFor();
});
