import type { Browser, Page } from 'playwright-core';
import { dataOf, tagOf } from '../../support/api/http-client.js';
import { signedIn } from '../../support/api/browser-session.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, isTooWide, openScreen, signInByLink } from '../../support/console.js';

let api: TestApi;
let of: TestOrganisation;
let browser: Browser;
let personId: string;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
});
beforeEach(async () => {
  of = await api.organisation();
  ({ id: personId } = await new PeopleActions(of).create({ first_name: 'Ida', start_date: '2024-01-01' }));
  const { browser: administrator } = await signedIn(api, of.row.id, 'administrator', { email: newEmail() });
  const settings = (kind: string, body: object) =>
    administrator.send('POST', `/console/product-settings/${kind}`, { body });
  const field = { key: 'shirt', label: 'Shirt size', field_type: 'text', sensitivity: 'operational' };
  for (const { status } of [
    await settings('custom-fields', { ...field, api_access: 'read_write' }),
    await settings('document-types', { label: 'Contract' }),
  ])
    expect(status).toBe(201);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const read = async <Data>(path: string): Promise<Data> => dataOf(200, await of.client.get<Data>(path));

it('each card is edited in its place, by keys alone, and gives the focus back', async () => {
  const { context, page, troubles } = await signInByLink(browser, api, of.row.id, 'administrator', {
    email: newEmail(),
  });
  await openScreen(page, `${api.url}/console/people/${personId}`, 'Ida');
  const edit = async (title: string): Promise<void> => {
    await page.getByRole('button', { name: `Edit: ${title}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('form', { name: title }).waitFor();
  };
  const recorded = async (title: string): Promise<void> => {
    await page.getByRole('form', { name: title }).waitFor({ state: 'detached' });
    await page.locator(`[aria-label="Edit: ${title}"]:focus`).waitFor();
  };
  await edit('Identity');
  await page.keyboard.press('Escape');
  await recorded('Identity');
  await edit('Identity');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('Edith');
  await page.keyboard.press('Enter');
  await recorded('Identity');
  await page.getByRole('heading', { name: 'Edith' }).waitFor();

  await edit('Personal profile');
  await page.getByLabel('Date of birth').fill('1990-02-28');
  await page.getByLabel('Personal phone').fill('x');
  await page.keyboard.press('Enter');
  await page
    .getByText(/must be a phone number/)
    .first()
    .waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByLabel('Personal phone').fill('0117 496 0123');
  await page.getByLabel('Address line 1').fill('12 Elm Grove');
  await page.getByLabel('City').fill('Bristol');
  await page.getByRole('combobox', { name: 'Country' }).fill('United Kingdom');
  await page.getByRole('option', { name: 'United Kingdom' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await recorded('Personal profile');
  expect(await read(`/people/${personId}/personal`)).toMatchObject({
    date_of_birth: '1990-02-28',
    personal_phone_number: '0117 496 0123',
    home_address: { address_line_1: '12 Elm Grove', address_line_2: null, country: { country_code: 'GB' } },
  });

  await edit('Custom fields');
  await page.keyboard.type('Medium');
  await page.keyboard.press('Enter');
  await recorded('Custom fields');
  await card(page, 'Custom fields').getByRole('row', { name: 'Shirt size Medium' }).waitFor();
  expect(troubles.filter((said) => !/40[04]/.test(said))).toEqual([]);
  await context.close();
});

it('a custom field that another user changed meanwhile is shown, and the own input is kept', async () => {
  const { context, page } = await signInByLink(browser, api, of.row.id, 'administrator', { email: newEmail() });
  await openScreen(page, `${api.url}/console/people/${personId}?edit=custom-fields`, 'Ida');
  await page.getByLabel('Shirt size').fill('Large');
  const path = `/people/${personId}/custom-fields`;
  const before = await of.client.get<{ values: readonly { field_id: string }[] }>(path);
  const values = [{ field_id: dataOf(200, before).values[0]!.field_id, value: 'Small' }];
  dataOf(200, await of.client.patch(path, { values }, { ifMatch: tagOf(before) }));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: 'Shirt size – Small' }).waitFor();
  expect(await page.getByLabel('Shirt size').inputValue()).toBe('Large');
  await page.getByRole('button', { name: 'Save' }).click();
  await card(page, 'Custom fields').getByRole('row', { name: 'Shirt size Large' }).waitFor();
  await context.close();
});

it('each card keeps what was typed over a reload, until the user cancels', async () => {
  const { context, page } = await signInByLink(browser, api, of.row.id, 'administrator', { email: newEmail() });
  for (const [name, label] of [
    ['identity', 'First name'],
    ['personal', 'Middle names'],
    ['custom-fields', 'Shirt size'],
  ] as const) {
    const field = page.getByLabel(label);
    await openScreen(page, `${api.url}/console/people/${personId}?edit=${name}`, 'Ida');
    const before = await field.inputValue();
    await field.fill('Typed');
    await page.reload();
    await page.getByText('This form has what you typed before.').waitFor();
    expect([name, await field.inputValue()]).toEqual([name, 'Typed']);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await field.waitFor({ state: 'detached' });
    await openScreen(page, `${api.url}/console/people/${personId}?edit=${name}`, 'Ida');
    await field.waitFor();
    expect([name, await field.inputValue()]).toEqual([name, before]);
  }
  await openScreen(page, `${api.url}/console/people/${personId}`, 'Ida');
  const add = page.getByRole('button', { name: 'Add a document' });
  await add.click();
  await card(page, 'Documents').getByRole('textbox', { name: 'Name' }).fill('Contract.pdf');
  await page.reload();
  await add.click();
  expect(await card(page, 'Documents').getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Contract.pdf');
  await context.close();
});

it('documents are added from a file, changed and removed, and a picture is set and removed', async () => {
  const { context, page, troubles } = await signInByLink(browser, api, of.row.id, 'administrator', {
    email: newEmail(),
  });
  await openScreen(page, `${api.url}/console/people/${personId}`, 'Ida');
  await page.getByRole('button', { name: 'Add a document…' }).click();
  const file = { name: 'contract.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };
  await page.getByLabel('Read from a file').setInputFiles(file);
  await page.getByLabel('Kind').selectOption({ label: 'Contract' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit contract.pdf' }).click();
  expect(await page.getByLabel('Media type').inputValue()).toBe('application/pdf');
  await page.getByLabel('Expires on').fill('2030-01-31');
  await page.getByRole('button', { name: 'Save' }).click();
  await card(page, 'Documents').getByText('Contract, expires 31 Jan 2030').waitFor();
  const documents = `/documents?person_id=${personId}`;
  expect(await read(documents)).toMatchObject([{ name: 'contract.pdf', byte_size: 8, expires_on: '2030-01-31' }]);
  await page.getByRole('button', { name: 'Remove contract.pdf' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await card(page, 'Documents').getByText('None.').waitFor();
  expect(await read(documents)).toEqual([]);

  await page.getByRole('button', { name: 'Change the picture' }).click();
  const picture = await page.screenshot({ type: 'png', clip: { x: 0, y: 0, width: 64, height: 40 } });
  await page.getByLabel(/^Picture \(/).setInputFiles({ name: 'ida.png', mimeType: 'image/png', buffer: picture });
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).and(page.locator(':enabled')).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await read(`/people/${personId}/avatar`)).toMatchObject({
    content_type: 'image/jpeg',
    width_px: 512,
    height_px: 512,
  });
  await page.getByRole('button', { name: 'Change the picture' }).click();
  await page.getByRole('button', { name: 'Remove the picture' }).click();
  await page.getByRole('dialog', { name: 'Remove this picture?' }).getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The picture is removed.').waitFor();
  expect((await of.client.get(`/people/${personId}/avatar`)).status).toBe(404);
  expect(troubles.filter((said) => !/404/.test(said))).toEqual([]);
  await context.close();
});

it.each(['light', 'dark'] as const)('the forms fit 360 pixels, and axe finds nothing in %s', async (colorScheme) => {
  const { context, page } = await signInByLink(browser, api, of.row.id, 'administrator', {
    colorScheme,
    width: 360,
    email: newEmail(),
  });
  for (const name of ['identity', 'personal', 'custom-fields']) {
    await openScreen(page, `${api.url}/console/people/${personId}?edit=${name}`, 'Ida');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect([name, await findingsOf(page)]).toEqual([name, []]);
    expect([name, await isTooWide(page)]).toEqual([name, false]);
  }
  await context.close();
});

interface Shown {
  readonly entity_tag: string;
  readonly values: readonly { readonly key: string; readonly field_id: string; readonly value: unknown }[];
}

describe('the routes', () => {
  const routes = (): readonly (readonly [string, string, object])[] => [
    ['PATCH', `/console/people/${personId}/personal`, { middle_names: 'Marie' }],
    ['PUT', `/console/people/${personId}/picture`, { content: 'AAAA' }],
    ['POST', `/console/people/${personId}/documents`, {}],
    ['PATCH', '/console/documents/doc_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA', {}],
    ['POST', '/console/documents/doc_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA/remove', {}],
    ['POST', `/console/people/${personId}/picture/remove`, {}],
    ['PATCH', `/console/people/${personId}/custom-fields`, { values: [{ field_id: 'cf_AAAAAAAA.A', value: 1 }] }],
  ];

  it('are for sessions of users who may write, about people of their organisation', async () => {
    const other = await api.organisation();
    const [viewer, manager, stranger] = await Promise.all([
      signedIn(api, of.row.id, 'viewer', { email: newEmail() }),
      signedIn(api, of.row.id, 'manager', { email: newEmail() }),
      signedIn(api, other.row.id, 'administrator', { email: newEmail() }),
    ]);
    const valid = { name: 'a.pdf', document_type_id: 'dt_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA', content_type: 'a/b' };
    for (const [method, path, body] of routes()) {
      for (const { browser: reader } of [viewer, manager])
        expect([path, (await reader.send(method, path, { body })).status]).toEqual([path, 403]);
      const full = path.endsWith('documents') ? { ...valid, byte_size: 1 } : body;
      expect([path, (await stranger.browser.send(method, path, { body: full })).status]).toEqual([path, 404]);
      const headers = { authorization: `Bearer ${of.apiKey}`, 'content-type': 'application/json' };
      const byKey = await fetch(`${api.url}${path}`, { method, headers, body: JSON.stringify(full) });
      expect([path, byKey.status]).toEqual([path, 401]);
    }
  });

  it('write only the version that was read, of fields too that the API may neither see nor write', async () => {
    const { browser: hr } = await signedIn(api, of.row.id, 'administrator', { email: newEmail() });
    const secret = {
      key: 'badge',
      label: 'Badge',
      field_type: 'text',
      sensitivity: 'operational',
      api_access: 'hidden',
    };
    expect((await hr.send('POST', '/console/product-settings/custom-fields', { body: secret })).status).toBe(201);
    const types = await of.client.get<readonly { readonly id: string }[]>('/reference/document-types');
    const document_type_id = dataOf(200, types)[0]!.id;
    const metadata = {
      name: 'a.pdf',
      document_type_id,
      content_type: 'a/b',
      byte_size: 1,
      issued_on: null,
      expires_on: null,
    };
    const document = await hr.send('POST', `/console/people/${personId}/documents`, { body: metadata });
    const [documentId, about] = [(document.json.data as unknown as { id: string }).id, `/console/people/${personId}`];
    const shown = async (path: string) => (await hr.send('GET', path)).json.data as unknown as Shown;
    const fieldId = (await shown(`${about}/custom-fields`)).values.find(({ key }) => key === 'badge')!.field_id;
    for (const [path, body] of [
      [`${about}/personal`, { middle_names: 'Marie' }],
      [`/console/documents/${documentId}`, { name: 'b.pdf' }],
      [`${about}/custom-fields`, { values: [{ field_id: fieldId, value: '7' }] }],
    ] as const) {
      const headers = { 'if-match': `"${(await shown(path)).entity_tag}"` };
      expect([path, (await hr.send('PATCH', path, { body })).status]).toEqual([path, 428]);
      expect([path, (await hr.send('PATCH', path, { body, headers })).status < 300]).toEqual([path, true]);
      expect([path, (await hr.send('PATCH', path, { body, headers })).status]).toEqual([path, 412]);
    }
    expect(await shown(`${about}/personal`)).toMatchObject({ middle_names: 'Marie' });
    expect(await shown(`/console/documents/${documentId}`)).toMatchObject({ name: 'b.pdf' });
    expect((await shown(`${about}/custom-fields`)).values).toContainEqual(
      expect.objectContaining({ key: 'badge', label: 'Badge', value: '7' }),
    );
    const byApi = await read<{ values: readonly { key: string }[] }>(`/people/${personId}/custom-fields`);
    expect(byApi.values.map(({ key }) => key)).toEqual(['shirt']);
  });

  it('refuse what is no picture, no address and no field, and record nothing of it', async () => {
    const { browser: hr } = await signedIn(api, of.row.id, 'administrator', { email: newEmail() });
    const [profile, picture] = routes();
    const refused = async (method: string, path: string, body: object): Promise<unknown> => {
      const { status, json } = await hr.send(method, path, { body, headers: { 'if-match': '"r-1"' } });
      const { details } = json.error as unknown as { readonly details: readonly { readonly field: string }[] };
      return [status, details[0]?.field];
    };
    expect(await refused('PUT', picture![1], { content: 'no base64!' })).toEqual([400, 'content']);
    expect(await refused('PUT', picture![1], { content: 'AAAA' })).toEqual([400, 'file']);
    expect(await refused('PATCH', profile![1], { shoe_size: 43 })).toEqual([400, 'shoe_size']);
    const address = { address_line_1: 'a', city: 'b', country_code: 'XX' };
    expect(await refused('PATCH', profile![1], { home_address: address })).toEqual([400, 'home_address.country_code']);
    expect(await read(`/people/${personId}/personal`)).toMatchObject({ middle_names: null, home_address: null });
  });
});
