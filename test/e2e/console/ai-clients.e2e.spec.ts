import type { Browser } from 'playwright-core';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { startBrowser } from '../../support/browser.js';
import { findingsOf, isTooWide, openScreen, signInByLink } from '../../support/console.js';
import { connect } from '../../support/mcp.js';

let api: TestApi;
let of: TestOrganisation;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([TestApi.start(), startBrowser()]);
  of = await api.organisation();
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

it.each([
  ['light', 1280],
  ['dark', 360],
] as const)(
  'an employee connects an AI client by keyboard, and disconnects it, in %s at %i pixels',
  async (colorScheme, width) => {
    const options = { colorScheme, width, email: `employee-${colorScheme}@users.example` };
    const { page, context, troubles } = await signInByLink(browser, api, of.row.id, 'employee', options);
    const dialog = page.getByRole('dialog');
    const expectSound = async (): Promise<void> =>
      expect([await findingsOf(page), await isTooWide(page)]).toEqual([[], false]);
    await openScreen(page, `${api.url}/console/me`, 'My page');
    await page.getByRole('button', { name: options.email }).press('Enter');
    await page.getByRole('menuitem', { name: 'AI clients' }).press('Enter');
    await page.getByText('No AI client is connected').waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'Connect an AI client' }).press('Enter');
    await dialog.getByLabel('Name').fill('Claude on my laptop');
    await expectSound();
    await page.keyboard.press('Enter');
    await dialog.getByText('The AI client is connected').waitFor();
    await expectSound();
    const [address, token] = [
      dialog.getByLabel('Address of the server'),
      dialog.getByLabel('The token', { exact: true }),
    ];
    expect(await address.innerText()).toBe(`${api.url}/mcp`);
    const client = await connect(api.url, await token.innerText());
    await client.close();
    await dialog.getByRole('button', { name: 'Done' }).press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: 'Claude on my laptop' });
    await row.getByText('reads until').waitFor();
    await expectSound();
    await row.getByRole('button', { name: 'Disconnect Claude on my laptop' }).press('Enter');
    await dialog.getByText('It can read nothing more.').waitFor();
    await expectSound();
    await dialog.getByRole('button', { name: 'Disconnect', exact: true }).press('Enter');
    await page.getByText('No AI client is connected').waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  },
);
