import { inTransaction } from '#database/transaction.js';
import { IdMint } from '#identifiers/id-mint.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import { insertEndpoint, insertEvents } from '../../../test/support/webhooks/endpoint-rows.js';
import { queueDelivery, redeliver, WAITING_LIMITS } from './delivery-changes.js';
import { type AttemptResult, claim, type Claimed, record, unrecordedStops } from './delivery-store.js';
import type { DueDelivery } from './delivery-queues.js';
import { queueForOrganisation } from '../publish/queue-deliveries.js';
import { resendSince } from './resend.js';
import { readExchanges } from './exchanges.table.js';
import { pruneDeliveries } from './retention.js';
import { dueDeliveries } from './sweep.js';

const MINT = new IdMint(Buffer.alloc(32, 7));
const EVENT = {
  id: 'event x',
  type: 'webhook.test',
  occurredAt: '2026-01-01T00:00:00.000Z',
  resourceId: 'x',
  resourceType: 'webhook',
} as const;

const database = databaseForSpec();
let organisationId: string;
let webhookId: string;
let organisations = 0;
beforeEach(async () => {
  organisations += 1;
  organisationId = MINT.prefixed('organisation', '', String(organisations));
  webhookId = `endpoint ${organisations}`;
  await insertEndpoint(database.pool, { organisationId, id: webhookId });
});

/** Creates deliveries of this number of events, and returns their ids in order. */
async function deliveries(first: number, count: number): Promise<readonly string[]> {
  await insertEvents(database.pool, organisationId, first, count);
  return (await queueForOrganisation(database.pool, MINT, organisationId, { mayStop: true })).due.map(
    ({ deliveryId }) => deliveryId,
  );
}

const take = async (deliveryIds: readonly string[]): Promise<readonly Claimed[]> =>
  (await claim(database.pool, [{ organisationId, webhookId, deliveryIds }]))[0]!;
const set = (assignment: string): Promise<unknown> =>
  database.pool.query(`update webhook_deliveries set ${assignment} where organisation_id = $1`, [organisationId]);
const setEndpoint = (assignment: string): Promise<unknown> =>
  database.pool.query(`update webhooks set ${assignment} where organisation_id = $1`, [organisationId]);

function result(claimed: Claimed, more: Partial<AttemptResult> = {}): AttemptResult {
  return {
    claimed,
    outcome: 'delivered',
    httpStatus: 200,
    failureClass: null,
    failureMessage: null,
    durationMs: 12.4,
    exchange: 'sealed',
    pauseMs: null,
    ...more,
  };
}

/** Records the same result for all attempts. */
const recordAll = (claimed: readonly Claimed[], more?: Partial<AttemptResult>) =>
  record(
    database.pool,
    claimed.map((one) => result(one, more)),
  );
const hasStopped = async (claimed: Claimed, more: Partial<AttemptResult>): Promise<boolean> =>
  (await recordAll([claimed], more)).hasStopped;
/** The stops of the endpoint that are not recorded yet. */
const stops = async () => (await unrecordedStops(database.pool)).filter((stop) => stop.webhookId === webhookId);

