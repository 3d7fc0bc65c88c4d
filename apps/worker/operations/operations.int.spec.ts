import http, { type Server } from 'node:http';
import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { migrate } from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { temporaryDirectory } from '../../../test/support/test-server.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { startOperations } from './operations.js';

/** The lines of the log. */
const lines: string[] = [];
const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
const TOKEN = 'a-token-of-an-operator';

describe('the operations listener', () => {
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  let pool: ReturnType<typeof createPool>;
  let operations: Awaited<ReturnType<typeof startOperations>>;
  let reasons: string[];

  const start = async (environment: NodeJS.ProcessEnv = {}): Promise<void> => {
    operations = await startOperations({
      pool,
      eventStore: new PostgresEventStore(pool),
      configuration: readConfiguration(environment),
      port: 0,
      logger,
      readiness: () => reasons,
    });
  };

  const get = async (path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> => {
    const response = await fetch(`${operations.url}${path}`, { headers });
    return { status: response.status, body: await response.text() };
  };

  beforeAll(async () => {
    server = await startEmbeddedPostgres({ directory: await temporaryDirectory(), durable: false });
    pool = createPool(server.url, { applicationName: 'test', maximum: 4 });
    reasons = [];
  });

  afterEach(() => operations.stop());

  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  it('is live but not ready before the migrations', async () => {
    await start();
    expect(await get('/health/live')).toEqual({ status: 200, body: '{"status":"live"}' });
    const { status, body } = await get('/health/ready');
    expect(status).toBe(503);
    expect(body).toContain(`The database lacks migrations (${MIGRATIONS.length})`);
  });

  it('is ready with everything there, unless the process itself has a reason', async () => {
    await migrate(pool, MIGRATIONS);
    await start();
    expect(await get('/health/ready')).toEqual({ status: 200, body: '{"status":"ready"}' });
    reasons.push('The server is stopping.');
    expect((await get('/health/ready')).body).toContain('The server is stopping.');
    reasons.length = 0;
  });

  it('measures, and asks for the token where there is one, health aside', async () => {
    await start({ OPS_TOKEN: TOKEN });
    expect((await get('/metrics')).status).toBe(401);
    lines.length = 0;
    expect((await get('/metrics', { authorization: `Bearer ${TOKEN}x` })).status).toBe(401);
    expect(lines).toEqual([expect.stringMatching(/"route":"\/metrics".*a wrong operator token was refused/)]);
    expect(lines.join()).not.toContain(TOKEN);
    const { status, body } = await get('/metrics', { authorization: `Bearer ${TOKEN}` });
    expect(status).toBe(200);
    expect(body).toContain('process_cpu_user_seconds_total');
    expect(body).toContain('workforce_database_connections{state="idle"}');
    expect(body).toContain('workforce_projection_lag_seconds{projection="');
    expect((await get('/health/live')).status).toBe(200);
  });

  const under = (
    host: string | null,
    path: string,
    options: { method?: string; headers?: object } = {},
  ): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers = {} } = options;
      http
        .request(
          `${operations.url}${path}`,
          { method, headers: { ...(host === null ? {} : { host }), ...headers } },
          (response) => {
            let body = '';
            response
              .setEncoding('utf8')
              .on('data', (piece: string) => (body += piece))
              .on('end', () => resolve([response.statusCode!, body]));
          },
        )
        .on('error', reject)
        .end();
    });

  it('answers without a token only under the names of this machine, and probes with one word', async () => {
    await start();
    const ofOperators = ['/metrics', '/deliveries', '/projections', '/events', '/engines'];
    const paths = [...ofOperators, '/console', '/', '/queues/api/queues', '/nowhere'];
    const foreign = ['attacker.example', 'attacker.example:3002', 'localhost.attacker.example'];
    for (const host of [...foreign, '127.0.0.1.attacker.example']) {
      for (const path of paths) expect([host, path, (await under(host, path))[0]]).toEqual([host, path, 403]);
      expect(await under(host, '/health/live')).toEqual([200, '{"status":"live"}']);
      expect(await under(host, '/health/ready')).toEqual([200, '{"status":"ready"}']);
      expect((await under(host, '/health'))[1]).toMatch(/^\{"status":"\w+"\}$/);
    }
    for (const host of ['localhost', 'LOCALHOST:3002', '127.0.0.1:80', '127.0.0.53', '[::1]:3002']) {
      expect([host, (await under(host, '/deliveries'))[0]]).toEqual([host, 200]);
      expect((await under(host, '/health'))[1]).toContain('"parts"');
    }
  });

  it('with a token answers under any name, and takes no change from a page of another site', async () => {
    await start({ OPS_TOKEN: TOKEN });
    const authorization = `Bearer ${TOKEN}`;
    expect((await under('hr.example', '/deliveries', { headers: { authorization } }))[0]).toBe(200);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://attacker.example' },
    ])
      for (const path of ['/projections/people/rebuild', '/queues/api/queues/deliveries/f1/retry', '/nowhere'])
        expect((await under('hr.example', path, { method: 'POST', headers: { authorization, ...headers } }))[0]).toBe(
          403,
        );
  });

  it('waits for slow requests and for readers no longer than the API does', async () => {
    const created = jest.spyOn(http, 'createServer');
    await start();
    const server = created.mock.results[0]!.value as Server;
    expect(server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 30_000, timeout: 120_000 });
    created.mockRestore();
  });

  it('measures deliveries at each scrape', async () => {
    await start();
    const measured = async (): Promise<readonly string[]> =>
      (await get('/metrics')).body
        .split('\n')
        .filter((line) => /^workforce_webhook_(deliveries|endpoints|sending|receiver)/.test(line));
    const inTime = [
      'workforce_webhook_sending_delay_seconds 0',
      'workforce_webhook_receiver_delay_seconds 0',
      'workforce_webhook_endpoints_behind 0',
    ];
    expect(await measured()).toEqual([
      ...inTime,
      'workforce_webhook_deliveries_waiting{status="pending"} 0',
      'workforce_webhook_deliveries_waiting{status="retry_scheduled"} 0',
    ]);
    for (const id of ['one', 'two']) await insertEndpoint(pool, { organisationId: 'org', id });
    await pool.query(`update webhooks set status = 'disabled', disabled_reason = 'delivery_failures' where id = 'two'`);
    for (const [id, webhook, age] of [
      ['a', 'one', 180],
      ['b', 'one', 30],
      ['c', 'two', 900],
    ] as const) {
      await pool.query(
        `insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type, occurred_at, next_attempt_at)
         values ('org', $1, $2, $1, 'person.updated', '', 'person', now(), now() - make_interval(secs => $3))`,
        [id, webhook, age],
      );
    }
    const [age, ...lines] = await measured();
    expect(Number(age!.split(' ')[1])).toBeGreaterThanOrEqual(180);
    expect(Number(age!.split(' ')[1])).toBeLessThan(890);
    expect(lines).toEqual([
      ...inTime.slice(1),
      'workforce_webhook_deliveries_waiting{status="pending"} 3',
      'workforce_webhook_deliveries_waiting{status="retry_scheduled"} 0',
      'workforce_webhook_endpoints{status="active"} 1',
      'workforce_webhook_endpoints{status="disabled_delivery_failures"} 1',
    ]);
  });

  it('reports the state of each part, and still answers if one is degraded', async () => {
    await start();
    const { status, body } = await get('/health');
    const { parts, ...whole } = JSON.parse(body) as {
      status: string;
      parts: Record<string, { status: string; message: string | null }>;
    };
    expect([status, whole.status]).toEqual([200, 'degraded']);
    // No worker runs here, and the previous test left a delivery that was due long ago.
    const wanting = Object.entries(parts)
      .filter(([, part]) => part.status !== 'ok')
      .map(([name]) => name);
    expect(wanting).toEqual(['leaders', 'webhooks']);
    expect(parts['webhooks']!.message).toMatch(
      /^Webhook deliveries have been due for \d+ min, and no worker could attempt them\. Start "workforce worker"/,
    );
    expect(parts['leaders']!.message).toContain('No worker does catch_up and fan_out');
    expect(Object.keys(parts)).toEqual([
      ...['process', 'database', 'migrations', 'event_store', 'queue', 'leaders', 'projections', 'webhooks'],
    ]);
    reasons.push('The process is stopping.');
    expect(await get('/health')).toMatchObject({
      status: 503,
      body: expect.stringContaining('The process is stopping.'),
    });
    reasons.length = 0;
  });

  it('distinguishes hanging receivers from workers that do not send: only the latter is a problem of this installation', async () => {
    await start();
    await pool.query(
      `update webhook_deliveries set lease_token = gen_random_uuid(), leased_until = clock_timestamp() + interval '1 minute' where id = 'b'`,
    );
    const { parts } = JSON.parse((await get('/health')).body) as {
      parts: Record<string, { status: string; message: string | null }>;
    };
    expect(parts['webhooks']).toMatchObject({ status: 'ok', sending_delay_seconds: 0, endpoints_behind: 1 });
    expect(parts['webhooks']!.message).toMatch(
      /^1 webhook endpoint of 1 organisation is behind by up to \d+ min, because receivers are slow or do not answer\. Other endpoints are not affected/,
    );
    await pool.query('delete from webhook_deliveries');
  });

  it('measures the leaders, the oldest write, and an abandoned rebuild', async () => {
    await start();
    const measured = async (name: string): Promise<string | undefined> =>
      (await get('/metrics')).body.split('\n').find((line) => line.startsWith(name));
    expect(await measured('workforce_leaders{work="catch_up"}')).toBe('workforce_leaders{work="catch_up"} 0');
    const leader = await pool.connect();
    await leader.query('select pg_advisory_lock(7310001)');
    await leader.query('begin; select pg_current_xact_id(), pg_sleep(0.05)');
    expect(await measured('workforce_leaders{work="catch_up"}')).toBe('workforce_leaders{work="catch_up"} 1');
    expect(Number((await measured('workforce_event_log_oldest_write_seconds'))!.split(' ')[1])).toBeGreaterThan(0.05);
    await leader.query('rollback');
    leader.release(true);
    expect(await measured('workforce_rebuild_progress_ratio')).toBeUndefined();
    await pool.query(`insert into projection_rebuilds (projection, table_name, shadow, run, definition, rows, expected_rows, updated_at)
      values ('people', 'people', 1, gen_random_uuid(), '', 1, 4, now() - interval '1 hour')`);
    expect(await measured('workforce_rebuild_progress_ratio{')).toBe(
      'workforce_rebuild_progress_ratio{projection="people"} 0.25',
    );
    expect(Number((await measured('workforce_rebuild_idle_seconds{'))!.split(' ')[1])).toBeGreaterThanOrEqual(3_600);
    await pool.query('delete from projection_rebuilds');
  });

  it('is not ready without PostgreSQL, says so in time, and stays live', async () => {
    await start();
    await server.stop();
    const { status, body } = await get('/health/ready');
    expect(status).toBe(503);
    expect(body).toContain('PostgreSQL');
    expect(body).toContain('the event store');
    expect((await get('/metrics')).status).toBe(200);
    expect((await get('/health/live')).status).toBe(200);
    const health = await get('/health');
    expect(health.status).toBe(503);
    const { parts } = JSON.parse(health.body) as { parts: Record<string, { status: string }> };
    expect([parts['database']!.status, parts['event_store']!.status, parts['process']!.status]).toEqual([
      'failed',
      'degraded',
      'ok',
    ]);
  });
});
