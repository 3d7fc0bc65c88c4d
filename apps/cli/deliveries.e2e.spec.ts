import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { createPool } from '#database/pool.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { startOperations } from '#worker/operations/operations.js';
import { programOfAcme } from '../../test/support/program.js';
import { insertDeliveries, insertOrganisation } from '../../test/support/webhooks/delivery-rows.js';
import { insertEndpoint } from '../../test/support/webhooks/endpoint-rows.js';

const TOKEN = 'a-token-of-an-operator';
const GUESSES = 3;
const { json, workforce, database, organisationId } = programOfAcme();

let operations: Awaited<ReturnType<typeof startOperations>>;

beforeAll(async () => {
  const { pool } = database();
  await insertOrganisation(pool, 'org_other', 'globex');
  await insertEndpoint(pool, {
    organisationId: organisationId(),
    id: 'wh_failing',
    url: 'https://receiver.example/secret-path',
  });
  await insertEndpoint(pool, { organisationId: 'org_other', id: 'wh_waiting' });
  await insertEndpoint(pool, { organisationId: 'org_other', id: 'wh_fine' });
  await insertDeliveries(pool, {
    organisationId: organisationId(),
    webhookId: 'wh_failing',
    prefix: 'r',
    count: 180,
    status: 'retry_scheduled',
    ageSeconds: -3_600,
  });
  await insertDeliveries(pool, {
    organisationId: 'org_other',
    webhookId: 'wh_waiting',
    prefix: 'w',
    count: 148,
    status: 'pending',
  });
  operations = await startOperations({
    pool,
    eventStore: new PostgresEventStore(pool),
    configuration: readConfiguration({ OPS_TOKEN: TOKEN, HOST: '127.0.0.1', RATE_LIMIT_FAILED_AUTH: String(GUESSES) }),
    port: 0,
    logger: createLogger('silent'),
    readiness: () => [],
  });
});

afterAll(() => operations.stop());

const get = async (query: string, token = TOKEN): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await fetch(`${operations.url}/deliveries${query}`, {
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

/** The overview without the values that grow with time. */
const withoutTime = (document: unknown): unknown =>
  JSON.parse(
    JSON.stringify(document, (name, value: unknown) => (name === 'as_of' || name.endsWith('seconds') ? null : value)),
  );

it('prints the sums, and the endpoints that fail or wait with their latest failure', async () => {
  const { code, stdout } = await workforce('deliveries');
  expect(code).toBe(0);
  const [endpoints, deliveries, , heading, failing, waiting, ...rest] = stdout.trimEnd().split('\n');
  expect(endpoints).toBe('Endpoints: 1 failing, 1 with waiting deliveries, 0 disabled, 1 ok.');
  expect(deliveries).toMatch(
    /^Deliveries: 148 pending, 180 waiting for their next attempt, 0 failed within 30 days\. The oldest has been due since 20\S+Z\.$/,
  );
  expect(heading).toMatch(
    /^ORGANISATION +WEBHOOK +NAME +STATE +FAILING SINCE +PENDING +RETRY +FAILED +OLDEST DUE +LATE +LAST FAILURE$/,
  );
  expect(failing).toMatch(/^acme +wh_failing +Endpoint +failing +20\S+Z +0 +180 +0 +20\S+Z http_retryable 503$/);
  expect(waiting).toMatch(/^globex +wh_waiting +Endpoint +waiting +148 +0 +0 +20\S+Z$/);
  expect([rest, stdout.includes('receiver.example')]).toEqual([[], false]);
});

it('says the same as /deliveries of the operations listener, filtered and paged alike', async () => {
  const pairs = [
    [['--status', 'all'], '?status=all'],
    [['--organisation', 'globex', '--status', 'ok'], '?organisation=globex&status=ok'],
    [['--webhook', 'wh_failing'], '?webhook=wh_failing'],
    [['--status', 'all', '--limit', '1', '--offset', '1'], '?status=all&limit=1&offset=1'],
  ] as const;
  for (const [options, query] of pairs) {
    const printed = await json('deliveries', ...options);
    const { status, body } = await get(query);
    expect([query, status, withoutTime(body)]).toEqual([query, 200, withoutTime(printed)]);
  }
  expect((await get('?status=all&limit=1')).body).toMatchObject({
    summary: {
      endpoints: { failing: 1, waiting: 1, disabled: 0, ok: 1 },
      deliveries: { pending: 148, retry_scheduled: 180, failed: 0 },
    },
    endpoints: [
      {
        organisation: { subdomain: 'acme' },
        webhook_id: 'wh_failing',
        state: 'failing',
        deliveries: { retry_scheduled: 180 },
        last_failure: { class: 'http_retryable', http_status: 503, message: null },
        late: null,
      },
    ],
    next_offset: 1,
  });
});

it.each([
  ['?status=broken', '"status" must be one of failing, waiting, disabled, ok, all.'],
  ['?status=ok&status=all', '"status" must be one of'],
  ['?limit=0', '"limit" must be a whole number from 1 to 200.'],
  ['?limit=201', '"limit" must be'],
  ['?offset=-1', '"offset" must be a whole number'],
  ['?organisation=', '"organisation" must be given once'],
  [`?webhook=${'x'.repeat(201)}`, '"webhook" must be given once'],
  ['?state=failing', 'The parameters are'],
])('refuses %s', async (query, sentence) => {
  expect(await get(query)).toEqual({ status: 400, body: { message: expect.stringContaining(sentence) } });
});

it('refuses an organisation that there is not, and numbers out of range, on the command line', async () => {
  expect((await workforce('deliveries', '--organisation', 'nobody')).code).toBe(4);
  const { code, stderr } = await workforce('deliveries', '--limit', '201');
  expect([code, stderr.trimEnd()]).toEqual([2, '--limit must be a whole number from 1 to 200.']);
});

it('is 503 while the database does not answer', async () => {
  const away = createPool('postgresql://nobody@127.0.0.1:1/none', { applicationName: 'test', maximum: 1 });
  const alone = await startOperations({
    pool: away,
    eventStore: new PostgresEventStore(away),
    configuration: readConfiguration({}),
    port: 0,
    logger: createLogger('silent'),
    readiness: () => [],
  });
  try {
    const answer = await fetch(`${alone.url}/deliveries`);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { message: 'PostgreSQL, which stores the deliveries, does not answer.' },
    ]);
  } finally {
    await alone.stop();
    await away.end();
  }
});

it('asks for the operator’s token, and bounds wrong ones', async () => {
  expect((await get('', '')).status).toBe(401);
  const statuses = [];
  for (let guess = 0; guess <= GUESSES; guess += 1) statuses.push((await get('', `${TOKEN}x`)).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect((await get('')).status).toBe(200);
});
