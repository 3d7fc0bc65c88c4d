import { databaseForSpec } from '../../../test/support/postgres.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { type AttemptResult, claim, noteNotAttempted, record } from './delivery-store.js';
import { describeReceiverDelay, describeSendingDelay, type Lateness, measureLateness } from './lateness.js';

const MINUTE = 60;

const database = databaseForSpec();
beforeEach(async () => {
  await database.pool.query('truncate webhooks, webhook_deliveries, webhook_attempts, webhook_stops');
  await insertEndpoint(database.pool, { organisationId: 'acme', id: 'one' });
});

/** Creates deliveries of an endpoint that became due this number of seconds ago. */
async function due(seconds: number, ids: readonly string[], webhookId = 'one'): Promise<void> {
  await database.pool.query(
    `insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type, occurred_at, next_attempt_at)
     select organisation_id, d, $2, d, 'person.updated', '', 'person', now(), clock_timestamp() - $1 * interval '1 second' from webhooks, unnest($3::text[]) d where id = $2`,
    [seconds, webhookId, ids],
  );
}

const take = async (...deliveryIds: readonly string[]) =>
  (await claim(database.pool, [{ organisationId: 'acme', webhookId: 'one', deliveryIds }]))[0]!;
const ended = (result: Partial<AttemptResult>) =>
  ({
    outcome: 'delivered',
    httpStatus: 200,
    failureClass: null,
    failureMessage: null,
    durationMs: 1,
    exchange: '',
    pauseMs: null,
    ...result,
  }) as const;
/** Moves the results of attempts into the past. */
const earlier = (seconds: number): Promise<unknown> =>
  database.pool.query(
    `update webhook_deliveries set updated_at = updated_at - $1 * interval '1 second', finished_at = finished_at - $1 * interval '1 second'`,
    [seconds],
  );

/** The lateness of deliveries in whole minutes: a busy machine may add seconds. */
async function minutes(): Promise<readonly [sending: number, receiver: number]> {
  const { sendingSeconds, receiverSeconds } = await measureLateness(database.pool);
  return [Math.round(sendingSeconds / MINUTE), Math.round(receiverSeconds / MINUTE)];
}

describe('deliveries are late', () => {
  it('for no reason if none is due', async () => {
    await due(-55 * MINUTE, ['a']);
    expect(await measureLateness(database.pool)).toEqual({
      sendingSeconds: 0,
      receiverSeconds: 0,
      endpointsBehind: 0,
      organisationsBehind: 0,
      waiting: { pending: 1, retry_scheduled: 0 },
    });
  });

  it('because of the installation if none of their endpoint was ever attempted', async () => {
    await due(10 * MINUTE, ['a', 'b']);
    expect(await minutes()).toEqual([10, 0]);
  });

  it('because of the receiver while an attempt is in flight, however long the others have waited', async () => {
    await due(10 * MINUTE, ['a', 'b']);
    await take('a');
    expect(await minutes()).toEqual([0, 10]);
  });

  it.each([
    ['is tried again', { outcome: 'failed', failureClass: 'network', pauseMs: 3_600_000 }],
    ['was delivered', {}],
    ['failed for good', { outcome: 'failed', failureClass: 'http_non_retryable' }],
  ] as const)('because of both where the last attempt ended a while ago, and its delivery %s', async (_, result) => {
    await due(10 * MINUTE, ['a', 'b']);
    const [claimed] = await take('a');
    await record(database.pool, [{ claimed: claimed!, ...ended(result) }]);
    expect(await minutes()).toEqual([0, 10]);
    await earlier(4 * MINUTE);
    expect(await minutes()).toEqual([4, 6]);
  });

  it('because of the installation while they are claimed and cannot be attempted', async () => {
    await due(10 * MINUTE, ['a', 'b']);
    const [claimed] = await take('a');
    await noteNotAttempted(database.pool, claimed!);
    expect(await minutes()).toEqual([10, 0]);
    expect(await take('a')).toEqual([]);
  });

  it('because of the installation if the process that attempted them is dead', async () => {
    await due(10 * MINUTE, ['a']);
    await take('a');
    await database.pool.query(`update webhook_deliveries set leased_until = clock_timestamp() - interval '1 second'`);
    expect(await minutes()).toEqual([10, 0]);
  });

  it('for no reason if their endpoint is disabled or stopped', async () => {
    await due(10 * MINUTE, ['a']);
    await database.pool.query(`insert into webhook_stops values ('acme', 'one', 1, 'delivery_overflow')`);
    expect(await minutes()).toEqual([0, 0]);
    await database.pool.query(`delete from webhook_stops; update webhooks set status = 'disabled'`);
    expect(await measureLateness(database.pool)).toMatchObject({
      sendingSeconds: 0,
      receiverSeconds: 0,
      waiting: { pending: 1 },
    });
  });

  it('because of the installation and of receivers at the same time, for different endpoints', async () => {
    await insertEndpoint(database.pool, { organisationId: 'other', id: 'idle' });
    await due(3 * MINUTE, ['idle'], 'idle');
    await due(20 * MINUTE, ['a', 'b']);
    await take('a');
    expect(await measureLateness(database.pool)).toMatchObject({ endpointsBehind: 1, organisationsBehind: 1 });
    expect(await minutes()).toEqual([3, 20]);
  });
});

describe('the sentence for an operator', () => {
  const notLate: Lateness = { sendingSeconds: 0, receiverSeconds: 0, endpointsBehind: 0, organisationsBehind: 0 };

  it('is nothing of what is late as usual', () => {
    expect(describeSendingDelay({ ...notLate, sendingSeconds: 120 })).toBeNull();
    expect(describeReceiverDelay({ ...notLate, receiverSeconds: 60 })).toBeNull();
  });

  it('names the cause', () => {
    expect(describeSendingDelay({ ...notLate, sendingSeconds: 121 })!.message).toBe(
      'Webhook deliveries have been due for 2 min, and no worker could attempt them.',
    );
    expect(
      describeReceiverDelay({ ...notLate, receiverSeconds: 61, endpointsBehind: 1, organisationsBehind: 1 })!.message,
    ).toBe(
      '1 webhook endpoint of 1 organisation is behind by up to 61 s, because receivers are slow or do not answer.',
    );
    expect(
      describeReceiverDelay({ ...notLate, receiverSeconds: 3 * 3_600, endpointsBehind: 9, organisationsBehind: 2 })!
        .message,
    ).toContain('9 webhook endpoints of 2 organisations are behind by up to 3 h');
  });
});
