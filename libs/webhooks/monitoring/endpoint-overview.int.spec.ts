import { databaseForSpec } from '../../../test/support/postgres.js';
import { rowsRead } from '../../../test/support/rows-read.js';
import { insertDeliveries, insertOrganisation } from '../../../test/support/webhooks/delivery-rows.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { type DeliveryOverview, ENDPOINT_STATES, type OverviewFilter, overviewOf } from './endpoint-overview.js';

const HOUR = 3_600;
const EVERYTHING: OverviewFilter = {
  organisation: null,
  webhookId: null,
  states: ENDPOINT_STATES,
  limit: 50,
  offset: 0,
};

const database = databaseForSpec();

beforeAll(async () => {
  await insertOrganisation(database.pool, 'one', 'acme');
  await insertOrganisation(database.pool, 'two', 'globex');
});

beforeEach(() => database.pool.query('truncate webhooks, webhook_deliveries, webhook_attempts, webhook_stops'));

const look = (filter: Partial<OverviewFilter> = {}): Promise<DeliveryOverview> =>
  overviewOf(database.pool, { ...EVERYTHING, ...filter });

/** An endpoint with past deliveries, in an organisation. */
async function endpoint(
  organisationId: string,
  id: string,
  ...rows: readonly Omit<Parameters<typeof insertDeliveries>[1], 'organisationId' | 'webhookId' | 'prefix'>[]
): Promise<void> {
  await insertEndpoint(database.pool, { organisationId, id });
  for (const [index, row] of rows.entries())
    await insertDeliveries(database.pool, { organisationId, webhookId: id, prefix: `${id}-${index}-`, ...row });
}

it('answers sums of nothing where there are no endpoints', async () => {
  expect(await look()).toMatchObject({
    endpoints_by_state: { failing: 0, waiting: 0, disabled: 0, ok: 0 },
    pending: 0,
    retry_scheduled: 0,
    failed: 0,
    oldest_due_at: null,
    sending_delay_seconds: 0,
    receiver_delay_seconds: 0,
    endpoints: [],
    next_offset: null,
  });
});

it('says which endpoints fail, since when, what waits, and how the latest attempt failed', async () => {
  await endpoint(
    'one',
    'failing',
    { count: 1, status: 'delivered', ageSeconds: 2 * HOUR },
    { count: 3, status: 'failed', ageSeconds: HOUR },
    { count: 180, status: 'retry_scheduled', ageSeconds: -HOUR },
  );
  await endpoint(
    'one',
    'recovered',
    { count: 3, status: 'failed', ageSeconds: 2 * HOUR },
    { count: 1, status: 'delivered', ageSeconds: HOUR },
  );
  await endpoint('two', 'waiting', { count: 148, status: 'pending', ageSeconds: 30 });
  await endpoint('two', 'disabled', { count: 10, status: 'failed', ageSeconds: HOUR });
  await database.pool.query(
    `insert into webhook_stops (organisation_id, webhook_id, activation, reason) values ('two', 'disabled', 1, 'delivery_failures')`,
  );
  const overview = await look();
  expect(overview).toMatchObject({
    endpoints_by_state: { failing: 1, waiting: 1, disabled: 1, ok: 1 },
    pending: 148,
    retry_scheduled: 180,
    failed: 16,
  });
  expect(overview.endpoints.map(({ webhook_id: id, state, subdomain }) => [id, state, subdomain])).toEqual([
    ['failing', 'failing', 'acme'],
    ['waiting', 'waiting', 'globex'],
    ['disabled', 'disabled', 'globex'],
    ['recovered', 'ok', 'acme'],
  ]);
  const [failing, waiting, disabled, recovered] = overview.endpoints;
  expect(failing).toMatchObject({
    pending: 0,
    retry_scheduled: 180,
    failed: 3,
    oldest_due_at: null,
    last_failure_class: 'http_retryable',
    last_failure_http_status: 503,
    late_because_of: null,
  });
  const { rows } = await database.pool.query<{ since: Date }>(
    `select min(started_at) as since from webhook_attempts where delivery_id like 'failing-%' and failure_class is not null`,
  );
  expect(failing!.failing_since).toEqual(rows[0]!.since);
  expect(failing!.last_delivered_at! < failing!.failing_since!).toBe(true);
  expect([waiting!.oldest_due_at, waiting!.failing_since, waiting!.last_failure_at]).toEqual([
    overview.oldest_due_at,
    null,
    null,
  ]);
  expect(disabled).toMatchObject({ disabled_reason: 'delivery_failures', failed: 10 });
  // A failure before the latest accepted delivery is reported, but the endpoint is not failing.
  expect(recovered).toMatchObject({
    failing_since: null,
    last_failure_class: 'http_non_retryable',
    last_failure_http_status: 410,
    failed: 3,
  });
});

