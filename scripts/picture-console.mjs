/**
 * Creates the pictures of the console in docs/pictures/console: starts the program with its demo data, signs
 * in as the demo's administrator, and photographs every screen.
 *
 * `node scripts/picture-console.mjs [--only NAME] [--output FOLDER] [--dark] [--width PIXELS]`, after
 * `npm run build`. With `--dark` the names end in `-dark`. Needs a browser of the Chromium family. Takes
 * about a minute.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const root = resolve(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    output: { type: 'string', default: join(root, 'docs', 'pictures', 'console') },
    dark: { type: 'boolean', default: false },
    width: { type: 'string', default: '1280' },
  },
});

/**
 * The name of each picture, the address below `/console`, and the heading that it waits for. `NADIA` is the
 * id of the demo's first person to look at.
 */
const PICTURES = [
  ['directory', '/people', 'Directory'],
  ['directory-as-of', '/people?as_of=2024-03-01', 'Directory'],
  ['person', '/people/NADIA', 'Nadia Rahman'],
  ['correct', '/people/NADIA?form=correct', 'Correct history'],
  ['hire', '/people/new', 'Hire a person'],
  ['timeline', '/people/NADIA/timeline?as_of=2026-09-16&known_at=2026-10-11T12:00:00Z', 'Timeline of Nadia Rahman'],
  ['balance', '/people/NADIA/balance', 'Balance of Nadia Rahman'],
  ['org-chart', '/org-chart', 'Org chart'],
  ['who-is-out', '/time-off', 'Who is out'],
  ['payroll', '/payroll?from=2026-09-01&to=2026-09-30', 'Payroll'],
  ['audit', '/audit?resource=employment', 'Audit'],
  ['audit-verification', '/audit?view=verification', 'Audit'],
  ['webhooks', '/webhooks', 'Webhooks'],
  ['proposals', '/proposals', 'Write proposals'],
  ['requests', '/requests', 'Requests'],
  ['access', '/access', 'Keys and users'],
  ['imports', '/imports', 'Imports'],
  ['settings-org-units', '/settings/org-units', 'Org units'],
  ['settings-policy', '/settings/time-off-policy', 'Time-off policy'],
];

/** The name of the picture of the operators' page. */
const OPERATIONS = 'operations';
const TOKEN = 'a-token-for-pictures';

const directory = mkdtempSync(join(tmpdir(), 'workforce-pictures-'));
const main = join(root, 'dist', 'apps', 'cli', 'main.js');
const env = {
  ...process.env,
  WORKFORCE_DATA_DIR: directory,
  PORT: '0',
  SANDBOX_PORT: '0',
  OPS_PORT: '0',
  OPS_TOKEN: TOKEN,
  LOG_LEVEL: 'error',
};
const program = spawn(process.execPath, [main, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const ended = new Promise((end) => program.once('exit', end));
try {
  const link = await printed(/(http:\S+)\/console\/sign-in#(\S+)/);
  const [, operations] = /Operations\s+(http:\/\/[^/]+)\//.exec(link.input);
  for (const command of ['anchor', 'verify'])
    execFileSync(process.execPath, [main, 'audit', command], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [, nadia] = /people\/(\w+)\/timeline/.exec(link.input);
  const browser = await chromium.launch({
    executablePath: browserPath(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const page = await browser.newPage({
    viewport: { width: Number(options.width), height: 820 },
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    httpCredentials: { username: 'operator', password: TOKEN, origin: operations },
  });
  await page.goto(`${link[1]}/console/sign-in#${link[2]}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // The page of the sign-in has a heading too.
  await page.waitForURL(({ pathname }) => !pathname.endsWith('/sign-in'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  mkdirSync(options.output, { recursive: true });
  for (const [name, path, heading] of PICTURES.filter(
    ([name]) => options.only === undefined || name === options.only,
  )) {
    await page.goto(`${link[1]}/console${path.replace('NADIA', nadia)}`);
    await photograph(page, name, heading);
  }
  if (options.only === undefined || options.only === OPERATIONS) {
    await page.goto(`${operations}/console`);
    await photograph(page, OPERATIONS, 'Operations');
  }
  await browser.close();
} finally {
  program.kill('SIGTERM');
  await ended;
  rmSync(directory, { recursive: true, force: true });
}

async function photograph(page, name, heading) {
  const file = `${name}${options.dark ? '-dark' : ''}.png`;
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  // The network may be idle before the page has begun to load its data.
  await page.waitForFunction(() => !/^Reading /m.test(document.body.innerText));
  await page.screenshot({ path: join(options.output, file) });
  console.log(file);
}

/** Resolves to the match of the pattern in the program's output. */
function printed(pattern) {
  let text = '';
  return new Promise((found, fail) => {
    program.stdout.on('data', (chunk) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match !== null) found(match);
    });
    program.once('exit', (code) => fail(new Error(`the program ended with ${code}: ${text}`)));
  });
}

function browserPath() {
  const candidates = JSON.parse(readFileSync(join(root, 'test', 'support', 'browsers.json'), 'utf8'));
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = candidates.flatMap((name) =>
    isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name)),
  );
  const place = places.find((one) => existsSync(one));
  if (place === undefined)
    throw new Error('no browser is installed: "node scripts/ensure-test-programs.mjs" explains how to install one');
  return place;
}
