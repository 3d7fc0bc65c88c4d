import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Role } from '#kernel/roles.js';
import { invited } from './api/browser-session.js';
import type { TestApi } from './api/test-api.js';

/** A browser's window in which somebody is signed in. */
export interface SignedInWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, what its console calls errors, and requests to any other address. */
  readonly troubles: readonly string[];
}

/** How a window looks. */
export interface WindowOptions {
  readonly colorScheme?: 'light' | 'dark';
  /** In pixels of the style sheets. */
  readonly width?: number;
  readonly email?: string;
}

/**
 * Opens a window of its own, in which a new user with the role signs in by a link. Ends on the first screen
 * that the role opens.
 */
export async function signInByLink(
  browser: Browser,
  api: TestApi,
  organisationId: string,
  role: Role,
  { colorScheme = 'light', width = 1280, email }: WindowOptions = {},
): Promise<SignedInWindow> {
  const { token } = await invited(api, organisationId, role, email === undefined ? {} : { email });
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', ({ message }) => troubles.push(message));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(api.url)) troubles.push(request.url());
  });
  await page.goto(`${api.url}/console/sign-in#${token}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Screens', includeHidden: true }).waitFor({ state: 'attached' });
  // Whether a session is there is asked before there is one, which the browser calls an error.
  // The console repeats a read that a busy service answers with 503, and the tests wait for its result.
  page.on('console', (said) => {
    if (said.type() === 'error' && !said.text().includes('503 (Service Unavailable)')) troubles.push(said.text());
  });
  return { context, page, troubles };
}

/** Chooses the language of the user, in which the next page is shown, and removes their views. */
export async function chooseLanguage(page: Page, language: 'en' | 'de' | 'fr' | 'es'): Promise<void> {
  const status = await page.evaluate(
    async (body) =>
      (await fetch('/console/preferences', { method: 'PUT', headers: { 'content-type': 'application/json' }, body }))
        .status,
    JSON.stringify({ language, views: [] }),
  );
  if (status !== 204) throw new Error(`the language could not be chosen: ${status}`);
}

/**
 * Returns what axe finds on the page as it is, of any impact, each with its impact and the elements
 * concerned (WCAG 2.2, levels A and AA). Findings count that stay: a button that becomes enabled during a
 * check is pale.
 */
export async function findingsOf(page: Page): Promise<readonly unknown[]> {
  let findings = await findingsNow(page);
  for (let attempt = 1; attempt < 5 && findings.length > 0; attempt += 1) findings = await findingsNow(page);
  return findings;
}

async function findingsNow(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(axe.source);
  // A colour within a transition is no finding; loaders never end.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished),
  ).then(() => null)`);
  const { violations } = await page.evaluate(async () => {
    const { axe: inPage } = globalThis as unknown as { axe: typeof axe };
    return inPage.run({
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
  });
  return violations.map(({ impact, id, nodes }) => [impact, id, nodes.map(({ html }) => html.slice(0, 200))]);
}

/** Opens a screen, and waits until it shows what it has read. */
export async function openScreen(page: Page, address: string, heading: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  await page
    .getByText(/^Reading .*…$/)
    .first()
    .waitFor({ state: 'detached' });
}

/** Whether the page scrolls sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  // A text, because the types of tests have no page.
  return page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
}
