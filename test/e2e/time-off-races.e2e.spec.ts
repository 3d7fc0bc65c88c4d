import { randomInt } from 'node:crypto';
import { createPool } from '#database/pool.js';
import { addDays } from '#kernel/dates.js';
import { RejectedError } from '#kernel/rejection.js';
import type { CommandServices } from '#commands/services.js';
import type { DayPart } from '#time-off/records/day-count.rules.js';
import { changeTimeOff, requestTimeOff, stepTimeOff } from '#time-off/requests/request-time-off.js';
import {
  evolveCalendar,
  initialCalendar,
  type TimeOffCalendar,
  type TimeOffEvent,
} from '#time-off/records/time-off.js';
import type { Dates, NamedDates } from '#time-off/records/time-off.rules.js';
import { type ApiClient, expectError } from '../support/api/http-client.js';
import { patiently } from '../support/api/patiently.js';
import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { testContext } from '../support/command-services.js';
import { testEventStore } from '../support/event-store.js';
import { testSize } from '../support/test-size.js';
import type { TimeOff } from '../support/api/shapes.js';

const MONDAY = '2026-03-02';
const AT_ONCE = 20;

let category: string;

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const timeOff = new TimeOffActions(api, organisation);

beforeAll(async () => {
  category = await timeOff.category();
});

/** Some days of three weeks, of halves at their ends now and then; always something that counts. */
function someDates(): NamedDates {
  const start_date = addDays(MONDAY, 7 * randomInt(3) + randomInt(5));
  const length = randomInt(4);
  const part = (...parts: readonly DayPart[]): DayPart => parts[randomInt(parts.length)]!;
  if (length === 0) return { start_date, end_date: start_date, start_day_part: part('full', 'morning', 'afternoon') };
  return {
    start_date,
    end_date: addDays(start_date, length),
    start_day_part: part('full', 'afternoon'),
    end_day_part: part('full', 'morning'),
  };
}

/** The halves of days that dates claim, written without a thought for speed. */
function halvesOf({ start_date, end_date, start_day_part, end_day_part }: Dates): readonly string[] {
  const halves: string[] = [];
  for (let day = start_date; day <= end_date; day = addDays(day, 1)) {
    const parts = [day === start_date ? start_day_part : 'full', day === end_date ? end_day_part : 'full'];
    if (!parts.includes('afternoon')) halves.push(`${day} morning`);
    if (!parts.includes('morning')) halves.push(`${day} afternoon`);
  }
  return halves;
}

/** Throws where two open records claim the same half of a day. */
function assertApart(open: readonly Dates[]): void {
  const halves = open.flatMap(halvesOf);
  expect(new Set(halves).size).toBe(halves.length);
}

function openOf(calendar: TimeOffCalendar): readonly Dates[] {
  return [...calendar.records.values()].filter(({ status }) => status === 'pending' || status === 'approved');
}

/** Every state that the calendar was ever in holds no overlap, and the table shows the last of them. */
async function assertNeverOverlapped(personId: string): Promise<number> {
  const stream = await api.services.store.readStream(`time-off-${timeOff.organisation.row.id}.${personId}`);
  let calendar = initialCalendar;
  for (const event of stream) {
    calendar = evolveCalendar(calendar, event as unknown as TimeOffEvent);
    assertApart(openOf(calendar));
  }
  const listed = await timeOff.list({ person_id: personId, limit: 200 });
  expect(new Map(listed.map(({ id, status_code }) => [id, status_code]))).toEqual(
    new Map([...calendar.records.values()].map(({ id, status }) => [id, status])),
  );
  return stream.length;
}

/** Several processes, as it were: stores and connections of their own over one database. */
function processes(count: number): readonly { readonly services: CommandServices; close(): Promise<void> }[] {
  return Array.from({ length: count }, (_, index) => {
    const pool = createPool(api.database.url, { applicationName: `racer ${index}`, maximum: 6 });
    const store = testEventStore(pool);
    const close = async (): Promise<void> => {
      await store.close();
      await pool.end();
    };
    return { services: { ...api.services, executor: pool, store }, close };
  });
}

