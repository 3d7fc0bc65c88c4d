import { databaseForSpec } from '../../../test/support/postgres.js';
import { keepEvents } from './event-log.js';
import { deliverNotices, IS_NOTICE_DUE, type Notice } from './notices.js';

const NOTICE: Notice = {
  organisationId: 'org',
  id: 'one',
  kind: 'webhook_disabled',
  subjectId: 'wh',
  text: 'It was disabled.',
  createdAt: '2026-01-01T00:00:00.000Z',
};

const database = databaseForSpec();
const isDue = async (): Promise<boolean | null> =>
  (await database.pool.query<{ is_due: boolean | null }>(`select (${IS_NOTICE_DUE.text}) as is_due`)).rows[0]!.is_due;

describe('notices', () => {
  it('are handed on once, oldest first, and again where the channel failed', async () => {
    expect(await isDue()).toBe(null);
    await keepEvents(database.pool, {
      events: [],
      notices: [{ ...NOTICE, id: 'two', createdAt: '2026-01-02T00:00:00.000Z' }, NOTICE],
      position: '1',
    });
    await keepEvents(database.pool, { events: [], notices: [NOTICE], position: '2' });
    expect(await isDue()).toBe(true);
    const seen: string[] = [];
    const failing = {
      deliver: async ({ id }: Notice) => (id === 'two' ? Promise.reject(new Error('no mail')) : void seen.push(id)),
    };
    await expect(deliverNotices(database.pool, failing)).rejects.toThrow('no mail');
    const channel = { deliver: async (notice: Notice) => void seen.push(JSON.stringify(notice)) };
    expect([await isDue(), await deliverNotices(database.pool, channel)]).toEqual([false, 0]);
    await database.pool.query(`update organisation_notices set leased_until = clock_timestamp() - interval '1 second'`);
    expect(await deliverNotices(database.pool, channel)).toBe(1);
    expect(seen).toEqual(['one', JSON.stringify({ ...NOTICE, id: 'two', createdAt: '2026-01-02T00:00:00.000Z' })]);
    expect([await isDue(), await deliverNotices(database.pool, channel)]).toEqual([null, 0]);
  });
});
