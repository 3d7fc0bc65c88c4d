import fc from 'fast-check';
import { addDays } from '#kernel/dates.js';
import type { DayPart } from '#time-off/records/day-count.rules.js';
import {
  decideTimeOff,
  type Entry,
  evolveCalendar,
  initialCalendar,
  isOpen,
  type TimeOffCalendar,
  type TimeOffCommand,
  type TimeOffEvent,
} from '#time-off/records/time-off.js';
import { timeOffRows } from '#time-off/records/time-off.table.js';
import { cutTo } from '#time-off/records/time-off.rules.js';
import { testSize } from '../support/test-size.js';

const SESSIONS = testSize('CALENDARS', { usual: 300, long: 5_000 });

const ORGANISATION = 'org_aaaaaaaa.bbbbbbbb.cccccccccccc';
const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const PARTS: readonly DayPart[] = ['full', 'morning', 'afternoon'];

/** Something to take off that makes sense, within two weeks; every day counts as one minute. */
const entry: fc.Arbitrary<Entry> = fc
  .record({
    start: fc.nat(13),
    length: fc.nat(3),
    first: fc.constantFrom(...PARTS),
    last: fc.constantFrom(...PARTS),
    is_standard: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    requires_approval: fc.boolean(),
  })
  .map(({ start, length, first, last, is_standard, requires_approval }) => {
    const start_date = addDays('2026-03-02', start);
    const end_date = addDays(start_date, length);
    const start_day_part = length > 0 && first === 'morning' ? 'full' : first;
    const end_day_part = length === 0 ? start_day_part : last === 'afternoon' ? 'full' : last;
    return withDays({
      category_id: 'toc',
      is_standard,
      requires_approval,
      start_date,
      end_date,
      start_day_part,
      end_day_part,
    });
  });

function withDays(dates: Omit<Entry, 'days' | 'total_minutes' | 'total_days'>): Entry {
  const days: Entry['days'][number][] = [];
  for (let date = dates.start_date; date <= dates.end_date; date = addDays(date, 1))
    days.push({ date, day_part: 'full', minutes: 1, counted: true, reason: 'working_day' });
  return { ...dates, days, total_minutes: days.length, total_days: days.length };
}

type Step = (calendar: TimeOffCalendar) => TimeOffCommand;
const id = fc.constantFrom(...IDS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom('request', 'change'), id, entry).map(([type, timeOffId, requested]): Step => () => ({
    type: type as 'request' | 'change',
    timeOffId,
    entry: requested,
  })),
  fc
    .tuple(fc.constantFrom('approve', 'reject', 'cancel'), id)
    .map(([type, timeOffId]): Step => () => ({ type: type as 'approve' | 'reject' | 'cancel', timeOffId })),
  fc
    .nat(13)
    .map((finalDay): Step => (calendar) => ({ type: 'cut', cuts: cutsAt(addDays('2026-03-02', finalDay), calendar) })),
);

function cutsAt(finalDay: string, calendar: TimeOffCalendar) {
  const late = [...calendar.records.values()].filter((record) => isOpen(record) && record.end_date > finalDay);
  return late.map((record) => {
    const entry =
      record.start_date > finalDay
        ? null
        : withDays({ ...entryOf(record), ...cutTo(record, { first: record.start_date, last: finalDay }) });
    return { timeOffId: record.id, entry, because: 'employment_ended' as const };
  });
}

function entryOf({
  category_id,
  is_standard,
  requires_approval,
  start_date,
  end_date,
  start_day_part,
  end_day_part,
}: Entry) {
  return { category_id, is_standard, requires_approval, start_date, end_date, start_day_part, end_day_part };
}

/** The halves of days that open standard records claim, with repeats. */
function claimed(calendar: TimeOffCalendar): readonly string[] {
  return [...calendar.records.values()]
    .filter((record) => isOpen(record) && record.is_standard)
    .flatMap(({ start_date, end_date, start_day_part, end_day_part, days }) =>
      days.flatMap(({ date }) => {
        const parts = [date === start_date ? start_day_part : 'full', date === end_date ? end_day_part : 'full'];
        return [
          ...(parts.includes('afternoon') ? [] : [`${date} morning`]),
          ...(parts.includes('morning') ? [] : [`${date} afternoon`]),
        ];
      }),
    );
}

function asStream(events: readonly TimeOffEvent[]) {
  const metadata = {
    schema_version: 1,
    actor: { type: 'system', id: 'test' },
    request_id: null,
    idempotency_key: null,
    fingerprint: null,
    causation_id: null,
    hash: '',
    previous_hash: null,
  } as const;
  return events.map((event, revision) => ({
    ...event,
    id: String(revision),
    metadata,
    stream: `time-off-${ORGANISATION}.7k2m9qx4hz1c`,
    revision,
    position: '',
    recordedAt: new Date(Date.UTC(2026, 0, 1) + revision).toISOString(),
  }));
}

describe('any session over one calendar', () => {
  it('never has two open standard records claim one half of a day, leaves what is final alone, and refuses or records nothing when repeated', () => {
    let recorded = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
        let calendar = initialCalendar;
        for (const next of steps) {
          const command = next(calendar);
          const decision = decideTimeOff(command, calendar);
          if ('rejection' in decision) continue;
          const after = decision.events.reduce(evolveCalendar, calendar);
          expect(new Set(claimed(after)).size).toBe(claimed(after).length);
          for (const record of calendar.records.values())
            if (!isOpen(record)) expect(after.records.get(record.id)).toBe(record);
          const again = decideTimeOff(command, after);
          expect('rejection' in again || again.events.length === 0).toBe(true);
          recorded += decision.events.length;
          calendar = after;
        }
      }),
      { numRuns: SESSIONS },
    );
    expect(recorded).toBeGreaterThan(SESSIONS * 5);
  });

  it('has rows whose history only ever grows, and whose last moment is the row', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 30 }), (steps) => {
        const events: TimeOffEvent[] = [];
        let calendar = initialCalendar;
        let before = new Map<string, readonly unknown[]>();
        for (const next of steps) {
          const decision = decideTimeOff(next(calendar), calendar);
          if ('rejection' in decision || decision.events.length === 0) continue;
          events.push(...decision.events);
          calendar = decision.events.reduce(evolveCalendar, calendar);
          const rows = timeOffRows(asStream(events));
          expect(Math.max(...rows.map((row) => row['revision'] as number))).toBe(events.length - 1);
          for (const row of rows) {
            const history = row['history'] as readonly {
              readonly status_code: string;
              readonly recorded_at: string;
              readonly days: readonly unknown[];
            }[];
            const known = before.get(row['id'] as string) ?? [];
            expect(history.slice(0, known.length)).toEqual(known);
            expect(history.at(-1)).toMatchObject({ status_code: row['status_code'], recorded_at: row['updated_at'] });
            expect(history.at(-1)!.days).toHaveLength((row['days'] as readonly unknown[]).length);
          }
          before = new Map(rows.map((row) => [row['id'] as string, row['history'] as readonly unknown[]]));
        }
      }),
      { numRuns: testSize('CALENDAR_ROWS', { usual: 80, long: 1_000 }) },
    );
  });
});
