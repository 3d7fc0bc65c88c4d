import { openJobEngine } from '#jobs/job-engine.js';
import { DeliveryQueues } from '#webhooks/deliver/delivery-queues.js';
import { dueDeliveries } from '#webhooks/deliver/sweep.js';
import { createHmac } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { inTransaction } from '#database/transaction.js';
import { IdMint } from '#identifiers/id-mint.js';
import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { Projector } from '#projections/projector.js';
import { PROJECTIONS } from '#composition/registry.js';
import { queueDelivery } from '#webhooks/deliver/delivery-changes.js';
import { type KnownNotice } from '#webhooks/publish/notices.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { startWebhooks } from '#worker/webhooks.js';
import { eventually } from '../../test/contract/event-store.support.js';
import { testCommandBus } from '../../test/support/command-bus.js';
import { testEventStore } from '../../test/support/event-store.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { freePort } from '../../test/support/free-ports.js';
import { runWorkforce, type RunningProcess, startWorkforce } from '../../test/support/processes.js';
import { programOver, words } from '../../test/support/program.js';
import { temporaryDirectory } from '../../test/support/test-server.js';
import { insertEvents } from '../../test/support/webhooks/endpoint-rows.js';
import { exitCodeOfSentence } from '../../test/support/exit-codes.js';

const OF_ACME = ['--organisation', 'acme'];
/** A public address, which needs no look-up. */
const URL = 'https://93.184.216.34/hooks';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Endpoint {
  readonly id: string;
  readonly signing_secret: string;
  readonly [field: string]: unknown;
}

let database: TestDatabase;
let directory: string;
let organisationId: string;
let environment: Record<string, string>;
let running: RunningProcess[];

beforeAll(async () => {
  database = await createTestDatabase();
  directory = await temporaryDirectory();
  environment = { DATABASE_URL: database.url, WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
  const created = await json<{ id: string }>(
    ...words(
      'organisations create --name Acme --subdomain acme --country GB --plan standard --time-zone America/New_York',
    ),
  );
  organisationId = created.id;
});
afterAll(async () => {
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => {
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.end('SIGKILL')));
  for (const { id } of await endpoints()) await json('webhooks', 'delete', id, ...OF_ACME);
  await database.pool.query('delete from webhook_events');
});

