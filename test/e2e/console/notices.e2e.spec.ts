import type { Browser as Chromium } from 'playwright-core';
import type { Role } from '#kernel/roles.js';
import { type Browser, signedIn } from '../../support/api/browser-session.js';
import { newEmail } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { WebhookActions } from '../../support/api/webhooks.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, signInByLink } from '../../support/console.js';
import type { Webhook } from '../../support/api/shapes.js';

interface Notice {
  readonly id: string;
  readonly webhook: { readonly id: string; readonly name: string };
  readonly reason: string;
  readonly since: string;
  readonly is_read: boolean;
}

let api: TestApi;
let of: TestOrganisation;
let webhooks: WebhookActions;
let chromium: Chromium;

beforeAll(async () => {
  [api, chromium] = await Promise.all([TestApi.start(), startBrowser()]);
});
beforeEach(async () => {
  of = await api.organisation();
  webhooks = new WebhookActions(of);
});
afterAll(async () => {
  await chromium.close();
  await api.stop();
});

/** Stops an endpoint as the tenth delivery that failed for good does. */
async function stopped(name: string, activation = 1): Promise<Webhook> {
  const endpoint = activation === 1 ? await webhooks.create({ name }) : await webhooks.read(name);
  await api.database.pool.query(
    'insert into webhook_stops (organisation_id, webhook_id, activation, reason) values ($1, $2, $3, $4)',
    [of.row.id, endpoint.id, activation, 'delivery_failures'],
  );
  return endpoint;
}

const session = async (role: Role = 'administrator', organisationId = of.row.id): Promise<Browser> =>
  (await signedIn(api, organisationId, role, { email: newEmail() })).browser;

async function noticesOf(browserOf: Browser): Promise<readonly Notice[]> {
  return (await browserOf.send('GET', '/console/notices')).json.data as never;
}

it('administrators read which endpoint the service has disabled, until it is active again; each marks for themselves what is read', async () => {
  const payroll = await stopped('Payroll');
  const switchedOff = await webhooks.create({ name: 'Rota' });
  await webhooks.change(switchedOff.id, { status: 'disabled' });
  const [one, other] = [await session(), await session()];
  const [notice, ...more] = await noticesOf(one);
  expect([notice, more]).toEqual([
    {
      id: expect.any(String),
      webhook: { id: payroll.id, name: 'Payroll' },
      reason: 'delivery_failures',
      since: (await webhooks.read(payroll.id)).disabled_at,
      is_read: false,
    },
    [],
  ]);
  expect((await one.send('POST', '/console/notices/read', { body: { ids: [notice!.id, 'unknown'] } })).status).toBe(
    204,
  );
  expect([(await noticesOf(one))[0]!.is_read, (await noticesOf(other))[0]!.is_read]).toEqual([true, false]);
  await webhooks.change(payroll.id, { status: 'active' });
  expect(await noticesOf(one)).toEqual([]);
  await stopped(payroll.id, 2);
  expect((await noticesOf(one)).map(({ is_read }) => is_read)).toEqual([false]);
});

it('no other role, key or organisation reads notices', async () => {
  await stopped('Payroll');
  for (const role of ['viewer', 'hr', 'auditor', 'integrator'] as const)
    expect((await (await session(role)).send('GET', '/console/notices')).status).toBe(403);
  const stranger = await session('administrator', (await api.organisation()).row.id);
  expect(await noticesOf(stranger)).toEqual([]);
  const administrator = await session();
  const ofKey = { headers: { authorization: `Bearer ${of.apiKey}` } };
  expect((await administrator.send('GET', '/console/notices', ofKey)).status).toBe(401);
  for (const body of [undefined, {}, { ids: 'x' }, { ids: [1] }])
    expect((await administrator.send('POST', '/console/notices/read', { body })).status).toBe(400);
});

it('the bell counts unread notices, says what to do, and leads to the endpoint', async () => {
  const payroll = await stopped('Payroll');
  const switchedOff = await webhooks.create({ name: 'Rota' });
  await webhooks.change(switchedOff.id, { status: 'disabled' });
  const { page, context, troubles } = await signInByLink(chromium, api, of.row.id, 'administrator', {
    email: newEmail(),
  });
  await page.getByRole('button', { name: 'Notices, 1 unread' }).click();
  await page.getByText('The service disabled the endpoint').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('link', { name: 'Payroll' }).click();
  await page.getByRole('heading', { name: 'Payroll', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Notices', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/webhooks/${payroll.id}`);
  await page.goto(`${api.url}/console/webhooks`);
  await page.getByRole('row', { name: 'Payroll' }).getByText('disabled by the service', { exact: true }).waitFor();
  await page.getByRole('row', { name: 'Rota' }).getByText('disabled', { exact: true }).waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});