it('tells late because of the installation from late because of the receiver', async () => {
  await endpoint('one', 'unsent', { count: 2, status: 'pending', ageSeconds: 300 });
  await endpoint(
    'one',
    'hanging',
    { count: 2, status: 'pending', ageSeconds: 300 },
    { count: 1, status: 'pending', isLeased: true },
  );
  const { endpoints, sending_delay_seconds: sending, receiver_delay_seconds: receiver } = await look();
  expect(endpoints.map(({ webhook_id: id, late_because_of: cause }) => [id, cause])).toEqual([
    ['hanging', 'receiver'],
    ['unsent', 'sending'],
  ]);
  expect([
    Math.min(...endpoints.map(({ late_seconds }) => late_seconds)) >= 299,
    sending >= 299,
    receiver >= 299,
  ]).toEqual([true, true, true]);
});

it('filters by organisation, endpoint and state, and pages', async () => {
  for (const [organisation, id] of [
    ['one', 'a'],
    ['one', 'b'],
    ['two', 'c'],
  ] as const)
    await endpoint(organisation, id, { count: 1, status: 'pending' });
  await endpoint('two', 'fine');
  const ids = ({ endpoints }: DeliveryOverview): readonly string[] => endpoints.map(({ webhook_id: id }) => id);
  expect(ids(await look({ organisation: 'acme' }))).toEqual(['a', 'b']);
  expect(ids(await look({ organisation: 'two' }))).toEqual(['c', 'fine']);
  expect(ids(await look({ webhookId: 'b' }))).toEqual(['b']);
  expect(ids(await look({ states: null }))).toEqual(['a', 'b', 'c']);
  expect(ids(await look({ states: ['ok'] }))).toEqual(['fine']);
  expect(ids(await look({ states: ['failing'] }))).toEqual([]);
  expect((await look({ states: ['failing'] })).pending).toBe(3);
  const first = await look({ limit: 3 });
  expect([ids(first), first.next_offset]).toEqual([['a', 'b', 'c'], 3]);
  const rest = await look({ limit: 3, offset: 3 });
  expect([ids(rest), rest.next_offset]).toEqual([['fine'], null]);
  await database.pool.query(`update webhooks set status = 'deleted' where id = 'a'`);
  expect(ids(await look({ organisation: 'acme' }))).toEqual(['b']);
});

it('reads what waits and what failed, however much was delivered', async () => {
  await endpoint(
    'one',
    'busy',
    { count: 10_000, status: 'delivered', ageSeconds: HOUR },
    { count: 180, status: 'retry_scheduled', ageSeconds: -HOUR },
    { count: 20, status: 'failed', ageSeconds: HOUR },
  );
  // Half of what was delivered needed a second attempt.
  await database.pool.query(
    `update webhook_deliveries set attempt_count = 2 where status = 'delivered' and right(id, 1) < '5'`,
  );
  await database.pool.query('vacuum analyze webhook_deliveries, webhook_attempts, webhooks');
  expect((await look()).endpoints).toMatchObject([{ webhook_id: 'busy', retry_scheduled: 180, failed: 20 }]);
  expect(await rowsRead(database.pool, (executor) => overviewOf(executor, EVERYTHING))).toBeLessThan(2_000);
});
