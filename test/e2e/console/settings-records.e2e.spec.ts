import type { Browser } from 'playwright-core';
import { customFieldTable } from '#organisation/custom-field/custom-field.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import { revokeWrites } from '#organisation/organisation/organisation.api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, openScreen, signInByLink } from '../../support/console.js';
import { PeopleActions } from '../../support/api/people.js';
import { newOrganisation, TestApi } from '../../support/api/test-api.js';
import { testContext } from '../../support/command-services.js';

let api: TestApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

it('a custom field is made with options, opened to the API, and an option is taken away', async () => {
  const organisation = await newOrganisation(api.services);
  const { context, page, troubles } = await signInByLink(browser, api, organisation.id, 'administrator');
  await openScreen(page, `${api.url}/console/settings/custom-fields`, 'Custom fields');
  await page.getByRole('button', { name: 'Add a field…' }).click();
  await page.getByRole('textbox', { name: 'Key' }).fill('shirt_size');
  await page.getByRole('textbox', { name: 'Name' }).fill('Shirt size');
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Single choice' }).click();
  for (const [index, [value, label]] of [
    ['m', 'Medium'],
    ['l', 'Large'],
  ].entries()) {
    await page.getByRole('button', { name: 'Add an option' }).click();
    await page.getByRole('textbox', { name: `Value ${index + 1}` }).fill(value!);
    await page.getByRole('textbox', { name: `Label ${index + 1}` }).fill(label!);
  }
  await page.getByRole('button', { name: 'Move Large up' }).click();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('row', { name: /^Shirt size shirt_size Single choice Operational Hidden/ }).waitFor();
  await page.getByRole('button', { name: 'Edit Shirt size' }).click();
  await page.getByRole('combobox', { name: 'API access' }).click();
  await page.getByRole('option', { name: 'Read and write' }).click();
  await page.getByRole('button', { name: 'Take Medium away' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Read and write/ }).waitFor();
  const [field] = await customFieldTable.list(api.services.executor, organisation.id);
  expect(field).toMatchObject({
    key: 'shirt_size',
    api_access: 'read_write',
    options: [
      { value: 'l', label: 'Large', is_retired: false },
      { value: 'm', label: 'Medium', is_retired: true },
    ],
  });
  expect(troubles).toEqual([]);
  await context.close();
});

it('a person is mapped to a provider, and the mapping is removed and taken back', async () => {
  const own = await api.organisation();
  const { id } = await new PeopleActions(own).create({});
  const name = (await own.client.get<{ display_name: string }>(`/people/${id}`)).json.data.display_name;
  const { context, page, troubles } = await signInByLink(browser, api, own.row.id, 'administrator');
  await openScreen(page, `${api.url}/console/settings/provider-mappings`, 'Provider mappings');
  await page.getByRole('heading', { name: 'No mappings yet' }).waitFor();
  await page.getByRole('button', { name: 'Add a mapping…' }).click();
  await page.getByRole('textbox', { name: 'Provider' }).fill('Xero');
  await page.getByRole('combobox', { name: 'Resource', exact: true }).click();
  await page.getByRole('option', { name }).click();
  await page.getByRole('textbox', { name: 'External id' }).fill('EMP-417');
  await page.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row', { name: new RegExp(`^xero Person ${name} EMP-417 Pending never`) });
  await row.waitFor();
  await page.getByRole('button', { name: 'Remove EMP-417' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.waitFor();
  expect(await findingsOf(page)).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the organisation is renamed, which is undone, and a missing approval is explained', async () => {
  const organisation = await newOrganisation(api.services);
  const { context, page } = await signInByLink(browser, api, organisation.id, 'administrator');
  await openScreen(page, `${api.url}/console/settings/organisation`, 'Organisation');
  await page.getByRole('textbox', { name: 'Name' }).fill('Northwind');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('banner').getByText('Northwind').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('banner').getByText('Test', { exact: true }).waitFor();
  expect((await findOrganisation(api.services.executor, organisation.id))!.name).toBe('Test');
  await revokeWrites(api.services, testContext(organisation.id));
  const notice = page.getByText('The operator of this service has not approved writes for your organisation yet.');
  // Every process has the change within a second.
  for (let isShown = false; !isShown; isShown = await notice.isVisible())
    await openScreen(page, `${api.url}/console/settings/organisation`, 'Organisation');
  expect(await findingsOf(page)).toEqual([]);
  await context.close();
});