const { workforce, json } = programOver(() => database, { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' });

async function refused(...parameters: readonly string[]): Promise<string> {
  const { code, stderr } = await workforce(...parameters);
  expect(code).toBe(exitCodeOfSentence(stderr));
  return stderr.trimEnd();
}

const endpoints = async (): Promise<readonly Endpoint[]> =>
  (await json<{ webhooks: Endpoint[] }>('webhooks', 'list', ...OF_ACME)).webhooks;
const create = (events = 'all'): Promise<Endpoint> =>
  json<Endpoint>('webhooks', 'create', ...OF_ACME, '--name', 'Payroll', '--url', URL, '--events', events);

describe('workforce webhooks', () => {
  it('creates, changes and deletes endpoints, and shows a secret once', async () => {
    const created = await create('person.created, person.updated');
    expect(created).toEqual({
      id: expect.stringMatching(/^wh_/) as string,
      name: 'Payroll',
      url: URL,
      subscribed_events: ['person.created', 'person.updated'],
      status: 'active',
      disabled_reason: null,
      disabled_at: null,
      secret_last_four: created.signing_secret.slice(-4),
      created_at: expect.stringMatching(TIME) as string,
      updated_at: expect.stringMatching(TIME) as string,
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    });
    const { signing_secret, ...shown } = created;
    const changed = await json(
      'webhooks',
      'change',
      created.id,
      ...OF_ACME,
      '--name',
      ' Pay  roll ',
      '--events',
      'all',
      '--disable',
    );
    expect(changed).toEqual({
      ...shown,
      name: 'Pay roll',
      subscribed_events: Object.keys(WEBHOOK_EVENTS),
      status: 'disabled',
      disabled_reason: 'caller',
      disabled_at: expect.stringMatching(TIME) as string,
      updated_at: expect.any(String) as string,
    });
    const { stdout } = await workforce('webhooks', 'list', ...OF_ACME);
    expect(stdout).toMatch(
      new RegExp(
        `^ID .*\n${created.id} +Pay roll +https://93\\.184\\.216\\.34/hooks +disabled since \\S+ \\(caller\\) +0 +0 +0 +0 +all\n$`,
      ),
    );
    expect(await json('webhooks', 'change', created.id, ...OF_ACME, '--enable')).toMatchObject({
      status: 'active',
      disabled_at: null,
    });
    const rotated = await workforce('webhooks', 'rotate-secret', created.id, ...OF_ACME);
    const [secret] = rotated.stdout.split('\n');
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(signing_secret);
    expect(rotated.stdout).toContain(
      'The secret is shown only once. The previous secret also signs for 24 hours. Rotated Pay roll',
    );
    const [listed] = await endpoints();
    expect(listed).toMatchObject({
      id: created.id,
      secret_last_four: secret!.slice(-4),
      health: 'unknown',
      counts: { pending: 0, retry_scheduled: 0, delivered: 0, failed: 0 },
    });
    expect(JSON.stringify(listed)).not.toContain('whsec_');
    expect((await workforce('webhooks', 'delete', created.id, ...OF_ACME)).stdout).toBe(
      `Deleted Pay roll (${created.id}).\n`,
    );
    expect(await endpoints()).toEqual([]);
  });

  it('lists, shows, redelivers and resends deliveries, newest first', async () => {
    const { id: webhookId } = await create('person.updated');
    const ids = ['whd_a', 'whd_b', 'whd_c'];
    for (const [index, deliveryId] of ids.entries()) {
      const type = index === 2 ? 'person.created' : 'person.updated';
      const place = { organisationId, webhookId, deliveryId };
      const about = { resourceId: `ada ${index}`, resourceType: 'person' };
      await inTransaction(database.pool, (connection) =>
        queueDelivery(connection, place, {
          id: `evt_${deliveryId}`,
          type,
          occurredAt: '2026-03-01T12:00:00.000Z',
          ...about,
        }),
      );
      await database.pool.query('update webhook_deliveries set created_at = $2 where id = $1', [
        deliveryId,
        `2026-03-0${index + 1}T04:59:59.999Z`,
      ]);
    }
    const fail = `update webhook_deliveries set status = 'failed', attempt_count = 2, next_attempt_at = null, finished_at = clock_timestamp(), last_http_status = 404,
      failure_class = 'http_non_retryable', failure_message = 'the endpoint answered 404' where id = $1`;
    await database.pool.query(fail, ['whd_b']);
    await database.pool.query(
      `insert into webhook_attempts (organisation_id, delivery_id, number, started_at, duration_ms, http_status, failure_class, failure_message)
       values ($1, 'whd_b', 1, '2026-03-02T05:00:00Z', 15000, null, 'network', 'no answer came'), ($1, 'whd_b', 2, '2026-03-02T05:01:00Z', 87, 404, 'http_non_retryable', 'the endpoint answered 404')`,
      [organisationId],
    );
    const listed = async (...more: readonly string[]) =>
      (await json<{ deliveries: { id: string }[] }>('webhooks', 'deliveries', ...OF_ACME, ...more)).deliveries.map(
        ({ id }) => id,
      );
    expect(await listed()).toEqual(['whd_c', 'whd_b', 'whd_a']);
    expect(await listed('--limit', '2', '--webhook', webhookId)).toEqual(['whd_c', 'whd_b']);
    expect(await listed('--status', 'failed')).toEqual(['whd_b']);
    expect(await listed('--event-type', 'person.created')).toEqual(['whd_c']);
    // The day begins at five o'clock UTC in New York: all but the last one were made on the day before.
    expect(await listed('--since', '2026-03-02')).toEqual(['whd_c']);
    expect(await listed('--since', '2026-03-02T04:59:59.999Z')).toEqual(['whd_c', 'whd_b']);
    const shown = await json('webhooks', 'delivery', 'whd_b', ...OF_ACME);
    expect(shown).toMatchObject({
      id: 'whd_b',
      webhook_id: webhookId,
      event_id: 'evt_whd_b',
      status: 'failed',
      attempt_count: 2,
      next_attempt_at: null,
      resource: { id: 'ada 1', resource_type: 'person' },
    });
    expect(shown['attempts']).toEqual([
      {
        number: 1,
        started_at: '2026-03-02T05:00:00.000Z',
        duration_ms: 15_000,
        http_status: null,
        failure_class: 'network',
        failure_message: 'no answer came',
      },
      {
        number: 2,
        started_at: '2026-03-02T05:01:00.000Z',
        duration_ms: 87,
        http_status: 404,
        failure_class: 'http_non_retryable',
        failure_message: 'the endpoint answered 404',
      },
    ]);
    expect((await workforce('webhooks', 'delivery', 'whd_b', ...OF_ACME)).stdout).toMatch(
      /\n1 +2026-03-02T05:00:00\.000Z +15000 ms +none +network +no answer came\n2 /,
    );
    // The id alone is enough; a delivery that waits for a disabled endpoint reports it.
    expect(await json('webhooks', 'delivery', 'whd_b')).toMatchObject({ id: 'whd_b', waits_for: null });
    await workforce('webhooks', 'change', webhookId, '--disable', ...OF_ACME);
    expect((await workforce('webhooks', 'delivery', 'whd_a')).stdout).toContain(
      `It waits: the endpoint is disabled (caller). workforce webhooks update ${webhookId} --enable resumes it.`,
    );
    expect(await json('webhooks', 'delivery', 'whd_b')).toMatchObject({ waits_for: null });
    await workforce('webhooks', 'change', webhookId, '--enable', ...OF_ACME);
    expect((await endpoints())[0]).toMatchObject({
      health: 'failing',
      counts: { pending: 2, retry_scheduled: 0, delivered: 0, failed: 1 },
    });
    expect(await refused('webhooks', 'redeliver', 'whd_a', ...OF_ACME)).toBe(
      'Only a delivery that failed, or waits for its next attempt, can be sent again.',
    );
    expect(await json('webhooks', 'redeliver', 'whd_b', ...OF_ACME)).toMatchObject({
      id: 'whd_b',
      status: 'pending',
      attempt_count: 2,
      next_attempt_at: expect.stringMatching(TIME) as string,
    });

    // Up to the cursor, an event without a delivery was missed, and a failed delivery has its event.
    await insertEvents(database.pool, organisationId, 1, 2);
    await database.pool.query(
      `update webhook_events set id = 'evt_whd_b' where organisation_id = $1 and id = 'event 1'`,
      [organisationId],
    );
    await database.pool.query(`update webhooks set activated_position = '9999999999' where id = $1`, [webhookId]);
    await database.pool.query(fail, ['whd_b']);
    const resent = await workforce(
      ...words(`webhooks resend ${webhookId} --organisation acme --since`),
      new Date(Date.now() - 3_600_000).toISOString(),
    );
    expect(resent).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Queued for Payroll again: 1 failed, 0 waiting for their next attempt, 1 missed.\n',
    });
    expect(await json('webhooks', 'resend', webhookId, ...OF_ACME, '--since', '2026-01-01')).toEqual({
      webhook_id: webhookId,
      since: '2026-01-01T05:00:00.000Z',
      failed: 0,
      scheduled: 0,
      missed: 0,
      left: 0,
    });
    await insertEvents(database.pool, organisationId, 3, 500);
    expect(await json('webhooks', 'resend', webhookId, ...OF_ACME, '--since', '2026-01-01')).toMatchObject({
      missed: 496,
      left: 4,
    });
    expect((await workforce('webhooks', 'resend', webhookId, ...OF_ACME, '--since', '2026-01-01')).stdout).toBe(
      'Queued for Payroll again: 0 failed, 0 waiting for their next attempt, 0 missed. There is no room yet for 4 more: run this command again when these are delivered.\n',
    );
    await json('webhooks', 'change', webhookId, ...OF_ACME, '--disable');
    expect(await refused('webhooks', 'resend', webhookId, ...OF_ACME, '--since', '2026-01-01')).toBe(
      `Payroll is disabled: first run workforce webhooks update ${webhookId} --enable.`,
    );
    expect(await refused('webhooks', 'redeliver', 'whd_b', ...OF_ACME)).toBe('The webhook is disabled.');
    expect(await refused('webhooks', 'test', webhookId, ...OF_ACME)).toBe('This webhook is disabled.');
  });

  it('sends the synthetic event', async () => {
    const { id: webhookId } = await create('person.created');
    const sent = await json<{ delivery_id: string }>('webhooks', 'test', webhookId, ...OF_ACME);
    expect(sent).toMatchObject({
      headers: { 'Service-Webhook-Event': 'webhook.test', 'Service-Webhook-Delivery-Id': sent.delivery_id },
      payload: { type: 'webhook.test', data: { id: webhookId, resource_type: 'webhook' } },
    });
    expect(await json('webhooks', 'delivery', sent.delivery_id, ...OF_ACME)).toMatchObject({
      status: 'pending',
      event_type: 'webhook.test',
      attempts: [],
    });
  });

  it('shows what admins are told of, the newest first, and of their organisation alone', async () => {
    const notice = (
      id: string,
      day: number,
      organisation = organisationId,
      sent: string | null = null,
    ): Promise<unknown> =>
      database.pool.query(
        `insert into organisation_notices (organisation_id, id, kind, subject_id, text, created_at, sent_at) values ($1, $2, 'webhook_disabled', 'wh_x', $3, $4, $5)`,
        [organisation, id, `Text of ${id}.`, `2026-03-0${day}`, sent],
      );
    await notice('first', 1, organisationId, '2026-03-02T10:00:00Z');
    await notice('second', 2);
    await notice('foreign', 3, 'another organisation');
    const { notices } = await json<{ notices: KnownNotice[] }>('webhooks', 'notices', ...OF_ACME);
    expect(notices).toMatchObject([
      { id: 'second', kind: 'webhook_disabled', subject_id: 'wh_x', text: 'Text of second.', sent_at: null },
      { id: 'first', sent_at: '2026-03-02T10:00:00.000Z' },
    ]);
    expect((await workforce('webhooks', 'notices', ...OF_ACME)).stdout).toMatch(
      /^CREATED +STATE +NOTICE\n\S+ +waits +Text of second\.\n\S+ +sent +Text of first\.\n$/,
    );
  });

  it('refuses what is not valid with one sentence', async () => {
    const { id } = await create('webhook.test');
    const create2 = (url: string, events = 'all') => ['create', '--name', 'New', '--url', url, '--events', events];
    const noDate = '--since must be a date as YYYY-MM-DD, or a date-time such as 2026-01-31T17:00:00Z.';
    const unknown = 'There is no webhook wh_x: workforce webhooks list shows all.';
    const refusals: readonly (readonly [readonly string[], string])[] = [
      [create2('https://10.0.0.8/hooks'), '--url must lead to public addresses only.'],
      [create2(URL, ' , '), '--events must name at least one event type.'],
      [create2(URL, 'person.updatd'), 'There is no event type person.updatd: did you mean person.updated?'],
      [['change', id], 'Nothing to change: name at least one field; --help lists them.'],
      [['change', id, '--name', ' '], '--name must not be blank.'],
      [['change', id, '--url', 'https://169.254.169.254/'], '--url must lead to public addresses only.'],
      [['change', 'wh_x', '--disable'], 'There is no such webhook.'],
      [['rotate-secret', 'wh_x'], 'There is no such webhook.'],
      [['delete', 'wh_x'], unknown],
      [['test', 'wh_x'], 'There is no such webhook.'],
      [['deliveries', '--webhook', 'wh_x'], unknown],
      [['deliveries', '--since', '2026-02-30'], noDate],
      [['deliveries', '--since', '2026-02-03T10:00'], noDate],
      [['deliveries', '--limit', '0'], '--limit must be a whole number from 1 to 1000.'],
      [
        ['deliveries', '--event-type', 'Person.created'],
        'There is no event type Person.created: did you mean person.created?',
      ],
      [['delivery', 'whd_x'], 'There is no delivery whd_x: workforce webhooks deliveries shows the newest.'],
      [['redeliver', 'whd_x'], 'There is no delivery whd_x: workforce webhooks deliveries shows the newest.'],
      [['resend', 'wh_x', '--since', '2026-01-01'], unknown],
      [['resend', id, '--since', 'yesterday'], noDate],
    ];
    const said: string[] = [];
    for (const [parameters] of refusals) said.push(await refused('webhooks', ...parameters, ...OF_ACME));
    expect(said).toEqual(refusals.map(([, sentence]) => sentence));
    expect(await refused('webhooks', 'deliveries', ...OF_ACME, '--status', 'lost')).toContain(
      'Allowed choices are pending, retry_scheduled, delivered, failed.',
    );
    expect(await refused('webhooks', 'change', id, ...OF_ACME, '--enable', '--disable')).toContain(
      "option '--enable' cannot be used with option '--disable'",
    );
    expect(await refused('webhooks', 'list', '--organisation', 'nobody')).toBe(
      'There is no organisation nobody: workforce organisations list shows all.',
    );
    expect((await endpoints()).map((one) => one.id)).toEqual([id]);
  });
});

