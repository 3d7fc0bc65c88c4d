import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CommandServices } from '#commands/services.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { generateApiKey } from '#identifiers/api-key.js';
import { SCOPES } from '#kernel/scopes.js';
import { createApiKey } from '../support/access.js';
import { eventually } from '../contract/event-store.support.js';
import { AnswerCheck, type OpenApiDocument } from '../support/api/answer-check.js';
import { ApiClient, dataOf } from '../support/api/http-client.js';
import type { Person } from '../support/api/shapes.js';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import { Installation } from '../support/faults/installation.js';
import { Receiver } from '../support/webhooks/receiver.js';

const SHIFT = 600_000;
/** One clock is ten minutes fast, the other ten minutes slow; the database's is right. */
const SHIFTS = { 'api 1': SHIFT, 'api 2': -SHIFT, 'worker 1': SHIFT, 'worker 2': -SHIFT };
/** What an instant may differ by for other reasons, such as a busy machine. */
const SLACK = 240_000;

let installation: Installation;
let services: CommandServices;
let organisation: OrganisationRow;
let check: AnswerCheck;
let fast: ApiClient;
let slow: ApiClient;
const clients: ApiClient[] = [];

beforeAll(async () => {
  installation = await Installation.start();
  services = await servicesOf({ url: installation.url, pool: installation.pool, drop: () => Promise.resolve() });
  organisation = await newOrganisation(services);
  const { apiKey } = await newKey(services, organisation);
  const module = join(__dirname, '..', 'support', 'faults', 'shifted-clock.mjs');
  for (const [name, shift] of Object.entries(SHIFTS))
    await installation.launch(name, { NODE_OPTIONS: `--import=${module}`, CLOCK_SHIFT_MILLISECONDS: String(shift) });
  await Promise.all(installation.names.map((name) => installation.untilReady(name)));
  check = new AnswerCheck(
    (await (await fetch(`${installation.addressOf('api 1')}/api/v1/openapi.json`)).json()) as OpenApiDocument,
  );
  [fast, slow] = both(apiKey) as [ApiClient, ApiClient];
});

afterAll(async () => {
  for (const client of clients) client.close();
  await installation.stop();
});

function both(apiKey: string): readonly ApiClient[] {
  const made = installation.apis.map((name) => new ApiClient(installation.addressOf(name), apiKey, check));
  clients.push(...made);
  return made;
}

async function keyThatExpires(expiresAt: Date): Promise<string> {
  const { apiKey, ...secret } = generateApiKey('live');
  await createApiKey(services, testContext(organisation.id), organisation, {
    name: 'test',
    environment: 'live',
    scopes: SCOPES,
    ...secret,
    expiresAt,
    now: new Date(0),
  });
  return apiKey;
}

describe('processes whose clocks are ten minutes fast and ten minutes slow', () => {
  it('agree on when a key expires', async () => {
    const alive = await keyThatExpires(new Date(Date.now() + SHIFT - SLACK));
    for (const client of both(alive)) expect((await client.get('/me')).status).toBe(200);
    const expired = await keyThatExpires(new Date(Date.now() - SLACK));
    for (const client of both(expired)) expect((await client.get('/me')).status).toBe(401);
  });

  it('record and find what was written when it was, and answer each other\u2019s keys', async () => {
    const began = new Date().toISOString();
    for (const [one, other] of [
      [fast, slow],
      [slow, fast],
    ] as const) {
      const body = { work_email: `${randomUUID()}@example.com`, start_date: '2020-01-01' };
      const idempotencyKey = randomUUID();
      const created = await one.post<Person>('/people', body, { idempotencyKey });
      const again = await other.post<Person>('/people', body, { idempotencyKey });
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, created.text, 'true']);
      const { id } = dataOf(201, created);
      const found = dataOf(200, await other.get<readonly Person[]>('/people', { updated_since: began }));
      expect(found.map((person) => person.id)).toContain(id);
      const { rows } = await installation.pool.query<{ recorded_at: Date }>(
        'select max(recorded_at) as recorded_at from events where stream like $1',
        [`person-%${id}`],
      );
      expect(Math.abs(rows[0]!.recorded_at.getTime() - Date.now())).toBeLessThan(SLACK);
      expect(Number(/t=(\d+)/.exec(String(again.headers['ratelimit']))![1])).toBeLessThanOrEqual(60);
    }
  });

  it('deliver at once and sign with the right time, whichever of the workers leads', async () => {
    const receiver = new Receiver();
    try {
      dataOf(
        201,
        await fast.post('/webhooks', {
          name: 'R',
          url: `${await receiver.start()}/in`,
          subscribed_events: ['person.created'],
        }),
      );
      for (const leader of ['worker 1', 'worker 2']) {
        const before = receiver.requests.length;
        await slow.post('/people', { work_email: `${randomUUID()}@example.com` });
        await receiver.until((requests) => requests.length > before);
        const { headers, at } = receiver.requests.at(-1)!;
        expect(Math.abs(Number(headers['service-webhook-timestamp']) * 1_000 - at)).toBeLessThan(SLACK);
        const metrics = await (await fetch(`${installation.operationsOf(leader)}/metrics`)).text();
        for (const [, lag] of metrics.matchAll(/^workforce_projection_lag_seconds\{.*\} (\S+)$/gm))
          expect(Number(lag)).toBeLessThan(SLACK / 1_000);
        if (leader === 'worker 1') await installation.end('worker 1', 'SIGKILL');
      }
    } finally {
      await receiver.stop();
    }
  });
});

describe('a worker that leads and hangs', () => {
  it('is followed by another within seconds, and does no harm when it wakes', async () => {
    const sleeper = 'worker 2';
    await installation.launch('worker 3');
    await installation.untilReady('worker 3');
    process.kill(installation.processOf(sleeper).pid, 'SIGSTOP');
    const began = performance.now();
    const person = dataOf(201, await fast.post<Person>('/people', { work_email: `${randomUUID()}@example.com` }));
    const told = async (): Promise<boolean> =>
      (await installation.pool.query('select from webhook_events where resource_id = $1', [person.id])).rowCount === 1;
    await eventually(told);
    process.stdout.write(`another worker went on ${Math.round(performance.now() - began)} ms after the leader hung\n`);
    process.kill(installation.processOf(sleeper).pid, 'SIGCONT');
    dataOf(201, await fast.post<Person>('/people', { work_email: `${randomUUID()}@example.com` }));
    await installation.untilReady(sleeper);
    const { rows } = await installation.pool.query<{ pids: number }>(
      `select count(distinct l.pid)::int as pids from pg_locks l where l.locktype = 'advisory' and l.objid = 7310002 and l.granted`,
    );
    expect(rows[0]!.pids).toBe(1);
  });
});
