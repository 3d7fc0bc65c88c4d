import { existsSync, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Commands and places of browsers, which `scripts/ensure-test-programs.mjs` reads too. */
const CANDIDATES = JSON.parse(readFileSync(join(__dirname, 'browsers.json'), 'utf8')) as readonly string[];

/**
 * How long a page may take to show what a test waits for, in milliseconds: a machine that does other work
 * must not turn a test red.
 */
const PATIENCE_MILLISECONDS = 600_000;

/** Starts a headless browser of the Chromium family. Throws where none is installed. */
export async function startBrowser(): Promise<Browser> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = CANDIDATES.flatMap((name) =>
    isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name)),
  );
  const executablePath = places.find((place) => existsSync(place));
  if (executablePath === undefined)
    throw new Error('no browser is installed: "node scripts/ensure-test-programs.mjs" says how to get one');
  // Chromium refuses its sandbox to root. It opens pages of this project only.
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  const newContext = browser.newContext.bind(browser);
  // A page that is opened without a context gets its own by this method too.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MILLISECONDS);
    return context;
  };
  return browser;
}