describe('workforce webhooks listen', () => {
  const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const BODY = JSON.stringify({
    id: 'evt_1',
    type: 'person.updated',
    api_version: 'v1',
    occurred_at: '2026-03-01T12:00:00.000Z',
    data: { id: 'ada', resource_type: 'person' },
  });

  function listen(...parameters: readonly string[]): RunningProcess {
    const listener = startWorkforce(['webhooks', 'listen', ...parameters], environment);
    running.push(listener);
    return listener;
  }

  async function urlOf(listener: RunningProcess): Promise<string> {
    return (await listener.untilPrinted(/http:\/\/127\.0\.0\.1:\d+\//))[0];
  }

  function send(
    url: string,
    { body = BODY, signed = BODY, age = 0 }: { body?: string; signed?: string; age?: number } = {},
  ): Promise<Response> {
    const timestamp = Math.floor(Date.now() / 1_000) - age;
    const digest = createHmac('sha256', SECRET).update(`${timestamp}.${signed}`).digest('hex');
    const headers = {
      'Service-Webhook-Timestamp': String(timestamp),
      'Service-Webhook-Signature': `v1=${'0'.repeat(64)},v1=${digest}`,
      'Service-Webhook-Delivery-Id': 'whd_1',
      'Service-Webhook-Event': 'person.updated',
    };
    return fetch(url, { method: 'POST', headers, body });
  }

  it('verifies events, gives the reason for a rejected one, and ends after the requested number', async () => {
    const listener = listen('--secret', SECRET, '--count', '4');
    const url = await urlOf(listener);
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(300_000) })).status).toBe(413);
    expect((await send(url)).status).toBe(200);
    expect((await send(url, { body: BODY.replace('ada', 'eve') })).status).toBe(200);
    await send(url, { age: 400 });
    expect((await fetch(`${url}any/path`, { method: 'POST', body: '\u001b[2Jnonsense' })).status).toBe(200);
    expect(await listener.exited).toBe(0);
    expect(listener.stderr()).toBe('');
    const [first, ...lines] = listener.stdout().trimEnd().split('\n');
    expect(first).toBe(`Listening at ${url} until Ctrl-C. Events are verified with the secret …${SECRET.slice(-4)}.`);
    expect(lines.map((line) => line.replace(/^\S{24} {2}/, ''))).toEqual([
      'person.updated  person ada  evt_1  verified  whd_1',
      'person.updated  person eve  evt_1  NOT VERIFIED: no signature matches this secret and body  whd_1',
      expect.stringMatching(
        /^person\.updated {2}person ada {2}evt_1 {2}NOT VERIFIED: its time is 4\d\d seconds ago, more than 300 {2}whd_1$/,
      ) as string,
      '-  -  -  NOT VERIFIED: there is no Service-Webhook-Timestamp  -',
    ]);
  });

  it('answers what it was told to, one document a line, and says that it cannot verify without a secret', async () => {
    const port = String(await freePort());
    const listener = listen('--json', '--status', '503', '--port', port);
    const url = await urlOf(listener);
    expect(url).toBe(`http://127.0.0.1:${port}/`);
    expect((await send(url)).status).toBe(503);
    expect((await send(url, { body: JSON.stringify({ type: '\u001b[2J\u009b' }) })).status).toBe(503);
    expect(await refused('webhooks', 'listen', '--port', port)).toBe(
      `Port ${port} is in use: choose another one, or leave out --port.`,
    );
    expect(await listener.end('SIGINT')).toBe(0);
    const documents = listener
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const event = {
      kind: 'event',
      received_at: expect.stringMatching(TIME) as string,
      verified: null,
      problem: 'there is no secret to verify it with',
      delivery_id: 'whd_1',
    };
    expect(documents).toEqual([
      { kind: 'listening', url, webhook_id: null, secret_last_four: null },
      {
        ...event,
        event_type: 'person.updated',
        event_id: 'evt_1',
        occurred_at: '2026-03-01T12:00:00.000Z',
        resource: { id: 'ada', resource_type: 'person' },
      },
      { ...event, event_type: '\u001b[2J\u009b', event_id: null, occurred_at: null, resource: null },
    ]);
    const plain = listen('--count', '1');
    await send(await urlOf(plain), { body: JSON.stringify({ type: '\u001b[2J\u009b\n' }) });
    await plain.exited;
    expect(plain.stdout()).toContain('Without --secret no event can be verified.\n');
    expect(plain.stdout()).toMatch(/Z {2}\ufffd\[2J\ufffd\ufffd {2}- {2}- {2}not verified: no secret {2}whd_1\n$/);
  });

  it('subscribes for as long as it listens, without a connection meanwhile, and is sent what happens', async () => {
    const listener = listen(...OF_ACME, '--subscribe', '--count', '2', '--json');
    await listener.untilPrinted(/\n/);
    // PostgreSQL lists a closed connection for a short time after the program has closed it.
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'workforce webhooks'`,
      );
      return rows.length === 0 || null;
    });
    const [endpoint] = await endpoints();
    expect(endpoint).toMatchObject({
      name: 'workforce listen',
      url: await urlOf(listener),
      status: 'active',
      subscribed_events: Object.keys(WEBHOOK_EVENTS),
    });
    const worker = await startWorker();
    try {
      await writeFile(
        join(directory, 'people.csv'),
        'work_email,first_name,start_date\nada@example.com,Ada,2026-01-01\n',
      );
      await json('import', 'people', join(directory, 'people.csv'), ...OF_ACME);
      await listener.untilPrinted(/"person\.created".*\n/);
      await json('webhooks', 'test', endpoint!.id, ...OF_ACME);
      await worker.sweep();
      expect(await listener.exited).toBe(0);
    } finally {
      await worker.stop();
    }
    const [listening, ...events] = listener
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(listening).toEqual({
      kind: 'listening',
      url: endpoint!['url'],
      webhook_id: endpoint!.id,
      secret_last_four: endpoint!['secret_last_four'],
    });
    expect(events).toMatchObject([
      { event_type: 'person.created', resource: { resource_type: 'person' }, verified: true, problem: null },
      { event_type: 'webhook.test', resource: { resource_type: 'webhook', id: endpoint!.id }, verified: true },
    ]);
    expect(await endpoints()).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'deletes its endpoint on %s, also if it is already deleted',
    async (signal) => {
      const [one, other] = [
        listen(...OF_ACME, '--subscribe', '--events', 'person.ended'),
        listen(...OF_ACME, '--subscribe'),
      ];
      const [, id] = await one.untilPrinted(/deletes the endpoint (wh_\S+) \(secret …\S{4}\)/);
      const [, otherId] = await other.untilPrinted(/deletes the endpoint (wh_\S+)/);
      expect(one.stdout()).toContain(
        '\nEvents of Acme: person.ended. If none arrives: the server also needs WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8.\n',
      );
      await json('webhooks', 'delete', otherId!, ...OF_ACME);
      expect([await one.end(signal), await other.end(signal)]).toEqual([0, 0]);
      expect(one.stderr() + other.stderr()).toBe('');
      expect(
        (await database.pool.query(`select status from webhooks where id = any($1)`, [[id, otherId]])).rows,
      ).toEqual([{ status: 'deleted' }, { status: 'deleted' }]);
    },
  );

  it('explains how to allow events to this machine if they are refused', async () => {
    const { code, stdout, stderr } = await runWorkforce(['webhooks', 'listen', ...OF_ACME, '--subscribe'], {
      DATABASE_URL: database.url,
    });
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'Events are not sent to 127.0.0.1: start both the server and this command with WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8.\n',
    });
    expect(await endpoints()).toEqual([]);
  });

  it('refuses what is not valid with one sentence', async () => {
    const refusals: readonly (readonly [readonly string[], string])[] = [
      [['--subscribe'], '--subscribe needs --organisation: it creates an endpoint there.'],
      [OF_ACME, '--organisation needs --subscribe: without it, no endpoint is created.'],
      [['--events', 'all'], '--events needs --subscribe: without it, every event is shown.'],
      [['--secret', 'secret'], '--secret must be a signing secret: it begins with whsec_.'],
      [
        [...OF_ACME, '--subscribe', '--secret', SECRET],
        '--secret and --subscribe exclude each other: the new endpoint has its own secret.',
      ],
      [
        ['--organisation', 'nobody', '--subscribe'],
        'There is no organisation nobody: workforce organisations list shows all.',
      ],
      [
        [...OF_ACME, '--subscribe', '--events', 'person'],
        expect.stringMatching(/^There is no event type person/) as string,
      ],
      [['--port', '65536'], '--port must be a whole number from 0 to 65535.'],
      [['--status', '99'], '--status must be a whole number from 200 to 599.'],
      [['--count', '0'], expect.stringMatching(/^--count must be a whole number from 1 to /) as string],
    ];
    const said: string[] = [];
    for (const [parameters] of refusals) said.push(await refused('webhooks', 'listen', ...parameters));
    expect(said).toEqual(refusals.map(([, sentence]) => sentence));
    expect(await endpoints()).toEqual([]);
  });

  /** A worker like that of a server. */
  async function startWorker(): Promise<{ sweep(): Promise<void>; stop(): Promise<void> }> {
    const { pool } = database;
    const errors: unknown[] = [];
    const jobs = openJobEngine({ redisUrl: null, databaseUrl: database.url }, { warn: () => undefined });
    const eventStore = testEventStore(pool);
    const projector = new Projector(PROJECTIONS, { now: () => new Date() });
    const keys = await loadInstallationKeys(pool);
    const worker = await startWebhooks({
      pool,
      eventStore,
      projector,
      commands: await testCommandBus(
        { store: eventStore, executor: pool, projector, mint: new IdMint(keys.ids) },
        pool,
      ),
      keys,
      jobs,
      guard: new UrlGuard({ allowedCidrs: ['127.0.0.0/8'] }),
      notices: { deliver: async () => undefined },
      onError: () => (error) => void errors.push(error),
    });
    const sweep = async (): Promise<void> => new DeliveryQueues(jobs).add(await dueDeliveries(pool));
    const stop = async (): Promise<void> => {
      await worker.stop();
      await jobs.close();
      expect(errors).toEqual([]);
    };
    return { sweep, stop };
  }
});
