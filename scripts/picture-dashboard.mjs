/**
 * Creates the pictures of the dashboard in docs/pictures: starts the program over a PostgreSQL of its own,
 * gives it failing receivers and a few hundred deliveries, lets a worker send them, and photographs the pages
 * of the operations listener.
 *
 * `node scripts/picture-dashboard.mjs`, after `npm run build`. Needs chromium on PATH (Debian: chromium).
 * Takes about a minute.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../dist/libs/embedded-postgres/embedded-postgres.js';
import { createPool } from '../dist/libs/database/pool.js';
import { queueDelivery } from '../dist/libs/webhooks/deliver/delivery-changes.js';

const root = resolve(import.meta.dirname, '..');
const pictures = join(root, 'docs', 'pictures');
const program = join(root, 'dist', 'apps', 'cli', 'main.js');
const MAX_BYTES = 300_000;
const TIMEOUT_MILLISECONDS = 60_000;
const TYPES = ['person.updated', 'time_off.created', 'time_off.approved', 'person.created'];

/**
 * For each endpoint its name, its receiver's response, the number of deliveries, and their status in the
 * pictures.
 */
const ENDPOINTS = [
  { name: 'Directory sync', answer: 204, deliveries: 96, state: 'delivered' },
  { name: 'Payroll sync', answer: 503, deliveries: 180, state: 'retry_scheduled' },
  { name: 'Badge printer', answer: 400, deliveries: 7, state: 'failed' },
  { name: 'Shift planner', answer: 204, deliveries: 148, state: 'pending' },
];

const directory = mkdtempSync(join(tmpdir(), 'workforce-pictures-'));
// As root, PostgreSQL runs as another user, who needs access.
chmodSync(directory, 0o711);
const postgres = await startEmbeddedPostgres({ directory, durable: false });
const environment = {
  ...process.env,
  DATABASE_URL: postgres.url,
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  LOG_LEVEL: 'error',
  PORT: '0',
  SANDBOX_PORT: '0',
  OPS_PORT: '0',
};
const pool = createPool(postgres.url, { applicationName: 'pictures', maximum: 2 });
const receivers = [];
try {
  workforce('migrate');
  const { id: organisationId } = workforce(
    'organisations',
    'create',
    '--name',
    'Acme Ltd',
    '--subdomain',
    'acme',
    '--country',
    'GB',
    '--plan',
    'standard',
    '--time-zone',
    'Europe/London',
  );
  const endpoints = [];
  for (const endpoint of ENDPOINTS) endpoints.push({ ...endpoint, id: await createEndpoint(endpoint) });
  const sent = endpoints.filter(({ state }) => state !== 'pending');
  for (const endpoint of sent) await queue(organisationId, endpoint);
  await whileRunning('worker', () => reached(sent));
  for (const endpoint of endpoints.filter(({ state }) => state === 'pending')) await queue(organisationId, endpoint);
  await whileRunning('api', async ({ operations }) => {
    await reached(endpoints);
    mkdirSync(pictures, { recursive: true });
    photograph(`${operations}/queues/`, 'dashboard-overview.png', [1600, 500]);
    photograph(`${operations}/queues/queue/webhook-deliveries?status=failed`, 'dashboard-failed.png', [1280, 900]);
  });
} finally {
  await pool.end();
  for (const receiver of receivers) receiver.close();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Runs a command to its end, and returns its output with --json. */
function workforce(...parameters) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...parameters, '--json'], {
    env: environment,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`workforce ${parameters.join(' ')} failed: ${stderr}`);
  return JSON.parse(stdout);
}

/**
 * Starts a receiver that answers with one status, and creates an endpoint for it. Returns the endpoint's id.
 */
async function createEndpoint({ name, answer }) {
  const receiver = createServer((request, response) =>
    request.resume().on('end', () => response.writeHead(answer).end()),
  );
  await new Promise((listening) => receiver.listen(0, '127.0.0.1', listening));
  receivers.push(receiver);
  return workforce(
    'webhooks',
    'create',
    '--organisation',
    'acme',
    '--name',
    name,
    '--url',
    `http://127.0.0.1:${receiver.address().port}/hooks`,
    '--events',
    'all',
  ).id;
}

async function queue(organisationId, { id: webhookId, name, deliveries }) {
  for (let number = 1; number <= deliveries; number += 1) {
    const id = `${name.toLowerCase().replace(' ', '_')}_${String(number).padStart(3, '0')}`;
    const event = {
      id: `evt_${id}`,
      type: TYPES[number % TYPES.length],
      occurredAt: new Date().toISOString(),
      resourceId: 'none',
      resourceType: 'person',
    };
    const queued = await queueDelivery(pool, { organisationId, webhookId, deliveryId: `whd_${id}` }, event);
    if (queued !== 'queued') throw new Error(`a delivery was not queued: ${queued}`);
  }
}

/** Resolves when each status has the expected number of deliveries. */
async function reached(endpoints) {
  for (const deadline = Date.now() + TIMEOUT_MILLISECONDS; ; await wait(200)) {
    const { rows } = await pool.query('select status, count(*)::int as count from webhook_deliveries group by 1');
    const counts = Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    if (endpoints.every(({ state, deliveries }) => counts[state] === deliveries)) return;
    if (Date.now() > deadline)
      throw new Error(`the deliveries did not come to their states: ${JSON.stringify(counts)}`);
  }
}

/**
 * Runs `workforce api` or `workforce worker` for the duration of the work, which receives the printed
 * addresses.
 */
async function whileRunning(command, work) {
  const child = spawn(process.execPath, [program, command, '--json'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((end) => child.once('exit', end));
  try {
    const line = await new Promise((first, fail) => {
      child.stdout.once('data', first);
      child.once('exit', (code) => fail(new Error(`workforce ${command} ended with ${code}`)));
    });
    await work(JSON.parse(String(line)));
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

function photograph(url, name, size) {
  const profile = mkdtempSync(join(tmpdir(), 'workforce-chromium-'));
  const file = join(pictures, name);
  const quiet = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--hide-scrollbars',
  ];
  const { status, stderr } = spawnSync(
    'chromium',
    [
      ...quiet,
      `--user-data-dir=${profile}`,
      `--window-size=${size.join(',')}`,
      '--virtual-time-budget=10000',
      `--screenshot=${file}`,
      url,
    ],
    { encoding: 'utf8', timeout: TIMEOUT_MILLISECONDS },
  );
  rmSync(profile, { recursive: true, force: true });
  if (status !== 0) throw new Error(`chromium did not make ${name}: ${stderr}`);
  const bytes = statSync(file).size;
  if (bytes > MAX_BYTES) throw new Error(`${name} has ${bytes} bytes, more than ${MAX_BYTES}`);
  console.log(`${name}: ${bytes} bytes`);
}