async function deliveredSoFar(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::integer as count from webhook_deliveries where organisation_id = $1 and status = 'delivered'`,
    [organisationId],
  );
  return rows[0]!.count;
}

const FAILED = {
  outcome: 'failed',
  httpStatus: 404,
  failureClass: 'http_non_retryable',
  failureMessage: 'HTTP 404',
} as const;
const LATER = {
  outcome: 'failed',
  httpStatus: 503,
  failureClass: 'http_retryable',
  failureMessage: 'HTTP 503',
  pauseMs: 60_000,
} as const;

/** The due deliveries of this organisation that a sweep finds. */
async function swept(): Promise<readonly DueDelivery[]> {
  return (await dueDeliveries(database.pool)).filter((one) => one.organisationId === organisationId);
}

async function row(id: string): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `select status, attempt_count, step, last_http_status, failure_class, failed_activation, extract(epoch from next_attempt_at - clock_timestamp())::float8 as due_in,
            (select json_agg(json_build_array(number, http_status, failure_class, duration_ms) order by number) from webhook_attempts a where a.organisation_id = d.organisation_id and a.delivery_id = d.id) as attempts
       from webhook_deliveries d where organisation_id = $1 and id = $2`,
    [organisationId, id],
  );
  return rows[0]!;
}

describe('a delivery', () => {
  it('is claimed by one process, with all that an attempt needs', async () => {
    const ids = await deliveries(1, 20);
    const claims = await Promise.all(Array.from({ length: 6 }, () => take(ids)));
    expect(claims.flat()).toHaveLength(20);
    expect(claims.flat()[0]).toMatchObject({
      url: 'http://127.0.0.1:9',
      secrets: { secret: 'sealed', previous_secret: null, rotated_at: null },
      activation: 1,
      step: 0,
      event: { type: 'person.updated', resourceType: 'person' },
    });
    expect(await take(ids)).toEqual([]);
  });

  it('is claimed together with those of other endpoints, each in the order wanted, and once where it is wanted twice', async () => {
    const ids = await deliveries(1, 3);
    const others = {
      organisationId: MINT.prefixed('organisation', '', `${organisations} beside`),
      webhookId: `${webhookId} beside`,
    };
    await insertEndpoint(database.pool, {
      organisationId: others.organisationId,
      id: others.webhookId,
      url: 'http://127.0.0.1:10',
    });
    await insertEvents(database.pool, others.organisationId, 1, 2);
    const queued = await queueForOrganisation(database.pool, MINT, others.organisationId, { mayStop: true });
    const theirIds = queued.due.map(({ deliveryId }) => deliveryId);
    const claims = await claim(database.pool, [
      { organisationId, webhookId, deliveryIds: [ids[2]!, ids[0]!] },
      { ...others, deliveryIds: theirIds },
      { organisationId, webhookId, deliveryIds: ids },
      { organisationId, webhookId: others.webhookId, deliveryIds: [] },
      { ...others, deliveryIds: ids },
    ]);
    expect(claims.map((claimed) => claimed.map(({ deliveryId }) => deliveryId))).toEqual([
      [ids[2], ids[0]],
      theirIds,
      [ids[1]],
      [],
      [],
    ]);
    expect(claims.map((claimed) => claimed.map(({ url }) => url))).toEqual([
      ['http://127.0.0.1:9', 'http://127.0.0.1:9'],
      ['http://127.0.0.1:10', 'http://127.0.0.1:10'],
      ['http://127.0.0.1:9'],
      [],
      [],
    ]);
  });

  it('is claimed by a plan that is kept, where the caller says so, however often and however many', async () => {
    const connection = await database.pool.connect();
    try {
      for (const count of [1, 3, 9, 2, 5, 7, 4, 8]) {
        const ids = await deliveries(1 + (await deliveredSoFar()), count);
        const [claimed] = await claim(connection, [{ organisationId, webhookId, deliveryIds: ids }], true);
        expect(claimed!.map(({ deliveryId }) => deliveryId)).toEqual(ids);
        await recordAll(claimed!);
      }
      const { rows } = await connection.query(
        `select custom_plans::integer as planned, generic_plans::integer as kept from pg_prepared_statements where name = 'claim-deliveries'`,
      );
      expect(rows).toEqual([{ planned: 5, kept: 3 }]);
    } finally {
      connection.release();
    }
  });

  it('is claimed while another endpoint of the same claim is disabled, and none of that', async () => {
    const ids = await deliveries(1, 1);
    const disabled = `${webhookId} disabled`;
    await insertEndpoint(database.pool, { organisationId, id: disabled });
    const more = await deliveries(2, 1);
    await database.pool.query(`update webhooks set status = 'disabled' where id = $1`, [disabled]);
    const { rows } = await database.pool.query<{ id: string }>(
      'select id from webhook_deliveries where webhook_id = $1',
      [disabled],
    );
    const claims = await claim(database.pool, [
      { organisationId, webhookId: disabled, deliveryIds: rows.map(({ id }) => id) },
      { organisationId, webhookId, deliveryIds: ids },
    ]);
    expect([rows.length > 0, more.length > 0, claims.map(({ length }) => length)]).toEqual([true, true, [0, 1]]);
  });

  it('is free again when its lease has ended, and a late result of the first process is left out', async () => {
    const [id] = await deliveries(1, 1);
    const [first] = await take([id!]);
    await set(`leased_until = clock_timestamp() - interval '1 second'`);
    const [second] = await take([id!]);
    expect((await record(database.pool, [result(first!, FAILED)])).recorded).toEqual([]);
    expect((await record(database.pool, [result(second!)])).recorded).toMatchObject([
      { deliveryId: id, status: 'delivered' },
    ]);
    expect(await row(id!)).toMatchObject({ status: 'delivered', attempts: [[1, 200, null, 12]] });
    expect((await record(database.pool, [result(second!, FAILED)])).recorded).toEqual([]);
  });

  it('that is to be tried again is due after its pause and not before, with every attempt kept', async () => {
    const [id] = await deliveries(1, 1);
    await recordAll(await take([id!]), LATER);
    const waiting = await row(id!);
    expect(waiting).toMatchObject({
      status: 'retry_scheduled',
      attempt_count: 1,
      step: 1,
      last_http_status: 503,
      failure_class: 'http_retryable',
    });
    expect(waiting['due_in']).toBeGreaterThan(55);
    expect(await take([id!])).toEqual([]);
    expect(await swept()).toEqual([]);
    await set(`next_attempt_at = clock_timestamp() - interval '1 second'`);
    expect(await swept()).toMatchObject([
      { organisationId, webhookId, deliveryId: id, attempt: 2, isRetry: true, place: 0 },
    ]);
    await recordAll(await take([id!]));
    expect(await row(id!)).toMatchObject({
      status: 'delivered',
      attempt_count: 2,
      due_in: null,
      attempts: [
        [1, 503, 'http_retryable', 12],
        [2, 200, null, 12],
      ],
    });
  });

  it('is not claimed, nor found by the sweep, while its endpoint is disabled or stopped', async () => {
    const ids = await deliveries(1, 2);
    await setEndpoint(`status = 'disabled'`);
    expect(await take(ids)).toEqual([]);
    await setEndpoint(`status = 'active'`);
    await database.pool.query(`insert into webhook_stops values ($1, $2, 1, 'delivery_overflow')`, [
      organisationId,
      webhookId,
    ]);
    expect(await take(ids)).toEqual([]);
    expect(await swept()).toEqual([]);
    expect(await unrecordedStops(database.pool)).toContainEqual({
      organisationId,
      webhookId,
      activation: 1,
      reason: 'delivery_overflow',
    });
    await setEndpoint('activation = 2');
    expect(await take(ids)).toHaveLength(2);
  });
});

describe('a delivery that is answered with 410 Gone', () => {
  const GONE = { ...FAILED, httpStatus: 410 };

  it('stops the endpoint at once, at the address that it still has, and not by a result that comes too late', async () => {
    const [first, second, third] = await take(await deliveries(1, 3));
    await database.pool.query(
      'update webhook_deliveries set lease_token = gen_random_uuid() where organisation_id = $1 and id = $2',
      [organisationId, first!.deliveryId],
    );
    expect(await hasStopped(first!, GONE)).toBe(false);
    expect(await hasStopped({ ...second!, url: 'https://where-it-was.example/' }, GONE)).toBe(false);
    expect(await hasStopped(third!, GONE)).toBe(true);
    expect(await stops()).toEqual([{ organisationId, webhookId, activation: 1, reason: 'gone' }]);
  });
});

describe('ten deliveries that failed for good', () => {
  it('stop the endpoint exactly at the tenth, also with concurrent recordings', async () => {
    const ids = await deliveries(1, 12);
    const claimed = await take(ids);
    for (const one of claimed.slice(0, 9)) expect(await hasStopped(one, FAILED)).toBe(false);
    const stopped = await Promise.all(claimed.slice(9).map((one) => recordAll([one], FAILED)));
    expect(stopped.filter(({ hasStopped }) => hasStopped)).toHaveLength(1);
    expect(await stops()).toEqual([{ organisationId, webhookId, activation: 1, reason: 'delivery_failures' }]);
  });

  it('count since the last activation, without those that were reset', async () => {
    const ids = await deliveries(1, 20);
    const claimed = await take(ids);
    await recordAll(claimed.slice(0, 9), FAILED);
    await redeliverOne(ids[0]!);
    expect(await hasStopped(claimed[9]!, FAILED)).toBe(false);
    await setEndpoint('activation = 2');
    await set('leased_until = null');
    const again = await take(ids.slice(10));
    expect((await recordAll(again.slice(0, 9), FAILED)).hasStopped).toBe(false);
    expect(await hasStopped(again[9]!, FAILED)).toBe(true);
  });
});

const redeliverOne = (deliveryId: string) =>
  inTransaction(database.pool, (connection) => redeliver(connection, { organisationId, webhookId, deliveryId }));
const resend = (since: Date) =>
  inTransaction(database.pool, (connection) => resendSince(connection, MINT, { organisationId, webhookId, since }));

describe('sending again', () => {
  it('resets what failed or waits, and nothing else', async () => {
    const ids = await deliveries(1, 4);
    const [delivered, failed, scheduled] = await take(ids.slice(0, 3));
    await record(database.pool, [result(delivered!), result(failed!, FAILED), result(scheduled!, LATER)]);
    const outcomes = await Promise.all(ids.map((deliveryId) => redeliverOne(deliveryId)));
    expect(outcomes).toEqual(['not_allowed', 'reset', 'reset', 'not_allowed']);
    expect(await row(ids[1]!)).toMatchObject({ status: 'pending', attempt_count: 1, step: 0, failed_activation: null });
    expect(await redeliverOne('nobody')).toBe('not_found');
    await setEndpoint(`status = 'disabled'`);
    expect(await redeliverOne(ids[2]!)).toBe('not_active');
  });

  it('and tests find no room where as many wait as may, under races too', async () => {
    await deliveries(1, WAITING_LIMITS.endpoint - 5);
    const queue = (index: number) =>
      inTransaction(database.pool, (connection) =>
        queueDelivery(
          connection,
          { organisationId, webhookId, deliveryId: `test ${index}` },
          { ...EVENT, id: `event x ${index}` },
        ),
      );
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, index) => queue(index)));
    expect(outcomes.filter((outcome) => outcome === 'queued')).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(7);
    expect(await queue(outcomes.indexOf('queued'))).toBe('repeated');
  });

  it('since a time includes failed deliveries and events missed while disabled, in order of occurrence, within the limit', async () => {
    const ids = await deliveries(1, 6);
    const claimed = await take(ids);
    await record(
      database.pool,
      claimed.map((one, index) => result(one, index < 3 ? FAILED : {})),
    );
    await insertEvents(database.pool, organisationId, 7, 3);
    await setEndpoint(`activation = 2, activated_position = '0000000009'`);
    const resent = await resend(new Date(0));
    expect(resent).toMatchObject({ failed: 3, missed: 3, left: 0 });
    expect(resent!.due.slice(0, 3).map(({ deliveryId }) => deliveryId)).toEqual(ids.slice(0, 3));
    expect(await take(resent!.due.map(({ deliveryId }) => deliveryId))).toHaveLength(6);
    expect(await resend(new Date(0))).toMatchObject({ failed: 0, missed: 0, left: 0 });
    await insertEvents(database.pool, organisationId, 10, 600);
    await setEndpoint(`activation = 3, activated_position = '0000000999'`);
    expect(await resend(new Date(0))).toMatchObject({ missed: 494, left: 106 });
    expect(await resend(new Date(Date.now() + 60_000))).toMatchObject({ missed: 0, left: 0 });
  });

  it('since a time includes deliveries that wait for their next attempt, with all attempts so far, but none in progress', async () => {
    const ids = await deliveries(1, 4);
    const [delivered, failed, ...scheduled] = await take(ids);
    await record(database.pool, [
      result(delivered!),
      result(failed!, FAILED),
      ...scheduled.map((one) => result(one, LATER)),
    ]);
    await setEndpoint(`subscribed_events = '{webhook.test}'`);
    await set(`occurred_at = timestamptz '2026-01-01' + right(event_id, 1)::integer * interval '1 second'`);
    const since = new Date('2026-01-01T00:00:03Z');
    const resent = await resend(since);
    expect(resent).toMatchObject({
      failed: 0,
      scheduled: 2,
      missed: 0,
      left: 0,
      due: ids
        .slice(2)
        .map((deliveryId, place) => ({ organisationId, webhookId, deliveryId, attempt: 2, isRetry: false, place })),
    });
    expect(await row(ids[2]!)).toMatchObject({
      status: 'pending',
      step: 0,
      attempt_count: 1,
      attempts: [[1, 503, 'http_retryable', 12]],
    });
    const [again, other] = await take(ids.slice(2));
    await record(database.pool, [result(again!, LATER), result(other!, LATER)]);
    await set(`next_attempt_at = case when status = 'retry_scheduled' then clock_timestamp() end`);
    expect(await take([ids[2]!])).toHaveLength(1);
    expect(await resend(since)).toMatchObject({ scheduled: 1, due: [{ deliveryId: ids[3] }] });
  });

  it('since a time needs no room for deliveries that already wait', async () => {
    const ids = await deliveries(1, WAITING_LIMITS.endpoint);
    const claimed = await take(ids);
    await recordAll(claimed, LATER);
    expect(await resend(new Date(0))).toMatchObject({ scheduled: WAITING_LIMITS.endpoint, failed: 0, left: 0 });
    expect(await take(ids)).toHaveLength(WAITING_LIMITS.endpoint);
  });
});

describe('what is kept', () => {
  it('are events of 30 days, and older ones that an endpoint has no delivery of yet', async () => {
    await deliveries(1, 3);
    await insertEvents(database.pool, organisationId, 4, 2);
    await database.pool.query(
      `update webhook_events set occurred_at = occurred_at - interval '30 days 1 second' where organisation_id = $1 and id <> 'event 3'`,
      [organisationId],
    );
    await pruneDeliveries(database.pool);
    const left = async () =>
      (
        await database.pool.query<{ id: string }>(
          'select id from webhook_events where organisation_id = $1 order by position',
          [organisationId],
        )
      ).rows.map(({ id }) => id);
    expect(await left()).toEqual(['event 3', 'event 4', 'event 5']);
    expect((await queueForOrganisation(database.pool, MINT, organisationId, { mayStop: true })).due).toHaveLength(2);
    await pruneDeliveries(database.pool);
    expect(await left()).toEqual(['event 3']);
  });

  it('are exchanges of a day, which are not read before they are deleted either', async () => {
    const [id] = await deliveries(1, 1);
    await recordAll(await take([id!]), LATER);
    const kept = () => readExchanges(database.pool, { organisationId, deliveryId: id! });
    const move = (interval: string) =>
      database.pool.query('update webhook_exchanges set recorded_at = recorded_at - $1::interval', [interval]);
    const stored = async () =>
      (await database.pool.query('select from webhook_exchanges where delivery_id = $1', [id])).rowCount;
    await move('23 hours 55 minutes');
    await pruneDeliveries(database.pool);
    expect(await kept()).toEqual([{ number: 1, exchange: 'sealed' }]);
    await move('5 minutes');
    expect(await kept()).toEqual([]);
    expect(await stored()).toBe(1);
    await pruneDeliveries(database.pool);
    expect(await stored()).toBe(0);
    expect(await row(id!)).toMatchObject({ attempts: [[1, 503, 'http_retryable', 12]] });
  });

  it('are finished deliveries of 30 days, with their attempts, and all that wait; nothing of deleted endpoints', async () => {
    const ids = await deliveries(1, 1_200);
    expect(ids).toHaveLength(500);
    const claimed = await take(ids.slice(0, 3));
    await record(
      database.pool,
      claimed.map((one, index) => result(one, index === 0 ? FAILED : {})),
    );
    await set(`created_at = now() - interval '40 days', finished_at = finished_at - interval '30 days 1 second'`);
    await database.pool.query(
      `update webhook_deliveries set finished_at = now() where organisation_id = $1 and id = $2`,
      [organisationId, ids[2]],
    );
    await pruneDeliveries(database.pool);
    const left = async () =>
      (
        await database.pool.query<{ status: string; count: number }>(
          'select status, count(*)::integer as count from webhook_deliveries where organisation_id = $1 group by 1 order by 1',
          [organisationId],
        )
      ).rows;
    expect(await left()).toEqual([
      { status: 'delivered', count: 1 },
      { status: 'pending', count: 497 },
    ]);
    expect(
      (
        await database.pool.query('select delivery_id from webhook_attempts where organisation_id = $1', [
          organisationId,
        ])
      ).rows,
    ).toEqual([{ delivery_id: ids[2] }]);
    await setEndpoint(`status = 'deleted'`);
    await pruneDeliveries(database.pool);
    expect(await left()).toEqual([]);
  });
});
