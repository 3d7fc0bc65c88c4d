import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { rowsRead } from '../../../test/support/rows-read.js';
import { insertDeliveries, insertOrganisation } from '../../../test/support/webhooks/delivery-rows.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { countByState, findMonitored, listByState, MOST_FINISHED } from './delivery-states.js';
import { redeliverAll } from './redeliver-all.js';

const HOUR = 3_600;
const HOOK = { organisationId: 'org', webhookId: 'hook' };

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  await insertOrganisation(database.pool, 'org', 'acme');
  await insertEndpoint(database.pool, { organisationId: 'org', id: 'hook' });
});

afterEach(() => database.drop());

describe('the states of deliveries', () => {
  it('are counted over all organisations, each delivery in one of them', async () => {
    const { pool } = database;
    await insertOrganisation(pool, 'other', 'other');
    await insertEndpoint(pool, { organisationId: 'other', id: 'disabled' });
    await insertEndpoint(pool, { organisationId: 'other', id: 'stopped' });
    await pool.query(`update webhooks set status = 'disabled', disabled_reason = 'caller' where id = 'disabled'`);
    await pool.query(
      `insert into webhook_stops (organisation_id, webhook_id, activation, reason) values ('other', 'stopped', 1, 'delivery_failures')`,
    );
    await insertDeliveries(pool, { ...HOOK, prefix: 'w', count: 148, status: 'pending' });
    await insertDeliveries(pool, { ...HOOK, prefix: 'r', count: 180, status: 'retry_scheduled', ageSeconds: -HOUR });
    await insertDeliveries(pool, { ...HOOK, prefix: 'a', count: 3, status: 'pending', isLeased: true });
    await insertDeliveries(pool, { ...HOOK, prefix: 'f', count: 7, status: 'failed', ageSeconds: 20 * 24 * HOUR });
    await insertDeliveries(pool, { ...HOOK, prefix: 'd', count: 5, status: 'delivered', ageSeconds: HOUR });
    await insertDeliveries(pool, { ...HOOK, prefix: 'old', count: 9, status: 'delivered', ageSeconds: 25 * HOUR });
    await insertDeliveries(pool, { organisationId: 'other', webhookId: 'disabled', prefix: 'p', count: 2, status: 'pending' });
    await insertDeliveries(pool, { organisationId: 'other', webhookId: 'stopped', prefix: 's', count: 2, status: 'retry_scheduled' });
    expect(await countByState(pool)).toEqual({ waiting: 148, delayed: 180, active: 3, paused: 4, completed: 5, failed: 7 });
    const all = await listByState(pool, ['waiting', 'delayed', 'active', 'paused', 'completed', 'failed'], 0, 999);
    const counted = new Map<string, number>();
    for (const { state } of all) counted.set(state, (counted.get(state) ?? 0) + 1);
    expect(Object.fromEntries(counted)).toEqual({ waiting: 148, delayed: 180, active: 3, paused: 4, completed: 5, failed: 7 });
    for (const { id, state } of all.filter((_, index) => index % 20 === 0)) expect((await findMonitored(pool, id))?.state).toBe(state);
  });

  it('are paged without gaps: what waits by its next attempt, what is finished from the latest on', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'r', count: 25, status: 'retry_scheduled', ageSeconds: -HOUR });
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'f', count: 25, status: 'failed', ageSeconds: HOUR });
    const ids = async (state: 'delayed' | 'failed', first: number): Promise<readonly string[]> =>
      (await listByState(database.pool, [state], first, first + 9)).map(({ id }) => id);
    const pages = [...(await ids('delayed', 0)), ...(await ids('delayed', 10)), ...(await ids('delayed', 20))];
    expect(pages).toEqual(Array.from({ length: 25 }, (_, index) => `r${index + 1}`));
    const failed = [...(await ids('failed', 0)), ...(await ids('failed', 10)), ...(await ids('failed', 20))];
    expect(failed).toEqual(Array.from({ length: 25 }, (_, index) => `f${25 - index}`));
  });

  it('cost no scan of what was delivered, however much that is', async () => {
    const { pool } = database;
    await insertDeliveries(pool, { ...HOOK, prefix: 'old', count: MOST_FINISHED * 2, status: 'delivered', ageSeconds: 10 * 24 * HOUR });
    await insertDeliveries(pool, { ...HOOK, prefix: 'd', count: MOST_FINISHED + 500, status: 'delivered', ageSeconds: HOUR });
    await insertDeliveries(pool, { ...HOOK, prefix: 'w', count: 148, status: 'pending' });
    await insertDeliveries(pool, { ...HOOK, prefix: 'f', count: 20, status: 'failed', ageSeconds: 2 * HOUR });
    await pool.query('vacuum analyze webhook_deliveries');
    expect(await countByState(pool)).toMatchObject({ completed: MOST_FINISHED, waiting: 148, failed: 20 });
    // What waits, what failed, and what is counted of what was delivered; never the table.
    expect(await rowsRead(pool, countByState)).toBeLessThan(MOST_FINISHED + 500);
    expect(await rowsRead(pool, (executor) => listByState(executor, ['waiting', 'delayed', 'active', 'paused'], 0, 9))).toBeLessThan(500);
    expect(await rowsRead(pool, (executor) => listByState(executor, ['failed'], 0, 9))).toBeLessThan(100);
    expect(await rowsRead(pool, (executor) => listByState(executor, ['completed'], 90, 99))).toBeLessThan(300);
    expect(await rowsRead(pool, (executor) => findMonitored(executor, 'd77'))).toBeLessThan(10);
  });
});

describe('a redelivery of all', () => {
  it('takes what failed of active endpoints, in order of occurrence and as far as there is room', async () => {
    const { pool } = database;
    await insertEndpoint(pool, { organisationId: 'org', id: 'disabled' });
    await pool.query(`update webhooks set status = 'disabled', disabled_reason = 'caller' where id = 'disabled'`);
    await insertDeliveries(pool, { ...HOOK, prefix: 'w', count: 490, status: 'pending' });
    await insertDeliveries(pool, { ...HOOK, prefix: 'f', count: 20, status: 'failed', ageSeconds: HOUR });
    await insertDeliveries(pool, { organisationId: 'org', webhookId: 'disabled', prefix: 'x', count: 3, status: 'failed' });
    const { redelivered, wakeSignals } = await redeliverAll(pool, 'failed');
    expect(redelivered).toBe(10);
    expect(wakeSignals).toEqual([{ ...HOOK, isAgain: true, deliveryIds: Array.from({ length: 10 }, (_, index) => `f${index + 1}`) }]);
    expect(await countByState(pool)).toMatchObject({ waiting: 500, failed: 13 });
    expect((await redeliverAll(pool, 'failed')).redelivered).toBe(0);
  });

  it('takes what waits for its next attempt, and leaves alone what a worker attempts', async () => {
    const { pool } = database;
    await insertDeliveries(pool, { ...HOOK, prefix: 'r', count: 60, status: 'retry_scheduled', ageSeconds: -HOUR });
    await insertDeliveries(pool, { ...HOOK, prefix: 'a', count: 2, status: 'retry_scheduled', isLeased: true });
    const { redelivered, wakeSignals } = await redeliverAll(pool, 'retry_scheduled');
    expect([redelivered, wakeSignals.map(({ deliveryIds }) => deliveryIds.length)]).toEqual([60, [50, 10]]);
    expect(await countByState(pool)).toMatchObject({ waiting: 60, delayed: 0, active: 2 });
  });
});