/** Whether the command was accepted; refusals by state are what is raced for, anything else is an error. */
async function accepted(command: Promise<unknown>): Promise<boolean> {
  try {
    await command;
    return true;
  } catch (error) {
    if (error instanceof RejectedError && error.rejection.kind === 'conflict') return false;
    throw error;
  }
}

describe('racing for one calendar', () => {
  const BURSTS = testSize('TIME_OFF_BURSTS', { usual: 30, long: 500, eventStoreDb: 20 });
  const BURSTS_PER_CALENDAR = 10;

  it(`${BURSTS * AT_ONCE} times, by creates, changes and cancellations of several processes: never two that overlap`, async () => {
    const racers = processes(3);
    let [recorded, refused, events] = [0, 0, 0];
    try {
      for (let calendar = 0; calendar < BURSTS / BURSTS_PER_CALENDAR; calendar += 1) {
        const person_id = await timeOff.person();
        const known: string[] = [];
        const race = async (index: number): Promise<void> => {
          const { services } = racers[index % racers.length]!;
          const context = testContext(timeOff.organisation.row.id);
          const target = known.length > 0 && index % 2 === 1 ? known[randomInt(known.length)]! : null;
          const command =
            target === null
              ? requestTimeOff(services, context, { ...someDates(), person_id, category_id: category }).then(({ id }) =>
                  known.push(id),
                )
              : index % 10 === 1
                ? stepTimeOff(services, context, target, 'cancel')
                : changeTimeOff(services, context, target, someDates());
          if (await accepted(command)) recorded += 1;
          else refused += 1;
        };
        for (let burst = 0; burst < BURSTS_PER_CALENDAR; burst += 1)
          await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => race(index)));
        events += await assertNeverOverlapped(person_id);
      }
    } finally {
      for (const racer of racers) await racer.close();
    }
    expect(recorded + refused).toBe(BURSTS * AT_ONCE);
    // A change to what a record is already is accepted and records nothing.
    expect(events).toBeLessThanOrEqual(recorded);
    expect(events).toBeGreaterThan(BURSTS);
    expect(refused).toBeGreaterThan(BURSTS);
  });

  it('over HTTP, at two processes: of equal requests exactly one is made, the others are 409 conflict', async () => {
    const clients: readonly ApiClient[] = [
      timeOff.organisation.client,
      api.client(timeOff.organisation.apiKey, await api.startAnother()),
    ];
    const person_id = await timeOff.person();
    for (let round = 0; round < 5; round += 1) {
      const start_date = addDays(MONDAY, 7 * round);
      const body = { person_id, category_id: category, start_date, end_date: addDays(start_date, 4) };
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) =>
          patiently((idempotencyKey) => clients[index % 2]!.post<TimeOff>('/time-off', body, { idempotencyKey })),
        ),
      );
      const [made, others] = [
        answers.filter(({ status }) => status === 201),
        answers.filter(({ status }) => status !== 201),
      ];
      expect(made).toHaveLength(1);
      for (const answer of others) expectError(answer, 409, 'conflict', 'start_date');
    }
    expect(await assertNeverOverlapped(person_id)).toBe(5);
  });

  it('over HTTP, by changes onto one free day: exactly one gets it', async () => {
    const clients: readonly ApiClient[] = [
      timeOff.organisation.client,
      api.client(timeOff.organisation.apiKey, await api.startAnother()),
    ];
    const person_id = await timeOff.person();
    const records: TimeOff[] = [];
    for (let week = 1; week <= 10; week += 1) {
      // Tuesdays: some of these Mondays are bank holidays.
      const day = addDays(MONDAY, 7 * week + 1);
      records.push(await timeOff.create({ person_id, category_id: category, start_date: day, end_date: day }));
    }
    const moves = await Promise.all(
      records.map(({ id }, index) =>
        patiently((idempotencyKey) =>
          clients[index % 2]!.patch<TimeOff>(
            `/time-off/${id}`,
            { start_date: MONDAY, end_date: MONDAY },
            { idempotencyKey },
          ),
        ),
      ),
    );
    expect(moves.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(moves.filter(({ status }) => status === 409)).toHaveLength(9);
    expect(await assertNeverOverlapped(person_id)).toBe(11);
  });
});
