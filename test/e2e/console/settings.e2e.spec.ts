import type { Browser } from 'playwright-core';
import { ORG_UNIT } from '#organisation/org-unit/org-unit.js';
import { listOrgUnits } from '#organisation/org-unit/org-unit.js';
import { locationTable } from '#organisation/location/location.js';
import { workPlaceTable } from '#organisation/dictionary/dictionary.js';
import { createOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { newOrganisation, TestApi } from '../../support/api/test-api.js';
import { testContext } from '../../support/command-services.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, isTooWide, openScreen, signInByLink } from '../../support/console.js';

let api: TestApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

const SCHEMES = ['light', 'dark'] as const;

/** An empty organisation, and the window of its administrator. */
async function opened(part: string, heading: string, options: { colorScheme?: 'light' | 'dark'; width?: number } = {}) {
  const organisation = await newOrganisation(api.services);
  const window = await signInByLink(browser, api, organisation.id, 'administrator', options);
  await openScreen(window.page, `${api.url}/console/settings/${part}`, heading);
  return { ...window, organisationId: organisation.id };
}

it('a location is added in an empty organisation, changed, archived, and taken back from the archive', async () => {
  const { context, page, troubles, organisationId } = await opened('locations', 'Locations');
  await page.getByRole('heading', { name: 'No locations yet' }).waitFor();
  await page.getByRole('button', { name: 'Add a location…' }).click();
  const form = page.getByRole('dialog', { name: 'New location' });
  await form.getByRole('textbox', { name: 'Name' }).fill('London office');
  await form.getByRole('textbox', { name: 'Address' }).fill('1 Long Lane');
  await form.getByRole('textbox', { name: 'City' }).fill('London');
  await form.getByRole('combobox', { name: 'Country' }).fill('United King');
  await page.getByRole('option', { name: 'United Kingdom' }).click();
  expect(await findingsOf(page)).toEqual([]);
  await form.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row', { name: /^London office London United Kingdom/ });
  await row.waitFor();
  await page.getByRole('button', { name: 'Edit London office' }).click();
  await page.getByRole('textbox', { name: 'Room for' }).fill('40');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: '40' }).waitFor();
  await page.getByRole('button', { name: 'Archive London office' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.waitFor();
  expect(await locationTable.list(api.services.executor, organisationId)).toMatchObject([
    { label: 'London office', country_code: 'GB', capacity: 40, is_active: true, revision: 3 },
  ]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('a lost race shows the change of the other user, keeps the input, and is won by sending it again', async () => {
  const { context, page, organisationId } = await opened('dictionaries', 'Dictionaries');
  await page.getByRole('button', { name: 'Add a work place…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('London');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Edit London' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('London, City');
  const [entry] = await workPlaceTable.list(api.services.executor, organisationId);
  const { WORK_PLACES } = await import('#organisation/dictionary/dictionary.api.js');
  await WORK_PLACES.command(api.services, testContext(organisationId), entry!.id, { type: 'relabel', label: 'Leeds' });
  await page.getByRole('button', { name: 'Save' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'Another user has changed this record' });
  await alert.getByText('Leeds').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'London, City', exact: true }).waitFor();
  await context.close();
});

describe('the tree of org units', () => {
  const unit = (organisationId: string, name: string, parent_id: string | null = null) =>
    createOrgUnit(api.services, testContext(organisationId), { ...ORG_UNIT.initial, name, parent_id } as never);
  const treeOf = async (organisationId: string) =>
    Object.fromEntries(
      (await listOrgUnits(api.services.executor, organisationId)).map(({ name, parent_name, archived_at }) => [
        name,
        archived_at === null ? parent_name : 'archived',
      ]),
    );

  it('grows from an empty organisation, and is walked, changed, moved and archived by keys alone', async () => {
    const { context, page, troubles, organisationId } = await opened('org-units', 'Org units');
    await page.getByRole('heading', { name: 'No org units yet' }).waitFor();
    await page.getByRole('button', { name: 'Add a unit…' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('Engineering');
    await page.keyboard.press('Enter');
    const item = (name: string) => page.getByRole('treeitem', { name: new RegExp(`^${name}`) });
    await item('Engineering').focus();
    await page.keyboard.press('Insert');
    await page.getByRole('textbox', { name: 'Name' }).fill('Quality');
    await page.keyboard.press('Enter');
    await item('Quality').waitFor();
    expect(await item('Quality').getAttribute('aria-level')).toBe('2');
    await unit(organisationId, 'Sales');
    await page.reload();
    await item('Engineering').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+x');
    await page.keyboard.press('s');
    expect(await item('Sales').getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Control+v');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await treeOf(organisationId)).toEqual({ Engineering: null, Quality: 'Sales', Sales: null });
    await item('Quality').focus();
    await page.keyboard.press('Delete');
    await item('Quality').waitFor({ state: 'detached' });
    expect(await treeOf(organisationId)).toMatchObject({ Quality: 'archived' });
    await item('Sales').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('Revenue');
    await page.keyboard.press('Enter');
    await item('Revenue').waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('is moved by drag, to another unit and to the top, and taken back', async () => {
    const { context, page, organisationId } = await opened('org-units', 'Org units');
    const top = await unit(organisationId, 'Company');
    await unit(organisationId, 'Engineering', top.id);
    await unit(organisationId, 'Sales', top.id);
    await page.reload();
    const item = (name: string) => page.getByRole('treeitem', { name });
    await item('Sales').dragTo(item('Engineering'));
    await page.getByText('Sales is now below Engineering.').first().waitFor();
    expect(await treeOf(organisationId)).toMatchObject({ Sales: 'Engineering' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('treeitem', { name: 'Sales', level: 2 } as never).waitFor();
    await item('Engineering').dragTo(page.getByText('Drop here to move a unit to the top'));
    await page.getByText('Engineering is now below Top of the tree.').first().waitFor();
    expect(await treeOf(organisationId)).toEqual({ Company: null, Engineering: null, Sales: 'Company' });
    await context.close();
  });
});

describe.each(SCHEMES)('in %s', (colorScheme) => {
  it('axe finds nothing in locations, dictionaries and units, and they fit 360 pixels', async () => {
    const { context, page, organisationId } = await opened('org-units', 'Org units', { colorScheme, width: 360 });
    const top = await createOrgUnit(api.services, testContext(organisationId), {
      ...ORG_UNIT.initial,
      name: 'Research and Development',
    } as never);
    await createOrgUnit(api.services, testContext(organisationId), {
      ...ORG_UNIT.initial,
      name: 'Quality',
      parent_id: top.id,
    } as never);
    for (const [part, heading] of [
      ['org-units', 'Org units'],
      ['locations', 'Locations'],
      ['dictionaries', 'Dictionaries'],
      ['organisation', 'Organisation'],
    ] as const) {
      await openScreen(page, `${api.url}/console/settings/${part}`, heading);
      expect([part, await findingsOf(page)]).toEqual([part, []]);
      expect([part, await isTooWide(page)]).toEqual([part, false]);
    }
    await context.close();
  });
});
