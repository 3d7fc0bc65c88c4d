import { existsSync, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Commands and places of browsers, which `scripts/ensure-test-programs.mjs` reads too. */
const CANDIDATES = JSON.parse(readFileSync(join(__dirname, 'browsers.json'), 'utf8')) as readonly string[];

/** Starts a headless browser of the Chromium family. Throws where none is installed. */
export function startBrowser(): Promise<Browser> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = CANDIDATES.flatMap((name) => (isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))));
  const executablePath = places.find((place) => existsSync(place));
  if (executablePath === undefined) throw new Error('no browser is installed: "node scripts/ensure-test-programs.mjs" says how to get one');
  // Chromium refuses its sandbox to root. It opens pages of this project only.
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}
