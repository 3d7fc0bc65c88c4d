import { randomUUID } from 'node:crypto';
import { addDays } from '#kernel/dates.js';
import { eventually } from '../../../../test/contract/event-store.support.js';
import { expectError } from '../../../../test/support/api/expect-error.js';
import { dataOf } from '../../../../test/support/api/people.js';
import { TestApi } from '../../../../test/support/api/test-api.js';
import { type TimeOff, TimeOffActions } from '../../../../test/support/api/time-off.js';
import { balanceLock } from '../records/balance-lock.js';

/** Without a public holiday until the end of March. */
const MONDAY = '2026-03-02';
const DAY = 450;

let api: TestApi;
let timeOff: TimeOffActions;
let unlimited: string;
let limited: string;

beforeAll(async () => {
  api = await TestApi.start();
  timeOff = new TimeOffActions(api, await api.organisation());
  unlimited = await timeOff.category();
  limited = await timeOff.category({ annual_allowance_minutes: 10 * DAY, negative_balance_minutes: 0, requires_approval: false });
});
afterAll(() => api.stop());

const workday = (index: number): string => addDays(MONDAY, 7 * Math.floor(index / 5) + (index % 5));
const oneDay = (person_id: string, category_id: string, date: string): object => ({
  person_id,
  category_id,
  start_date: date,
  end_date: date,
});

/** The number of transactions that recorded a request: its event, its row, and its receipt. */
async function transactionsOf(id: string): Promise<number> {
  const { rows } = await api.database.pool.query<{ parts: number; transactions: number }>(
    `select count(*)::int as parts, count(distinct x.id)::int as transactions from (
       select t.xmin::text as id from time_off t where t.id = $1
       union all select e.xmin::text from events e where e.data ->> 'time_off_id' = $1
       union all select r.xmin::text from idempotency_receipts r where strpos(r.body, $1) > 0) x`,
    [id],
  );
  expect(rows[0]!.parts).toBe(3);
  return rows[0]!.transactions;
}

describe('a request', () => {
  it('is recorded with its row and its receipt in one transaction, with a limit as without', async () => {
    const person = await timeOff.person();
    const made = [
      await timeOff.create(oneDay(person, unlimited, workday(0))),
      await timeOff.create(oneDay(person, unlimited, workday(1))),
      await timeOff.create(oneDay(person, limited, workday(2))),
      await timeOff.create(oneDay(person, limited, workday(3))),
    ];
    for (const { id } of made) expect(await transactionsOf(id)).toBe(1);
  });

  it('is answered again under its key, and reads as it was answered', async () => {
    const [person, idempotencyKey] = [await timeOff.person(), randomUUID()];
    const body = oneDay(person, limited, workday(0));
    const [first, second] = [await timeOff.post(body, { idempotencyKey }), await timeOff.post(body, { idempotencyKey })];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json.data).toEqual(first.json.data);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await timeOff.read(first.json.data.id)).toEqual(first.json.data);
    expect(await timeOff.eventsOf(person)).toEqual(['TimeOffRequested']);
  });

  it('finds what overlaps although its row is missing, as after a crash between event and row', async () => {
    const person = await timeOff.person();
    const lost = await timeOff.create(oneDay(person, unlimited, workday(0)));
    await timeOff.create(oneDay(person, unlimited, workday(1)));
    await api.database.pool.query('delete from time_off where id = $1', [lost.id]);
    expectError(await timeOff.post(oneDay(person, unlimited, workday(0))), 409, 'conflict', 'start_date');
  });

  it('counts each record of a limited balance with its own days and its own status', async () => {
    const person = await timeOff.person();
    const days = (first: number, last: number): object => ({
      ...oneDay(person, limited, workday(first)),
      end_date: workday(last),
    });
    await timeOff.create(days(0, 4));
    await timeOff.do((await timeOff.create(days(5, 8))).id, 'cancel');
    await timeOff.create(days(9, 9));
    const last = await timeOff.create(days(10, 13));
    expect(await transactionsOf(last.id)).toBe(1);
    expectError(await timeOff.post(days(14, 14)), 409, 'conflict', 'category_id');
  });

  it('follows the working pattern of an employment without a start date', async () => {
    const pattern = {
      label: 'Mondays',
      cycle_weeks: 1,
      anchor_date: MONDAY,
      days: [{ week: 1, weekday: 1, morning_minutes: 100, afternoon_minutes: 50 }],
    };
    const { id: working_pattern_id } = dataOf(201, await timeOff.organisation.client.post<{ id: string }>('/working-patterns', pattern));
    const person = await timeOff.person({ start_date: undefined, working_pattern_id });
    const morning = { ...oneDay(person, unlimited, workday(0)), start_day_part: 'morning', end_day_part: 'morning' };
    const { id, total_minutes } = await timeOff.create(morning);
    expect([total_minutes, await transactionsOf(id)]).toEqual([100, 1]);
  });

  it('waits for nobody who holds the lock of the balance, and is recorded after them', async () => {
    const person = await timeOff.person();
    const connection = await api.database.pool.connect();
    let answer: Promise<TimeOff>;
    try {
      await connection.query('select pg_advisory_lock(hashtextextended($1, 0))', [balanceLock(timeOff.organisation.row.id, person)]);
      answer = timeOff.create(oneDay(person, limited, workday(0)));
      // Not of the person's balance, so recorded in the meantime.
      await timeOff.create(oneDay(await timeOff.person(), limited, workday(0)));
      expect(await timeOff.eventsOf(person)).toEqual([]);
    } finally {
      await connection.query('select pg_advisory_unlock_all()');
      connection.release();
    }
    await answer;
    expect(await timeOff.eventsOf(person)).toEqual(['TimeOffRequested']);
  });

  it.each([
    ['a category that has been archived', 'category_id', (): string => unlimited, archive],
    ['a balance that has been used up', 'category_id', (): string => limited, useUp],
    ['an employment that has ended', 'start_date', (): string => unlimited, end],
  ])('is not recorded on %s after it was read', async (_, field, categoryOf, change) => {
    const person = await timeOff.person({ start_date: '2026-01-01' });
    const category = categoryOf();
    const changed = await changedBetween(
      () => timeOff.post(oneDay(person, category, workday(0))),
      () => change(person, category),
    );
    expectError(changed, 409, 'conflict', field);
    expect(await timeOff.eventsOf(person)).toEqual([]);
  });
});

