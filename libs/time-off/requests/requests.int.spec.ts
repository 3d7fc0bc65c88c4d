import { addDays } from '#kernel/dates.js';
import { expectError } from '../../../test/support/api/http-client.js';
import { TestApi } from '../../../test/support/api/test-api.js';
import type { TimeOff } from '../../../test/support/api/shapes.js';
import { TimeOffActions } from '../../../test/support/api/time-off.js';
import { balanceLock } from '../records/balance-lock.js';

/** Without a public holiday until the end of March. */
const MONDAY = '2026-03-02';
const DAY = 450;

let timeOff: TimeOffActions;
let unlimited: string;
let limited: string;

const api = TestApi.forSpec();

beforeAll(async () => {
  timeOff = new TimeOffActions(api, await api.organisation());
  unlimited = await timeOff.category();
  limited = await timeOff.category({
    annual_allowance_minutes: 10 * DAY,
    negative_balance_minutes: 0,
    requires_approval: false,
  });
});

const workday = (index: number): string => addDays(MONDAY, 7 * Math.floor(index / 5) + (index % 5));
const oneDay = (person_id: string, category_id: string, date: string): object => ({
  person_id,
  category_id,
  start_date: date,
  end_date: date,
});

describe('a request', () => {
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
    await timeOff.create(days(10, 13));
    expectError(await timeOff.post(days(14, 14)), 409, 'conflict', 'category_id');
  });

  it('follows the working pattern of an employment without a start date', async () => {
    const pattern = {
      label: 'Mondays',
      cycle_weeks: 1,
      anchor_date: MONDAY,
      days: [{ week: 1, weekday: 1, morning_minutes: 100, afternoon_minutes: 50 }],
    };
    const working_pattern_id = await timeOff.organisation.client.make('/working-patterns', pattern);
    const person = await timeOff.person({ start_date: undefined, working_pattern_id });
    const morning = { ...oneDay(person, unlimited, workday(0)), start_day_part: 'morning', end_day_part: 'morning' };
    expect((await timeOff.create(morning)).total_minutes).toBe(100);
  });

  it('waits for the lock of the balance, and is recorded afterwards', async () => {
    const person = await timeOff.person();
    const connection = await api.database.pool.connect();
    let answer: Promise<TimeOff>;
    try {
      await connection.query('select pg_advisory_lock(hashtextextended($1, 0))', [
        balanceLock(timeOff.organisation.row.id, person),
      ]);
      answer = timeOff.create(oneDay(person, limited, workday(0)));
      // Another person's record does not wait for the lock.
      await timeOff.create(oneDay(await timeOff.person(), limited, workday(0)));
      expect(await timeOff.eventsOf(person)).toEqual([]);
    } finally {
      await connection.query('select pg_advisory_unlock_all()');
      connection.release();
    }
    await answer;
    expect(await timeOff.eventsOf(person)).toEqual(['TimeOffRequested']);
  });
});

it('requests and adjustments that race, at two processes, never overdraw a balance, and use all of it', async () => {
  const { organisation } = timeOff;
  const clients = [organisation.client, api.client(organisation.apiKey, await api.startAnother())];
  for (let round = 0; round < 3; round += 1) {
    const person = await timeOff.person({ start_date: '2026-01-01' });
    const adjustment = { category_id: limited, amount_minutes: -DAY, effective_date: MONDAY, reason_code: 'payout' };
    const answers = await Promise.all([
      ...Array.from({ length: 14 }, (_, index) =>
        clients[index % 2]!.post('/time-off', oneDay(person, limited, workday(index))),
      ),
      ...Array.from({ length: 6 }, (_, index) =>
        clients[index % 2]!.post(`/people/${person}/time-off-balance/adjustments`, adjustment),
      ),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(10);
    for (const answer of answers) if (answer.status !== 201) expect(answer.status).toBe(409);
  }
});