/** The answer to a request that has been decided, but not recorded, when something is changed. */
async function changedBetween<Result>(ask: () => Promise<Result>, change: () => Promise<void>): Promise<Result> {
  const connection = await api.database.pool.connect();
  let answer: Promise<Result>;
  try {
    // Lets everybody read the table and nobody write to it.
    await connection.query('begin; lock table time_off in share row exclusive mode');
    answer = ask();
    await eventually(async () => {
      const { rows } = await connection.query("select from pg_locks where relation = 'time_off'::regclass and not granted");
      return rows.length === 1;
    });
    await change();
  } finally {
    await connection.query('rollback');
    connection.release();
  }
  return answer;
}

async function archive(_: string, category: string): Promise<void> {
  dataOf(200, await timeOff.organisation.client.send('POST', `/time-off/categories/${category}/archive`));
  unlimited = await timeOff.category();
}

async function useUp(person: string, category: string): Promise<void> {
  const adjustment = { category_id: category, amount_minutes: -10 * DAY, effective_date: MONDAY, reason_code: 'payout' };
  dataOf(201, await timeOff.organisation.client.post(`/people/${person}/time-off-balance/adjustments`, adjustment));
}

async function end(person: string): Promise<void> {
  await timeOff.people.end(person, '2026-02-27');
}

it('requests and adjustments that race, at two processes, never overdraw a balance, and use all of it', async () => {
  const { organisation } = timeOff;
  const clients = [organisation.client, api.client(organisation.apiKey, await api.startAnother())];
  for (let round = 0; round < 3; round += 1) {
    const person = await timeOff.person({ start_date: '2026-01-01' });
    const adjustment = { category_id: limited, amount_minutes: -DAY, effective_date: MONDAY, reason_code: 'payout' };
    const answers = await Promise.all([
      ...Array.from({ length: 14 }, (_, index) => clients[index % 2]!.post('/time-off', oneDay(person, limited, workday(index)))),
      ...Array.from({ length: 6 }, (_, index) => clients[index % 2]!.post(`/people/${person}/time-off-balance/adjustments`, adjustment)),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(10);
    for (const answer of answers) if (answer.status !== 201) expect(answer.status).toBe(409);
  }
});
